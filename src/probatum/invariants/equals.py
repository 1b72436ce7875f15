"""The rule `equals`: the answer is exactly this."""

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from probatum.invariants.matching import Wanted, needles, view
from probatum.plugins.protocols import Check, Outcome
from probatum.records.judgment import Clue


class EqualsParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of `equals`.

    Attributes:
        value: The whole answer.
        strip: Ignore white space before and after.
    """

    value: Wanted
    case_sensitive: bool = True
    strip: bool = True


class Equals:
    """The answer is exactly a given text.

    What it does:
        Passes when the whole answer is the value. White space before and
        after does not count unless `strip` is off; letter case counts unless
        `case_sensitive` is off. Evidence: `differs` with the offset of the
        first character that differs.

    Why it matters:
        Where a program reads the answer, a friendly sentence around it is a
        failure.

    Example:
        `equals: {value: "APPROVED"}` passes `APPROVED` and fails `Approved.`

    Parameters:
        value: a text, not empty.
        case_sensitive: true unless given.
        strip: true unless given.

    Limits:
        Any other wording fails, a trailing full stop too. Declared
        falsifiability is 1.
    """

    name = "equals"
    version = 1
    params = EqualsParams

    def sought(self, params: EqualsParams) -> Sequence[str]:
        """Return the values that an input must keep as they are."""
        return (params.value,)

    def document(self, params: EqualsParams) -> bytes | None:  # noqa: ARG002
        """Return nothing: the parameters say it all."""
        return None

    def prepare(
        self,
        params: EqualsParams,
        document: bytes | None,  # noqa: ARG002
        normalize: tuple[str, ...],
    ) -> Check:
        """Prepare the value."""
        looks = view(case_sensitive=params.case_sensitive, normalize=normalize, strip=params.strip)
        (wanted,) = needles(looks, (params.value,))

        def check(text: str) -> Outcome:
            seen = looks.of(text)
            if seen.text == wanted:
                return Outcome("pass")
            if not looks.exact:
                return Outcome("fail", (Clue(code="differs"),))
            alike = zip(seen.text, wanted, strict=False)
            same = next((at for at, (a, b) in enumerate(alike) if a != b), None)
            at = min(len(seen.text), len(wanted)) if same is None else same
            return Outcome("fail", (Clue(code="differs", start=seen.origin(at)),))

        return check

    def contribution(self, params: EqualsParams, document: bytes | None) -> Fraction:  # noqa: ARG002
        """Return 1: one text passes."""
        return Fraction(1)
