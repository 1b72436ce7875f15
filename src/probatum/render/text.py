"""Lines for a terminal: one function for each thing that can be shown.

Everything that evidence brings is made harmless first. `style` takes text and
a role to text; a face gives one that knows colours, and none is the default.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from probatum.records.base import UNSET
from probatum.render import words
from probatum.render.escape import shortened, visible
from probatum.render.layout import Style, plain, table
from probatum.render.summary import (
    NAME,
    Line,
    bound_words,
    brief,
    case_table,
    class_words,
    count_words,
    sum_line,
    worst_words,
)
from probatum.render.textcase import inspect
from probatum.render.textdiff import diff
from probatum.render.textverify import signer_words, verify, verify_all
from probatum.verdicts import session_verdict

if TYPE_CHECKING:
    from probatum.evidence.history import History
    from probatum.evidence.log import Log
    from probatum.evidence.replay import CaseLine, Replay
    from probatum.evidence.statements import Damaged
    from probatum.records.session import Session


_SIGNED = {-1: "signature unreadable", 0: "unsigned", 1: "signed"}

__all__ = ["diff", "history", "inspect", "log", "replay", "verify", "verify_all"]


def replay(found: Replay, *, style: Style = plain) -> str:
    """Return a stored session as it was."""
    lines = [_stored(line) for line in found.lines]
    if found.signatures is not None:
        signer = signer_words(found.signatures)
    elif found.keys:
        keys = ", ".join(key[:4] for key in found.keys)
        signer = f"signed by key {keys}, not checked"
    else:
        signer = "unsigned"
    return _session(found.statement, found.session, lines, signer, style)


def _stored(line: CaseLine) -> Line:
    verdict = line.verdict
    worst = next((row for row in verdict.families if row.family == verdict.worst), None)
    possible = 0 if worst is None or worst.possible is UNSET else worst.possible
    obvious = verdict.reason in ("held", "below-threshold")
    why = "" if obvious else visible(words.say(words.REASONS, verdict.reason))
    return Line(line.case, line.summary, possible, why)


def _session(
    statement: str, session: Session, lines: Sequence[Line], signer: str, style: Style
) -> str:
    classes = [line.summary.verdict if line.summary is not UNSET else "" for line in lines]
    totals = session.totals
    notes = []
    if not session.complete:
        notes.append(style(f"INCOMPLETE, {count_words(totals.missing, 'run')} missing", "bad"))
    if totals.failed_runs:
        notes.append(style(f"{count_words(totals.failed_runs, 'run')} failed", "warn"))
    if totals.reused:
        notes.append(f"{count_words(totals.reused, 'run')} observed in another session")
    last = sum_line(
        classes=classes,
        verdict=session.verdict if len(lines) == totals.cases else session_verdict(classes),
        falsifiability=session.falsifiability,
        signed=signer,
        session=statement,
        notes=notes,
        style=style,
    )
    return "\n".join([*case_table(lines, style), last])


def log(found: Log, *, style: Style = plain) -> str:
    """Return the list of sessions, newest first."""
    rows: list[Sequence[str]] = []
    roles: list[Sequence[str]] = []
    for entry in found.entries:
        classes = [name for name, count in entry.classes for _ in range(count)]
        notes = [
            *([] if entry.complete else ["incomplete"]),
            *(["imported"] if entry.imported else []),
        ]
        rows.append(
            (
                brief(entry.statement),
                f"#{entry.seq}",
                entry.end,
                shortened(entry.name, NAME),
                shortened(entry.verdict, NAME),
                class_words(classes),
                _SIGNED[min(entry.signatures, 1)],
                ", ".join(notes),
            )
        )
        role = words.VERDICTS.get(entry.verdict, "bad")
        roles.append(("strong", "dim", "dim", "", role, "", "dim", "warn"))
    lines = table(rows, roles, style) or ["no sessions"]
    return "\n".join([*lines, *_damaged(found.damaged, style)])


def history(found: History, *, style: Style = plain) -> str:
    """Return one case over sessions, newest first."""
    rows: list[Sequence[str]] = []
    roles: list[Sequence[str]] = []
    for point in found.points:
        summary = point.summary
        line = Line(found.case, summary)
        verdict = "?" if summary is UNSET else summary.verdict
        shown = "" if summary is UNSET or summary.shown is UNSET else bound_words(summary.shown)
        change = words.say(words.CHANGES, point.change) if point.change else ""
        rows.append(
            (
                brief(point.statement),
                f"#{point.seq}",
                point.end,
                shortened(verdict, NAME),
                "" if summary is UNSET else f"{summary.passed}/{summary.judged}",
                worst_words(line),
                shown,
                shortened(point.model, NAME),
                "same evidence" if point.same else change,
            )
        )
        bad = point.change in ("regression", "evidence-lost")
        role = words.VERDICTS.get(verdict, "bad")
        last = "bad" if bad else "good" if point.change else "dim"
        roles.append(("strong", "dim", "dim", role, "", "", "dim", "", last))
    head = f"{shortened(found.case, NAME)} in {count_words(len(found.points), 'session')}"
    return "\n".join([head, *table(rows, roles, style), *_damaged(found.damaged, style)])


def _damaged(damaged: Sequence[Damaged], style: Style) -> list[str]:
    return [
        style(f"{brief(item.statement)}   cannot be read: {visible(item.error)}", "bad")
        for item in damaged
    ]
