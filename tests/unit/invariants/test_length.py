"""Counting characters, words and lines."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import pytest

from probatum.invariants.length import LengthParams


@pytest.mark.parametrize(
    ("text", "params", "result", "clues"),
    [
        ("abc", {"min": 3, "max": 3}, "pass", []),
        ("ab", {"min": 3}, "fail", [("too-short", "2")]),
        ("abcd", {"max": 3}, "fail", [("too-long", "4")]),
        ("\U0001f600e\u0301", {"max": 3}, "pass", []),
        ("a  b\nc", {"max": 2, "unit": "words"}, "fail", [("too-long", "3")]),
        ("", {"min": 1, "unit": "words"}, "fail", [("too-short", "0")]),
        ("a\nb\r\nc\n", {"min": 3, "max": 3, "unit": "lines"}, "pass", []),
    ],
)
def test_length(judged, seen, text, params, result, clues):
    outcome = judged("length", text, **params)
    assert (outcome.result, seen(text, outcome)) == (result, clues)


def test_a_profile_is_applied_before_counting(judged):
    assert judged("length", " a   b ", normalize=("spaces",), max=3).result == "pass"


def test_contribution(contribution):
    assert contribution("length", min=1) == Fraction(1, 10)
    assert contribution("length", min=1, max=9) == Fraction(1, 5)


@pytest.mark.parametrize(
    "params", [{}, {"unit": "words"}, {"min": 2, "max": 1}, {"min": -1}, {"max": 1, "unit": "m"}]
)
def test_params_without_meaning_are_refused(params):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(params, LengthParams)


def test_a_bound_that_is_not_given_is_not_stored():
    assert msgspec.json.encode(LengthParams(max=1)) == b'{"max":1,"unit":"characters"}'
