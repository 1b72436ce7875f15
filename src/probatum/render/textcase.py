"""One case in full, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from probatum.records.base import UNSET
from probatum.records.inputs import Input, Message, TextPart
from probatum.render import words
from probatum.render.escape import shortened, visible
from probatum.render.layout import Style, plain, table
from probatum.render.summary import NAME, bound_words, brief, count_words, passed_words
from probatum.verdicts import TRAITS

if TYPE_CHECKING:
    from probatum.evidence.inspect import ArmView, Inspection, JudgmentView, RuleView, RunView
    from probatum.records.judgment import Clue
    from probatum.records.perturbation import Edit
    from probatum.records.verdict import FamilyRow, Verdict


BRIEF: Final = 160
"""Characters of a text that are shown without ``--full``."""

EDITS: Final = 6
"""Edits of a perturbation that are shown without ``--full``."""

SPAN: Final = 60
"""Characters of an answer that are shown as evidence."""

WHOLE: Final = 1 << 60


def inspect(found: Inspection, *, full: bool = False, style: Style = plain) -> str:
    """Return a case with its input, every perturbation, answer and judgment.

    Args:
        found: The case.
        full: Show whole texts and all edits.
        style: Colours, if the terminal has any.
    """
    limit = WHOLE if full else BRIEF
    verdict = found.verdict
    role = words.VERDICTS.get(verdict.verdict, "bad")
    why = visible(words.say(words.REASONS, verdict.reason))
    head = f"case {shortened(found.case.id, NAME)} · {style(verdict.verdict, role)}"
    lines = [f"{head} · {verdict.rule}: {why} · session {brief(found.statement)}"]
    lines += _facts(found)
    lines += ["", "families", *_families(verdict)]
    lines += ["", "invariants"]
    lines += [f"  {_rule(rule, limit)}" for rule in found.rules] or ["  none"]
    lines += ["", "input", *_input(found.case.input, limit)]
    for arm in found.arms:
        lines += ["", *_arm(arm, limit, style, full=full)]
    if not full and _cut(found):
        lines += ["", "long texts are cut; --full shows them whole"]
    return "\n".join(lines)


def _facts(found: Inspection) -> list[str]:
    verdict, policy = found.verdict, found.case.policy
    tally = verdict.tally
    parts = [
        f"{getattr(tally, name)} {name.replace('_', '-')}"
        for name in tally.__struct_fields__
        if getattr(tally, name) or name in ("requested", "judged", "passed")
    ]
    lines = [f"  perturbations: {', '.join(parts)}"]
    rest = verdict.at_rest
    lines.append(
        f"  at rest: {rest.passed}/{rest.n} passed, {count_words(rest.answers, 'distinct answer')}"
    )
    lines.append(
        f"  policy: stable from {policy.stable_threshold}, at least "
        f"{count_words(policy.min_perturbations, 'perturbation')}"
    )
    if verdict.claim is not UNSET and policy.claim is not UNSET:
        claim = policy.claim
        state = "holds" if verdict.claim.holds else "is not shown"
        lines.append(
            f"  claim: stability {claim.stability} at confidence {claim.confidence} {state} "
            f"({verdict.claim.needed} passing perturbations needed)"
        )
    if verdict.traits:
        said = [TRAITS.get(trait) or trait.replace("-", " ") for trait in verdict.traits]
        lines += [f"  trait: {shortened(text, BRIEF)}" for text in said]
    if found.case.tags:
        lines.append(f"  tags: {', '.join(shortened(tag, NAME) for tag in found.case.tags)}")
    return lines


def _families(verdict: Verdict) -> list[str]:
    rows = [_family(row) for row in verdict.families]
    return table([("", *row) for row in rows]) or ["  none"]


def _family(row: FamilyRow) -> tuple[str, str, str, str]:
    name = shortened(row.family, NAME)
    if row.not_applicable is not UNSET:
        return name, "not applicable", _say_limited(row.not_applicable), ""
    counts = passed_words(row.passed, row.n, 0 if row.possible is UNSET else row.possible)
    interval = f"{row.low}–{row.high}" if row.low is not UNSET else "nothing judged"
    return name, counts, interval, "" if row.shown is UNSET else bound_words(row.shown)


def _say_limited(code: str) -> str:
    return shortened(words.say(words.NOT_APPLICABLE, code), BRIEF)


def _rule(rule: RuleView, limit: int) -> str:
    invariant = rule.invariant
    steps = f", normalized by {', '.join(invariant.normalize)}" if invariant.normalize else ""
    name = shortened(f"{invariant.name}@{invariant.version}", NAME)
    params = shortened(invariant.params, limit)
    return f"{name} {params} ({rule.role}, {invariant.severity}{visible(steps)})"


def _input(value: Input, limit: int) -> list[str]:
    lines = [
        f"  {message.role}: {shortened(text, limit)}"
        for message in value.messages
        for text in _contents(message)
    ]
    if value.tools is not UNSET:
        names = ", ".join(shortened(tool.name, NAME) for tool in value.tools)
        lines.append(f"  tools: {names}")
    return lines


def _contents(message: Message) -> list[str]:
    if isinstance(message.content, str):
        texts = [message.content]
    else:
        texts = [
            part.text if isinstance(part, TextPart) else f"[{part.media_type} {brief(part.blob)}]"
            for part in message.content
        ]
    if message.tool_calls is not UNSET:
        texts += [f"[calls {call.name}({call.arguments})]" for call in message.tool_calls]
    return texts


def _arm(arm: ArmView, limit: int, style: Style, *, full: bool) -> list[str]:
    if arm.perturbation is None:
        lines = [arm.arm if arm.arm == "baseline" else f"{arm.arm} {arm.index}"]
    else:
        made = arm.perturbation
        how = f"{shortened(made.family, NAME)}, {shortened(made.method, NAME)}"
        lines = [f"{shortened(arm.declaration, NAME)} #{arm.index} ({how})"]
        shown = made.edits if full else made.edits[:EDITS]
        edits = ", ".join(_edit(edit) for edit in shown)
        more = f" and {len(made.edits) - len(shown)} more" if len(shown) < len(made.edits) else ""
        lines.append(f"  edits: {edits}{more}")
        lines += _input(made.perturbed, limit)
    for run in arm.runs:
        lines += _run(run, limit, style)
    return lines if arm.runs else [*lines, "  not run"]


def _edit(edit: Edit) -> str:
    old, new = shortened(edit.old, 24), shortened(edit.new, 24)
    if edit.op == "insert":
        change = f"+{new}"
    elif edit.op == "delete":
        change = f"-{old}"
    else:
        change = f"{old}→{new}"
    return f"{edit.at}:{change}"


def _run(run: RunView, limit: int, style: Style) -> list[str]:
    label = "answer" if run.trial.repeat == 0 else f"answer, repeat {run.trial.repeat}"
    tail = _circumstances(run)
    if run.trial.failure is not UNSET:
        failed = words.say(words.FAILURES, run.trial.failure)
        return [f"  {style(failed, 'warn')}{tail}"]
    is_text = run.size < 0
    text = shortened(run.text, limit) if is_text else f"{run.size} bytes that are no text"
    finish = run.output.finish if run.output is not None else "stop"
    ended = "" if finish == "stop" else f" [{finish}]"
    lines = [f"  {label}: {text}{ended}{tail}"]
    if run.output is not None and run.output.tool_calls is not UNSET:
        lines += [
            f"    calls {shortened(call.name, NAME)}({shortened(call.arguments, limit)})"
            for call in run.output.tool_calls
        ]
    lines += [f"    {_judgment(item, run.text, limit, style)}" for item in run.judgments]
    return lines


def _circumstances(run: RunView) -> str:
    execution = run.execution
    if execution is None:
        return ""
    parts = [f"{execution.latency_us // 1000} ms"]
    if execution.attempts > 1:
        parts.append(f"{execution.attempts} attempts")
    if execution.cost_usd is not UNSET:
        parts.append(f"{shortened(execution.cost_usd, NAME)} USD")
    if execution.reused_from is not UNSET:
        parts.append(f"observed in session {brief(execution.reused_from)}")
    if execution.error is not UNSET:
        parts.append(shortened(execution.error, BRIEF))
    return f" ({', '.join(parts)})"


def _judgment(item: JudgmentView, text: str, limit: int, style: Style) -> str:
    judgment = item.judgment
    role = {"pass": "good", "fail": "bad"}.get(judgment.result, "warn")
    head = style(words.RESULTS[judgment.result], role)
    name = shortened(item.rule.invariant.name, NAME)
    if item.rule.role == "expected":
        name += " (expected)"
    reason = ""
    if judgment.reason is not UNSET:
        reason = f": {visible(words.say(words.UNJUDGED, judgment.reason))}"
    score = "" if judgment.score is UNSET else f", score {shortened(judgment.score, NAME)}"
    values = _values(item.rule.invariant.params) if judgment.evidence else []
    clues = "; ".join(_clue(clue, text, values, limit) for clue in judgment.evidence[:EDITS])
    return f"{head} {name}{score}{reason}" + (f" — {clues}" if clues else "")


def _values(params: str) -> list[object]:
    """Return the values that an invariant looks for, by which clues are numbered."""
    try:
        found = msgspec.json.decode(params)
    except (msgspec.DecodeError, RecursionError):
        return []
    values = found.get("values") if isinstance(found, dict) else None
    return values if isinstance(values, list) else []


def _clue(clue: Clue, text: str, values: list[object], limit: int) -> str:
    said = visible(words.say(words.CLUES, clue.code))
    which = ""
    if clue.item is not UNSET and clue.item < len(values):
        which = f" “{shortened(str(values[clue.item]), SPAN)}”"
    elif clue.item is not UNSET:
        which = f" value {clue.item + 1}"
    detail = "" if clue.detail is UNSET else f" ({shortened(clue.detail, limit)})"
    span = ""
    if clue.start is not UNSET:
        end = clue.start + SPAN if clue.end is UNSET else min(clue.end, clue.start + SPAN)
        quoted = f" “{visible(text[clue.start : end])}”"
        span = f" at {clue.start}" + ("" if quoted == which else f":{quoted}")
    return f"{said}{which}{detail}{span}"


def _cut(found: Inspection) -> bool:
    texts = [run.text for arm in found.arms for run in arm.runs]
    inputs = [text for message in found.case.input.messages for text in _contents(message)]
    return any(len(text) > BRIEF for text in [*texts, *inputs])
