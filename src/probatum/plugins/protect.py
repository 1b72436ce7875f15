"""Finding the spans that carry the facts under test, which no edit may touch.

A perturbation asks whether the system copes with an unclean question, not
with another one: a changed amount or address makes the expected answer wrong.

Every pattern begins at a fixed character or takes a whole possessive run of
one class, so that time is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from probatum.plugins.matching import fold, occurrences
from probatum.plugins.protocols import Span
from probatum.plugins.unicode14 import assigned

_FENCE: Final = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)", re.MULTILINE)
_TICKS: Final = re.compile(r"`++")
_URL: Final = re.compile(
    r"(?<![A-Za-z0-9+.-])(?:[A-Za-z][A-Za-z0-9+.-]{1,15}+://|www\.)[^\s<>\"'`]++"
)
_TOKEN: Final = re.compile(r"[^\s<>()\[\]{},;:\"'`]++")
_NUMBER: Final = re.compile(
    "[-+\u2212$\u20ac\u00a3\u00a5]?+\\w++"
    "(?:[.,:/'\u2019\u2212\u00a0\u202f-](?=\\d)\\w++)*+[%\u2030\u00b0]?+"
)
_DIGIT: Final = re.compile(r"\d")
_TEMPLATE: Final = re.compile(
    r"\{\{[^{}\n]{1,200}+\}\}|\$?\{[^{}\n]{1,200}+\}|\{%[^{}\n]{1,200}+%\}"
    r"|\$[A-Za-z_]\w*+|%\([^()\n]{1,100}+\)[a-z]"
)


def protected_spans(text: str, values: Iterable[str] = ()) -> tuple[Span, ...]:
    """Return the spans of `text` that hold facts, sorted and apart.

    They are numbers and identifiers with digits, URLs, e-mail addresses, code
    in back-ticks or fences, template variables, and every occurrence of one
    of `values`, whatever its case.

    Args:
        text: Plain text of any length and content.
        values: What the invariants of the case look for.
    """
    if not text.isascii():
        # What only later Unicode releases know must not move a draw.
        text = "".join(c if assigned(c) else " " for c in text)
    found = [
        *_code(text),
        *(match.span() for match in _URL.finditer(text)),
        *(match.span() for match in _TEMPLATE.finditer(text)),
        *(m.span() for m in _NUMBER.finditer(text) if _DIGIT.search(text, *m.span())),
        *_addresses(text),
        *_values(text, values),
    ]
    return merged(found)


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return spans sorted, with those that touch or overlap made one."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return tuple(result)


def _addresses(text: str) -> Iterator[Span]:
    if "@" not in text:
        return
    for match in _TOKEN.finditer(text):
        name, _, domain = match.group().partition("@")
        if name and "@" not in domain and "." in domain.strip("."):
            yield match.span()


def _values(text: str, values: Iterable[str]) -> Iterator[Span]:
    folded = fold(text)
    for value in sorted({value.casefold() for value in values if value.strip()}):
        for start, end in occurrences(folded.text, value):
            yield folded.span(start, end)


def _code(text: str) -> list[Span]:
    found: list[Span] = []
    done = 0
    opened: tuple[int, str] | None = None
    for match in _FENCE.finditer(text):
        fence = match.group(1)
        if opened is None:
            opened = (match.start(), fence)
        elif fence.startswith(opened[1]):
            found += [*_inline(text, done, opened[0]), (opened[0], match.end())]
            done, opened = match.end(), None
    if opened is not None:
        return [*found, *_inline(text, done, opened[0]), (opened[0], len(text))]
    return [*found, *_inline(text, done, len(text))]


def _inline(text: str, start: int, end: int) -> list[Span]:
    runs = [match.span() for match in _TICKS.finditer(text, start, end)]
    partner: list[int | None] = [None] * len(runs)
    latest: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        size = runs[index][1] - runs[index][0]
        partner[index] = latest.get(size)
        latest[size] = index
    found: list[Span] = []
    index = 0
    while index < len(runs):
        closing = partner[index]
        if closing is None or text.find("\n\n", runs[index][1], runs[closing][0]) >= 0:
            index += 1
            continue
        found.append((runs[index][0], runs[closing][1]))
        index = closing + 1
    return found
