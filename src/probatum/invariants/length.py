"""The rule `length`: the answer is neither too short nor too long."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from probatum.canonical import MAX_INT
from probatum.invariants.normalize import normalizer
from probatum.plugins.protocols import Check, Outcome
from probatum.records.judgment import Clue

Bound = Annotated[int, Meta(ge=0, le=MAX_INT)]

_MEASURES: Final[Mapping[str, Callable[[str], int]]] = {
    "characters": len,
    "words": lambda text: len(text.split()),
    "lines": lambda text: len(text.splitlines()),
}


class LengthParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of `length`; at least one bound is given.

    Attributes:
        min: The least allowed.
        max: The most allowed.
        unit: What is counted.
    """

    min: Bound | UnsetType = UNSET
    max: Bound | UnsetType = UNSET
    unit: Literal["characters", "words", "lines"] = "characters"

    def __post_init__(self) -> None:
        if self.min is UNSET and self.max is UNSET:
            raise ValueError("length needs min, max or both")
        if self.min is not UNSET and self.max is not UNSET and self.min > self.max:
            raise ValueError(f"min {self.min} is greater than max {self.max}")


class Length:
    """The answer is neither too short nor too long.

    What it does:
        Counts the characters, words or lines of the raw answer and passes
        when the number is within the bounds, which are both allowed values.
        Characters are code points; words are what white space separates;
        lines end as Unicode says. Evidence: `too-short` or `too-long` with
        the number that was counted.

    Why it matters:
        A summary that is longer than its text, or a label of three sentences,
        shows that the instruction was lost.

    Example:
        `length: {max: 20, unit: words}` fails an answer of 21 words.

    Parameters:
        min: the least allowed number.
        max: the most allowed number; one of the two is needed.
        unit: `characters` unless given, or `words`, or `lines`.

    Limits:
        Languages without spaces have few words by this count. An empty answer
        is unjudged, whatever `min` says. Declared falsifiability is 0.1 a
        bound.
    """

    name = "length"
    version = 1
    params = LengthParams

    def document(self, params: LengthParams) -> bytes | None:  # noqa: ARG002
        """Return nothing: the parameters say it all."""
        return None

    def prepare(
        self,
        params: LengthParams,
        document: bytes | None,  # noqa: ARG002
        normalize: tuple[str, ...],
    ) -> Check:
        """Choose the measure."""
        measure = _MEASURES[params.unit]
        apply = normalizer(normalize)
        least = 0 if params.min is UNSET else params.min
        most = None if params.max is UNSET else params.max

        def check(text: str) -> Outcome:
            counted = measure(apply(text))
            if counted < least:
                return Outcome("fail", (Clue(code="too-short", detail=str(counted)),))
            if most is not None and counted > most:
                return Outcome("fail", (Clue(code="too-long", detail=str(counted)),))
            return Outcome("pass")

        return check

    def contribution(self, params: LengthParams, document: bytes | None) -> Fraction:  # noqa: ARG002
        """Return 0.1 a bound."""
        return Fraction((params.min is not UNSET) + (params.max is not UNSET), 10)
