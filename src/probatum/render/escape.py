"""Making text from evidence harmless to a terminal.

Evidence may hold anything: escape sequences that repaint a screen, marks that
turn the reading direction, characters that cannot be seen. All of them are
shown as code points instead.
"""

from __future__ import annotations

import re
from typing import Final

_HARMFUL: Final = (
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, fillers, marks
    "\u200b-\u200f\u2028-\u202f\u205f-\u206f"  # zero width, separators, embeddings, isolates
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"  # fillers, selectors, BOM, specials
    "\ud800-\udfff"
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"  # number and sign marks
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # format marks
    "\U000e0000-\U000e0fff"  # tags, selectors
    "]"
)

_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    """Return `text` on one line, with every invisible or active character spelled out.

    A backslash stays as it is: what is shown is for reading, not for parsing.
    """
    return text if _plain(text) else re.sub(_HARMFUL, _spell, text)


def shortened(text: str, limit: int) -> str:
    """Return `text` made harmless and cut to `limit` characters, saying how much is left out."""
    if len(text) <= limit:
        return visible(text)
    return f"{visible(text[:limit])}… (+{len(text) - limit} characters)"


def _plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _spell(match: re.Match[str]) -> str:
    char = match.group()
    code = ord(char)
    if char in _NAMED:
        return _NAMED[char]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"
