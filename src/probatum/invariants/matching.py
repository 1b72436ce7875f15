"""What the rules that look for values in text have in common."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Annotated, Final, NamedTuple

from msgspec import Meta

from probatum.errors import SpecError
from probatum.invariants.normalize import normalizer
from probatum.plugins.matching import Folded, fold
from probatum.records.judgment import Clue

MAX_CLUES: Final = 8

Wanted = Annotated[str, Meta(min_length=1)]
"""A value to look for; an empty one is in every text and tests nothing."""


class View(NamedTuple):
    """How text is looked at: as it is, without case, or through a profile.

    Attributes:
        of: Turns text into what is searched.
        exact: Offsets lead back to the raw output, so that spans can be given.
    """

    of: Callable[[str], Folded]
    exact: bool


def view(*, case_sensitive: bool, normalize: Sequence[str], strip: bool = False) -> View:
    """Return the way that text and values are looked at.

    Args:
        case_sensitive: Keep letter case.
        normalize: Steps of a profile, applied before all else.
        strip: Drop white space before and after.

    Raises:
        SpecError: If a normalisation step is not known.
    """
    apply = normalizer(normalize)

    def of(text: str) -> Folded:
        if normalize:
            text = apply(text)
        if not strip:
            return Folded(text) if case_sensitive else fold(text)
        kept = text.lstrip()
        before = len(text) - len(kept)
        kept = kept.rstrip()
        seen = Folded(kept) if case_sensitive else fold(kept)
        return seen._replace(before=before)

    return View(of, exact=not normalize)


def needles(looks: View, values: Iterable[str]) -> tuple[str, ...]:
    """Return the values as they are looked for.

    Raises:
        SpecError: If the profile leaves nothing of a value.
    """
    found = []
    for value in values:
        needle = looks.of(value).text
        if not needle:
            raise SpecError(
                f"nothing is left of the value {value!r} after normalisation",
                code="empty-value",
                hint="every text contains it; drop the value or the normalisation step",
            )
        found.append(needle)
    return tuple(found)


def found_clue(looks: View, text: Folded, needle: str, item: int, at: int) -> Clue:
    """Return the clue that a value stands at offset `at` of the searched text."""
    if not looks.exact:
        return Clue(code="found", item=item)
    start, end = text.span(at, at + len(needle))
    return Clue(code="found", item=item, start=start, end=end)


def by_length(values: Iterable[str]) -> Fraction:
    """Return min(1, total length in code points / 50).

    Longer values leave fewer texts that satisfy a rule.
    """
    return min(Fraction(1), Fraction(sum(map(len, values)), 50))
