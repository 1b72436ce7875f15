"""The rule `one_of`: the answer is one of a few."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

import msgspec
from msgspec import Meta

from probatum.invariants.matching import Wanted, needles, view
from probatum.plugins.protocols import Check, Outcome
from probatum.records.judgment import Clue


class OneOfParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of `one_of`.

    Attributes:
        values: The allowed answers.
        strip: Ignore white space before and after.
    """

    values: Annotated[tuple[Wanted, ...], Meta(min_length=1)]
    case_sensitive: bool = True
    strip: bool = True


class OneOf:
    """The answer is one of given texts.

    What it does:
        Passes when the whole answer is one of the values. White space before
        and after does not count unless `strip` is off; letter case counts
        unless `case_sensitive` is off. Evidence: `found` with the index of
        the value, or `not-listed`.

    Why it matters:
        A classifier that answers outside its labels breaks whatever reads it.

    Example:
        `one_of: {values: [billing, shipping, other]}` passes `billing` and
        fails `Billing issue`.

    Parameters:
        values: a list of texts, at least one, none empty.
        case_sensitive: true unless given.
        strip: true unless given.

    Limits:
        It says that the answer is allowed, not that it is right: add `equals`
        or `expected` for that. Declared falsifiability is 1 over the number
        of distinct values.
    """

    name = "one_of"
    version = 1
    params = OneOfParams

    def sought(self, params: OneOfParams) -> Sequence[str]:
        """Return the values that an input must keep as they are."""
        return params.values

    def document(self, params: OneOfParams) -> bytes | None:  # noqa: ARG002
        """Return nothing: the parameters say it all."""
        return None

    def prepare(
        self,
        params: OneOfParams,
        document: bytes | None,  # noqa: ARG002
        normalize: tuple[str, ...],
    ) -> Check:
        """Prepare the values."""
        looks = view(case_sensitive=params.case_sensitive, normalize=normalize, strip=params.strip)
        index: dict[str, int] = {}
        for item, needle in enumerate(needles(looks, params.values)):
            index.setdefault(needle, item)

        def check(text: str) -> Outcome:
            item = index.get(looks.of(text).text)
            if item is None:
                return Outcome("fail", (Clue(code="not-listed"),))
            return Outcome("pass", (Clue(code="found", item=item),))

        return check

    def contribution(self, params: OneOfParams, document: bytes | None) -> Fraction:  # noqa: ARG002
        """Return 1 / number of distinct values."""
        return Fraction(1, len(set(params.values)))
