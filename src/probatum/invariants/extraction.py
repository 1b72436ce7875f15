"""Finding the JSON of an answer that wraps it in a code block or in prose.

Answers are hostile, so the search reads every character a few times at most,
and a depth limit, not the machine's stack, ends it.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from probatum.canonical import MAX_DEPTH
from probatum.invariants.parsing import Parsed, parse
from probatum.records.judgment import Clue

_FENCE: Final = "```"
_INFO: Final = re.compile(r"json\b", re.IGNORECASE)

_SPACE: Final = r"[ \t\n\r]*+"
_STRING: Final = r'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{4})*+"'
_NUMBER: Final = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?"
# NaN and infinities are read here, so that the parser refuses them.
_WORD: Final = r"true|false|null|NaN|-?Infinity"

_start = re.compile(rf'\{{(?={_SPACE}["}}])|\[(?={_SPACE}[\]\[{{"0-9tfnNI-])').search
_key = re.compile(rf"{_SPACE}{_STRING}{_SPACE}:").match
_value = re.compile(rf"{_SPACE}(?:([\[{{])|{_STRING}|{_WORD}|{_NUMBER})").match
_after = re.compile(rf"{_SPACE}([,\]}}])").match
_CLOSER: Final = {"[": "]", "{": "}"}


def find(text: str) -> Parsed:
    """Read the JSON in a text.

    That is the first of these: the whole text; the first closed block between
    triple backticks, named ``json`` or not at all, that parses; the first
    complete object or array. What was read of one that breaks off is not
    searched for others, so that a part of a damaged answer is not taken for
    the answer. One that is ambiguous or too deep is refused, not skipped.
    """
    whole = parse(text)
    if whole.flaw is None:
        return whole
    for block in _blocks(text):
        found = parse(block)
        if found.flaw is None:
            return found
    at = 0
    while opening := _start(text, at):
        reach = _reach(text, opening.start())
        if reach.flaw is not None:
            return Parsed(None, reach.flaw)
        if reach.complete:
            return parse(text[opening.start() : reach.end])
        at = reach.end
    return Parsed(None, Clue(code="not-json"))


def _blocks(text: str) -> Iterator[str]:
    """Yield what closed blocks hold, without the name of the language."""
    for block in text.split(_FENCE)[1:-1:2]:
        info = _INFO.match(block)
        content = block[info.end() :] if info else block
        if content and not content.isspace():
            yield content


class _Reach(NamedTuple):
    """How far a value goes: to its end, or to what is no JSON."""

    end: int
    complete: bool = False
    flaw: Clue | None = None


def _reach(text: str, at: int) -> _Reach:
    """Follow the object or array that opens at `at`."""
    closers: list[str] = []
    while True:
        if closers and closers[-1] == "}":
            key = _key(text, at)
            if key is None:
                return _Reach(at)
            at = key.end()
        value = _value(text, at)
        if value is None:
            return _Reach(at)
        at = value.end()
        if value[1]:
            if len(closers) == MAX_DEPTH:
                return _Reach(at, flaw=Clue(code="too-deep"))
            closers.append(_CLOSER[value[1]])
            follows = _after(text, at)
            if follows is None or follows[1] != closers[-1]:
                continue
        while True:
            follows = _after(text, at)
            if follows is None:
                return _Reach(at)
            if follows[1] == ",":
                at = follows.end()
                break
            if follows[1] != closers.pop():
                return _Reach(at)
            at = follows.end()
            if not closers:
                return _Reach(at, complete=True)
