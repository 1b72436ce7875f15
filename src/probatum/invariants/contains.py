"""The rule `contains`: the answer names what it must name."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from probatum.invariants.matching import (
    MAX_CLUES,
    Wanted,
    by_length,
    found_clue,
    needles,
    view,
)
from probatum.plugins.protocols import Check, Outcome
from probatum.records.judgment import Clue


class ContainsParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of `contains`.

    Attributes:
        values: What is looked for.
        mode: Whether all values are needed, or any of them.
    """

    values: Annotated[tuple[Wanted, ...], Meta(min_length=1)]
    case_sensitive: bool = False
    mode: Literal["all", "any"] = "all"


class Contains:
    """The answer contains given values.

    What it does:
        Passes when every value (or, with `mode: any`, at least one) stands
        somewhere in the raw answer. Letter case is ignored unless asked for;
        nothing else is, unless a `normalize` profile says so. Evidence:
        `found` with the value's index and the span of its first occurrence,
        `missing` with the index.

    Why it matters:
        The fact that a question is about must survive any way of asking it.

    Example:
        `contains: {values: ["30 days"]}` passes `Within 30 days, yes.` and
        fails `Within a month.`

    Parameters:
        values: a list of texts, at least one, none empty.
        case_sensitive: false unless given.
        mode: `all` unless given, or `any`.

    Limits:
        Text, not meaning: `not within 30 days` contains `30 days`, and `12`
        is found inside `2012`. A no-break space or a curly quote makes a
        difference unless normalised. Declared falsifiability is the total
        length of the values over 50, at most 1; with `any`, that of the
        shortest value.
    """

    name = "contains"
    version = 1
    params = ContainsParams

    def sought(self, params: ContainsParams) -> Sequence[str]:
        """Return the values that an input must keep as they are."""
        return params.values

    def document(self, params: ContainsParams) -> bytes | None:  # noqa: ARG002
        """Return nothing: the parameters say it all."""
        return None

    def prepare(
        self,
        params: ContainsParams,
        document: bytes | None,  # noqa: ARG002
        normalize: tuple[str, ...],
    ) -> Check:
        """Prepare the values."""
        looks = view(case_sensitive=params.case_sensitive, normalize=normalize)
        wanted = needles(looks, params.values)
        enough = len(wanted) if params.mode == "all" else 1

        def check(text: str) -> Outcome:
            seen = looks.of(text)
            found: list[Clue] = []
            missing: list[Clue] = []
            for item, needle in enumerate(wanted):
                at = seen.text.find(needle)
                if at < 0:
                    missing.append(Clue(code="missing", item=item))
                else:
                    found.append(found_clue(looks, seen, needle, item, at))
            if len(found) >= enough:
                return Outcome("pass", tuple(found[:MAX_CLUES]))
            return Outcome("fail", tuple(missing[:MAX_CLUES]))

        return check

    def contribution(self, params: ContainsParams, document: bytes | None) -> Fraction:  # noqa: ARG002
        """Return min(1, total length of the values / 50); with `any` of the shortest."""
        values = params.values if params.mode == "all" else (min(params.values, key=len),)
        return by_length(values)
