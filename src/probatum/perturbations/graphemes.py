"""Cutting text into what a reader sees as one character.

The rules are those of extended grapheme clusters (Unicode Standard Annex 29)
without their property tables: marks, joiners, emoji modifiers and variation
selectors stay with their base, Hangul syllables, flags and emoji sequences
stay whole, and so do Indic conjuncts. Where a short rule and the annex
differ, the rule joins more, so that nothing is ever cut that a reader sees as
one.
"""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import Final

from probatum.plugins.unicode14 import category

_ZWJ: Final = "\u200d"
_VIRAMA: Final = 9  # canonical combining class
_EXTENDING: Final = frozenset(
    "\u200c\u200d"  # joiners
    "\u0e33\u0eb3"  # Thai and Lao AM, letters by category
    "\uff9e\uff9f"  # half-width voicing marks
)
_PREPEND: Final = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e"
    "\U000110bd\U000110cd\U000111c2\U000111c3\U0001193f\U00011941\U00011a3a"
    "\U00011a84\U00011a85\U00011a86\U00011a87\U00011a88\U00011a89"
)


def starts(text: str) -> list[int]:
    """Return the offset in code points at which each cluster starts.

    Time is linear in the length of the text.
    """
    if not text:
        return []
    if text.isascii() and "\r" not in text:
        return list(range(len(text)))
    found = [0]
    flags = 1 if is_flag_half(text[0]) else 0
    for at in range(1, len(text)):
        before, here = text[at - 1], text[at]
        flag = is_flag_half(here)
        if not _joined(before, here) and not (flag and flags % 2):
            found.append(at)
        flags = flags + 1 if flag else 0
    return found


def split(text: str) -> list[str]:
    """Return the clusters of the text; joined they are the text."""
    return [text[start:end] for start, end in pairwise([*starts(text), len(text)])]


def is_flag_half(character: str) -> bool:
    """Say whether it is a regional indicator, two of which make a flag."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def extends(character: str) -> bool:
    """Say whether it stays with whatever character comes before it."""
    return (
        character in _EXTENDING
        or category(character)[0] == "M"
        or "\U0001f3fb" <= character <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= character <= "\U000e007f"  # tags
    )


def holds_next(character: str) -> bool:
    """Say whether the character after it may stay with it, by its own nature."""
    return (
        character == _ZWJ
        or character in _PREPEND
        or is_flag_half(character)
        or "\u1100" <= character <= "\u115f"
        or "\ua960" <= character <= "\ua97c"
        or unicodedata.combining(character) == _VIRAMA
    )


def is_loose_jamo(character: str) -> bool:
    """Say whether it is a Hangul vowel or final, which joins what is before it."""
    return "\u1160" <= character <= "\u11ff" or "\ud7b0" <= character <= "\ud7fb"


def _joined(before: str, here: str) -> bool:
    if before.isascii() and here.isascii():
        return before == "\r" and here == "\n"
    if _is_control(before) or _is_control(here):
        return False
    if extends(here) or before in _PREPEND:
        return True
    if before == _ZWJ:
        return category(here)[0] in "SL" or _is_emoji(here)
    if unicodedata.combining(before) == _VIRAMA:
        return category(here) == "Lo"
    return _is_hangul(before) and _joined_hangul(before, here)


def _is_control(character: str) -> bool:
    kind = category(character)
    return kind in ("Cc", "Zl", "Zp") or (
        kind == "Cf" and character not in _PREPEND and not extends(character)
    )


def _is_emoji(character: str) -> bool:
    return "\U0001f000" <= character <= "\U0001fffd"


def _is_hangul(character: str) -> bool:
    return (
        "\u1100" <= character <= "\u11ff"
        or "\ua960" <= character <= "\ua97c"
        or "\uac00" <= character <= "\ud7fb"
    )


def _joined_hangul(before: str, here: str) -> bool:
    if "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97c":
        return _is_hangul(here)
    return is_loose_jamo(here)
