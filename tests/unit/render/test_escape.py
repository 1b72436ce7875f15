"""Nothing that evidence brings can act on a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probatum.render.escape import shortened, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("é 日本 🙂", "é 日本 🙂"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\u202eabc\u2066", "\\u{202e}abc\\u{2066}"),
        ("zero\u200bwidth", "zero\\u{200b}width"),
        ("\x9b31m", "\\x9b31m"),
        ("\ud800", "\\u{d800}"),
        ("\U000e0041", "\\u{e0041}"),
        ("\u2028", "\\u{2028}"),
        ("back\\slash", "back\\slash"),
        ("", ""),
    ],
)
def test_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_every_active_or_invisible_character_is_spelled_out() -> None:
    left = [
        hex(code)
        for code, char in enumerate(map(chr, range(0x110000)))
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and visible(char) == char
    ]
    assert left == []


@given(st.text(alphabet=st.characters()))
def test_what_is_shown_is_shown_the_same_again(text: str) -> None:
    assert visible(visible(text)) == visible(text)


def test_shortened_says_how_much_is_left_out() -> None:
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefgh", 6) == "abcdef… (+2 characters)"
    assert shortened("\x1b" * 3, 1) == "\\x1b… (+2 characters)"
