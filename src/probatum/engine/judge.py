"""What the invariants of a case say of an answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

import msgspec

from probatum.digest import Digest
from probatum.plugins.protocols import Catalogue, Check, Outcome, Rule
from probatum.records.base import UNSET, BlobId, InvariantId, JudgmentId, OutputId
from probatum.records.codec import AnyRecord
from probatum.records.invariant import Invariant
from probatum.records.judgment import Judgment
from probatum.records.output import Output

_REMEMBERED: Final = 8_192
"""Judgments kept at hand; forgetting them costs only time."""


def gate(output: Output, text: str | None) -> str | None:
    """Return why an answer cannot be judged, as a code; None if it can.

    ``filtered``: the system's own filter answered. ``not-text``: bytes that
    are no text. ``truncated``: cut off by a length limit. ``empty``: nothing
    but white space.
    """
    if output.finish == "filtered":
        return "filtered"
    if text is None:
        return "not-text"
    if output.finish == "length":
        return "truncated"
    if not text or text.isspace():
        return "empty"
    return None


def compile_check(
    invariant: Invariant, registry: Catalogue, document: Callable[[BlobId], bytes]
) -> Check:
    """Make an invariant ready to judge.

    Raises:
        SpecError: If its parameters have no meaning.
        NotFoundError: If no such rule is known.
    """
    rule, params, data = _decoded(invariant, registry, document)
    return rule.prepare(params, data, invariant.normalize)


def contribution_of(
    invariant: Invariant, registry: Catalogue, document: Callable[[BlobId], bytes]
) -> Fraction:
    """Return what an invariant contributes to declared falsifiability, in [0, 1].

    Raises:
        NotFoundError: If no such rule is known.
    """
    rule, params, data = _decoded(invariant, registry, document)
    return rule.contribution(params, data)


def _decoded(
    invariant: Invariant, registry: Catalogue, document: Callable[[BlobId], bytes]
) -> tuple[Rule, Any, bytes | None]:
    rule = registry.rule(invariant.name)
    params = msgspec.json.decode(invariant.params, type=rule.params)
    return rule, params, None if invariant.document is UNSET else document(invariant.document)


def judgment_of(invariant_id: InvariantId, output_id: OutputId, outcome: Outcome) -> Judgment:
    """Return the record of an outcome."""
    return Judgment(
        invariant=invariant_id,
        subject=output_id,
        result=outcome.result,
        evidence=outcome.clues,
        reason=UNSET if outcome.reason is None else outcome.reason,
        score=UNSET if outcome.score is None else outcome.score,
    )


class Judge:
    """Judges answers; equal questions are answered once.

    Args:
        registry: Where rules are found.
        document: Reads a schema or rubric.
        put: Stores a judgment.
    """

    def __init__(
        self,
        registry: Catalogue,
        document: Callable[[BlobId], bytes],
        put: Callable[[AnyRecord], Digest],
    ) -> None:
        self._registry = registry
        self._document = document
        self._put = put
        self._checks: dict[InvariantId, Check] = {}
        self._made: dict[tuple[InvariantId, OutputId], tuple[JudgmentId, Judgment]] = {}

    def judge(
        self,
        invariants: Sequence[tuple[InvariantId, Invariant]],
        output_id: OutputId,
        output: Output,
        text: str | None,
        into: dict[JudgmentId, Judgment],
    ) -> tuple[JudgmentId, ...]:
        """Judge one output by each invariant, in order.

        Args:
            invariants: Ids and records.
            output_id: The id of `output`.
            output: The answer.
            text: Its text, or None when it is not text.
            into: Takes the judgments by id.
        """
        found: list[JudgmentId] = []
        reason = gate(output, text)
        for invariant_id, invariant in invariants:
            key = (invariant_id, output_id)
            made = self._made.get(key)
            if made is None:
                if reason is not None or text is None:
                    outcome = Outcome("unjudged", reason=reason)
                else:
                    outcome = self._check(invariant_id, invariant)(text)
                record = judgment_of(invariant_id, output_id, outcome)
                made = JudgmentId(self._put(record)), record
                if len(self._made) >= _REMEMBERED:
                    self._made.clear()
                self._made[key] = made
            into[made[0]] = made[1]
            found.append(made[0])
        return tuple(found)

    def _check(self, invariant_id: InvariantId, invariant: Invariant) -> Check:
        check = self._checks.get(invariant_id)
        if check is None:
            if len(self._checks) >= _REMEMBERED:
                self._checks.clear()
            check = compile_check(invariant, self._registry, self._document)
            self._checks[invariant_id] = check
        return check
