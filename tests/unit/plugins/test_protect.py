"""Spans that carry facts."""

from __future__ import annotations

import time

import pytest

from probatum.plugins.protect import merged, protected_spans


def parts(text: str, *values: str) -> list[str]:
    return [text[start:end] for start, end in protected_spans(text, values)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pay $1,234.50 now", ["$1,234.50"]),
        ("about 12%, or -3.5\u00b0", ["12%", "-3.5\u00b0"]),
        ("at 12:30 on 2026-01-02.", ["12:30", "2026-01-02"]),
        ("IBAN DE8937 ABC-123 v2", ["DE8937", "ABC-123", "v2"]),
        ("1\u202f000\u00a0km", ["1\u202f000"]),
        ("\u0663\u0664 and \u00bd", ["\u0663\u0664"]),
        ("see https://a.org/x?y=z#f, or www.b.org", ["https://a.org/x?y=z#f,", "www.b.org"]),
        ("mail a.b+c@ex-a.org; not a@b or @c.d", ["a.b+c@ex-a.org"]),
        ("run `ls -la` or ``a ` b``", ["`ls -la`", "``a ` b``"]),
        ("a ` b", []),
        ("a `b\n\nc` d", []),
        ("a\n```py\nx\n```\nb", ["```py\nx\n```"]),
        ("a\n~~~\nx\n```\ny", ["~~~\nx\n```\ny"]),
        ("`i` \n````\n```\n````\n`j`", ["`i`", "````\n```\n````", "`j`"]),
        ("Hi {name}, {{ user.x }} ${total} $home", ["{name}", "{{ user.x }}", "${total}", "$home"]),
        ("{% if a %} %(b)s {", ["{% if a %}", "%(b)s"]),
        ("plain words - only.", []),
        ("", []),
    ],
)
def test_what_is_found(text, expected):
    assert parts(text) == expected


def test_values_are_found_in_any_case():
    assert parts("In STRASSE and stra\u00dfe, JACKETs", "Stra\u00dfe", "jacket", "", " ") == [
        "STRASSE",
        "stra\u00dfe",
        "JACKET",
    ]


def test_touching_spans_are_one():
    assert merged([(5, 6), (1, 3), (3, 4), (2, 3)]) == ((1, 4), (5, 6))


def test_later_characters_move_nothing():
    # U+1E4F0 is a digit since Unicode 15; Python 3.11 does not know it.
    assert parts("a\U0001e4f0b") == []


@pytest.mark.parametrize(
    "text",
    [
        "`" * 100_000,
        "".join("`" * n + "a" for n in range(440)),
        "a" * 100_000,
        "a:" * 50_000,
        "1." * 50_000,
        "{" * 100_000,
        "{a" * 50_000,
        "a@" * 50_000,
        "@." * 50_000,
        "~~~\n" * 25_000,
        "http" * 25_000,
        "\u00df" * 100_000,
    ],
)
def test_time_is_linear(text):
    started = time.perf_counter()
    found = protected_spans(text, ("a" * 100, "ss"))
    assert found == merged(found)
    assert time.perf_counter() - started < 5
