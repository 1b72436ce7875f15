"""What changed between two sessions, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probatum.records.base import UNSET
from probatum.render import words
from probatum.render.escape import shortened, visible
from probatum.render.layout import Style, plain, table
from probatum.render.summary import NAME, brief, count_words

if TYPE_CHECKING:
    from probatum.evidence.diff import CaseDiff, SessionDiff, Side
    from probatum.evidence.diffrows import RowDiff, RunSide
    from probatum.records.table import Summary


_ROLES = {
    "regression": "bad",
    "evidence-lost": "bad",
    "vanished": "bad",
    "improved": "good",
    "added": "dim",
    "changed": "",
}
_TEXT = 80


def diff(found: SessionDiff, *, style: Style = plain) -> str:
    """Return what changed: the systems, then each case that is not the same."""
    lines = [f"{_session(found.old)} → {_session(found.new)}", *_circumstances(found)]
    moved = [case for case in found.cases if case.change != "same"]
    rows = [_row(case) for case in moved]
    roles = [("", _ROLES.get(case.change, ""), "", "", "dim") for case in moved]
    aligned = table(rows, roles, style)
    for case, line in zip(moved, aligned, strict=True):
        lines.append(line)
        lines += _runs(case)
    lines.append(_sum(found, style))
    return "\n".join(lines)


def _session(side: Side) -> str:
    return f"{brief(side.statement)} ({side.predicate.end})"


def _circumstances(found: SessionDiff) -> list[str]:
    lines = []
    old, new = found.old, found.new
    if not found.same_target:
        names = [
            f"{shortened(side.target.provider, NAME)} {shortened(side.target.model, NAME)}"
            if side.target is not None
            else brief(side.predicate.target)
            for side in (old, new)
        ]
        if names[0] == names[1]:
            lines.append(f"system: {names[0]}, other {_apart(found)}")
        else:
            lines.append(f"system: {names[0]} → {names[1]}")
    if not found.same_plan:
        lines.append(f"plan: {brief(old.predicate.plan)} → {brief(new.predicate.plan)}")
    if not found.same_environment:
        lines.append(f"environment: {_environment(found)}")
    for word, side in (("old", old), ("new", new)):
        if not side.predicate.complete:
            lines.append(f"the {word} session is incomplete")
    return lines


def _apart(found: SessionDiff) -> str:
    """Return in which fields two systems of one name differ."""
    old, new = found.old.target, found.new.target
    if old is None or new is None:
        return "id"
    fields = {"params": "parameters", "endpoint": "endpoint", "tools": "tools", "code": "code"}
    return ", ".join(
        word for name, word in fields.items() if getattr(old, name) != getattr(new, name)
    )


def _environment(found: SessionDiff) -> str:
    old, new = found.old.environment, found.new.environment
    if old is None or new is None:
        return "another fingerprint"
    parts = [
        f"{name} {shortened(getattr(old, name), NAME)} → {shortened(getattr(new, name), NAME)}"
        for name in ("tool", "python", "implementation", "os", "machine")
        if getattr(old, name) != getattr(new, name)
    ]
    before, after = dict(old.packages), dict(new.packages)
    parts += [
        f"{shortened(name, NAME)} {visible(before.get(name, 'absent'))} → "
        f"{visible(after.get(name, 'absent'))}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]
    return ", ".join(parts) or "another fingerprint"


def _row(case: CaseDiff) -> tuple[str, str, str, str, str]:
    counts = ", ".join(
        f"{count} {words.say(words.ROW_CHANGES, name)}"
        for name, count in case.rows
        if name != "same"
    )
    if case.needs_evidence:
        counts = "runs need evidence"
    return (
        shortened(case.case, NAME),
        words.say(words.CHANGES, case.change),
        _classes(case),
        _figures(case),
        counts,
    )


def _classes(case: CaseDiff) -> str:
    old, new = _verdict(case.old), _verdict(case.new)
    return old if old == new else f"{old} → {new}"


def _verdict(summary: Summary | None) -> str:
    return "–" if summary is None else shortened(summary.verdict, NAME)


def _figures(case: CaseDiff) -> str:
    old, new = _passed(case.old), _passed(case.new)
    return old if old == new else f"{old} → {new}"


def _passed(summary: Summary | None) -> str:
    if summary is None:
        return "–"
    low = "" if summary.low is UNSET else f" (low {summary.low})"
    return f"{summary.passed}/{summary.judged}{low}"


def _runs(case: CaseDiff) -> list[str]:
    shown = [run for run in case.differing if run.read]
    rest = len(case.differing) - len(shown)
    more = [f"    … and {count_words(rest, 'run')} more; --json lists them all"] if rest else []
    return [_run(run) for run in shown] + more


def _run(run: RowDiff) -> str:
    place = f"{shortened(run.declaration, NAME)} #{run.index}" if run.declaration else run.arm
    if run.arm == "control":
        place = f"control {run.index}"
    again = f", repeat {run.repeat}" if run.repeat else ""
    change = words.say(words.ROW_CHANGES, run.change)
    return f"    {place}{again}: {change}: {_side(run.old)} → {_side(run.new)}"


def _side(side: RunSide | None) -> str:
    if side is None:
        return "–"
    if side.failure:
        return words.say(words.FAILURES, side.failure)
    results = ", ".join(words.say(words.RESULTS, result) for result in side.results)
    return f"“{shortened(side.text, _TEXT)}”" + (f" [{results}]" if results else "")


def _sum(found: SessionDiff, style: Style) -> str:
    counts = found.counts
    parts = []
    for change in ("regression", "evidence-lost", "vanished", "improved", "changed", "added"):
        if counts.get(change):
            text = f"{counts[change]} {words.say(words.CHANGES, change)}"
            parts.append(style(text, _ROLES[change]) if _ROLES[change] else text)
    parts.append(f"{counts.get('same', 0)} same")
    read = (
        f"{count_words(found.objects_read, 'object')} read"
        if found.evidence
        else ("from manifests alone: answers and judgments need the evidence")
    )
    return f"{count_words(len(found.cases), 'case')} · {', '.join(parts)} · {read}"
