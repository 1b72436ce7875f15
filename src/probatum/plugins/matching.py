"""Finding given values in text without regard to case, in linear time.

Case folding can change the length of text (``ß`` folds to ``ss``), so the
offsets of a match are carried back to code points of the text as it was.
"""

from collections.abc import Iterator
from typing import NamedTuple


class Folded(NamedTuple):
    """Text for matching, with the way back.

    Attributes:
        text: What is searched.
        offsets: For each code point of `text` the offset of the one it came
            from; nothing when they are the same.
        before: How many code points were dropped at the front.
    """

    text: str
    offsets: tuple[int, ...] | None = None
    before: int = 0

    def origin(self, at: int) -> int:
        """Return where in the original the code point `at` came from, or would stand."""
        if self.offsets is None:
            return self.before + at
        if at < len(self.offsets):
            return self.before + self.offsets[at]
        return self.before + (self.offsets[-1] + 1 if self.offsets else 0)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that a non-empty match covers."""
        return self.origin(start), self.origin(end - 1) + 1


def fold(text: str) -> Folded:
    """Return the text without its case."""
    folded = text.casefold()
    if len(folded) == len(text):
        return Folded(folded)
    return Folded(
        folded, tuple(at for at, character in enumerate(text) for _ in character.casefold())
    )


def occurrences(text: str, value: str) -> Iterator[tuple[int, int]]:
    """Yield the spans where `value` stands in `text`, left to right, apart."""
    at = text.find(value) if value else -1
    while at >= 0:
        yield at, at + len(value)
        at = text.find(value, at + len(value))
