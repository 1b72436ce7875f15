"""The noun `judgment`: what one invariant says of one output."""

from typing import Literal

from probatum.records.base import (
    UNSET,
    Count,
    InvariantId,
    OutputId,
    Record,
    UnsetType,
    Value,
)

Result = Literal["pass", "fail", "unjudged"]


class Clue(Value, frozen=True, kw_only=True):
    """One reason for a result, as a code; renderers make the words.

    Attributes:
        code: What was seen, such as ``missing`` or ``found``.
        item: Index into the invariant's list of values.
        start: First code point of the span of the output that shows it.
        end: One past its last code point.
        detail: A short literal, such as a path or a number that was measured.
    """

    code: str
    item: Count | UnsetType = UNSET
    start: Count | UnsetType = UNSET
    end: Count | UnsetType = UNSET
    detail: str | UnsetType = UNSET


class Judgment(Record, frozen=True, kw_only=True, tag="judgment"):
    """A three-valued result with its evidence.

    Attributes:
        subject: The output that was judged.
        baseline: The output it was compared with; relative invariants only.
        reason: Why it could not be judged, as a code; set exactly when
            `result` is ``unjudged``.
        score: A decimal at the rule's declared precision.
    """

    invariant: InvariantId
    subject: OutputId
    result: Result
    evidence: tuple[Clue, ...]
    baseline: OutputId | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    score: str | UnsetType = UNSET
