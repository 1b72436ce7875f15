"""The rule `not_contains`: the answer leaves out what it must leave out."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

import msgspec
from msgspec import Meta

from probatum.invariants.matching import MAX_CLUES, Wanted, found_clue, needles, view
from probatum.plugins.protocols import Check, Outcome


class NotContainsParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of `not_contains`.

    Attributes:
        values: What must not be there, not one of them.
    """

    values: Annotated[tuple[Wanted, ...], Meta(min_length=1)]
    case_sensitive: bool = False


class NotContains:
    """The answer contains none of given values.

    What it does:
        Passes when no value stands anywhere in the raw answer. Letter case is
        ignored unless asked for; nothing else is, unless a `normalize`
        profile says so. Evidence: `found` with the value's index and the span
        of its first occurrence.

    Why it matters:
        Some answers are wrong by what they say besides: another customer's
        name, an apology of a model, a promise that nobody made.

    Example:
        `not_contains: {values: ["As an AI"]}` passes `30 days.` and fails
        `As an AI model, I cannot say.`

    Parameters:
        values: a list of texts, at least one, none empty.
        case_sensitive: false unless given.

    Limits:
        Text, not meaning: other words for the same thing pass. An answer that
        is empty is unjudged, not passed. Declared falsifiability is low,
        0.02 a value and at most 0.2, since almost every text passes.
    """

    name = "not_contains"
    version = 1
    params = NotContainsParams

    def sought(self, params: NotContainsParams) -> Sequence[str]:
        """Return the values that an input must keep as they are."""
        return params.values

    def document(self, params: NotContainsParams) -> bytes | None:  # noqa: ARG002
        """Return nothing: the parameters say it all."""
        return None

    def prepare(
        self,
        params: NotContainsParams,
        document: bytes | None,  # noqa: ARG002
        normalize: tuple[str, ...],
    ) -> Check:
        """Prepare the values."""
        looks = view(case_sensitive=params.case_sensitive, normalize=normalize)
        unwanted = needles(looks, params.values)

        def check(text: str) -> Outcome:
            seen = looks.of(text)
            clues = [
                found_clue(looks, seen, needle, item, at)
                for item, needle in enumerate(unwanted)
                if (at := seen.text.find(needle)) >= 0
            ]
            return Outcome("fail" if clues else "pass", tuple(clues[:MAX_CLUES]))

        return check

    def contribution(self, params: NotContainsParams, document: bytes | None) -> Fraction:  # noqa: ARG002
        """Return 0.02 a value, at most 0.2."""
        return Fraction(min(len(params.values), 10), 50)
