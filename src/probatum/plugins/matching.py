"""Finding given values in text without regard to case, in linear time.

Case folding can change the length of text (``ß`` folds to ``ss``), so the
offsets of a match are carried back to code points of the text as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Folded(NamedTuple):
    """Text for matching, with the way back.

    Attributes:
        text: What is searched.
        offsets: For each code point of `text` the offset of the one it came
            from, and the end; nothing when they are the same.
    """

    text: str
    offsets: tuple[int, ...] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that a non-empty match covers."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end - 1] + 1


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
