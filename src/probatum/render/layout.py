"""Columns and styles for a terminal, as plain strings."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Final

Style = Callable[[str, str], str]
"""Takes text and a role (``good``, ``warn``, ``bad``, ``dim``, ``strong``) to text."""

MARGIN: Final = "   "


def plain(text: str, role: str) -> str:
    """Return `text` without any style."""
    del role
    return text


def width(text: str) -> int:
    """Return how many columns of a terminal harmless text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def pad(text: str, columns: int) -> str:
    """Return `text` filled up with spaces to a width."""
    return text + " " * (columns - width(text))


def table(
    rows: Sequence[Sequence[str]], roles: Sequence[Sequence[str]] = (), style: Style = plain
) -> list[str]:
    """Return rows as aligned lines, without trailing spaces.

    Args:
        rows: Cells of harmless text; all rows have equally many.
        roles: The style of each cell, parallel to `rows`; empty for none.
        style: Applied after alignment, so that it takes no room.
    """
    if not rows:
        return []
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for number, row in enumerate(rows):
        padded = [pad(cell, columns) for cell, columns in zip(row, widths, strict=True)]
        if number < len(roles):
            padded = [
                style(cell, role) if role else cell
                for cell, role in zip(padded, roles[number], strict=True)
            ]
        lines.append(MARGIN.join(padded).rstrip())
    return lines


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
