"""Patterns in linear time."""

from __future__ import annotations

import time
from fractions import Fraction

import msgspec
import pytest

from probatum.errors import SpecError
from probatum.invariants.patterns import Pattern
from probatum.invariants.regex import RegexParams


@pytest.mark.parametrize(
    ("text", "params", "result", "clues"),
    [
        ("See ORD-42.", {"pattern": r"ORD-\d+"}, "pass", [("match", "ORD-42")]),
        ("See 42.", {"pattern": r"ORD-\d+"}, "fail", [("no-match",)]),
        ("\U0001f600 caf\u00e9!", {"pattern": r"\pL+"}, "pass", [("match", "caf\u00e9")]),
        ("ab", {"pattern": "a", "match": "whole"}, "fail", [("no-match",)]),
        ("ab", {"pattern": "a.", "match": "whole"}, "pass", [("match", "ab")]),
        ("ab", {"pattern": "a", "negate": True}, "fail", [("match", "a")]),
        ("b", {"pattern": "a", "negate": True}, "pass", []),
        ("B", {"pattern": "a|b", "ignore_case": True}, "pass", [("match", "B")]),
        ("x\nb", {"pattern": "^b$"}, "fail", [("no-match",)]),
        ("x\nb", {"pattern": "^b$", "multiline": True}, "pass", [("match", "b")]),
        ("x\nb", {"pattern": "x.b"}, "fail", [("no-match",)]),
        ("x\nb", {"pattern": "x.b", "dot_all": True}, "pass", [("match", "x\nb")]),
        ("", {"pattern": "^$"}, "pass", [("match", "")]),
        ("a\ud800b", {"pattern": "a\ufffdb"}, "pass", [("match", "a\ud800b")]),
    ],
)
def test_regex(judged, seen, text, params, result, clues):
    outcome = judged("regex", text, **params)
    assert (outcome.result, seen(text, outcome)) == (result, clues)


def test_a_profile_changes_the_answer_not_the_pattern(judged, seen):
    outcome = judged("regex", "A  B", normalize=("spaces", "case"), pattern="a b")
    assert (outcome.result, seen("", outcome)) == ("pass", [("match",)])
    assert judged("regex", "A", normalize=("case",), pattern="A").result == "fail"


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(.*)*x", "(a*)*(b*)*c$"])
def test_no_pattern_runs_away(judged, pattern):
    started = time.perf_counter()
    assert judged("regex", "a" * 100_000 + "!", pattern=pattern).result == "fail"
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    "pattern", ["(?=a)", "(?<!a)b", r"(a)\1", "(", "a)(b", "a{2000}", "((a{100}){100}){100}"]
)
def test_patterns_that_are_refused(judged, pattern):
    with pytest.raises(SpecError, match="cannot be used") as caught:
        judged("regex", "x", pattern=pattern)
    assert caught.value.code == "bad-pattern"
    assert "lookaround" in caught.value.hint


def test_a_surrogate_in_a_pattern_is_refused():
    with pytest.raises(SpecError, match="surrogate"):
        Pattern("\ud800")


@pytest.mark.parametrize(
    "params",
    [
        {"pattern": "a*"},
        {"pattern": "|x", "negate": True},
        {"pattern": ".*", "match": "whole", "dot_all": True},
        {"pattern": r"(?s)\A.*"},
    ],
)
def test_patterns_that_match_everything_are_refused(judged, params):
    with pytest.raises(SpecError, match="matches every text") as caught:
        judged("regex", "x", **params)
    assert caught.value.code == "vacuous-pattern"


def test_a_pattern_that_matches_some_texts_is_taken(judged):
    assert judged("regex", "x", pattern="^.$").result == "pass"


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"pattern": r"\d+"}, Fraction(1, 10)),
        ({"pattern": r"\d+", "match": "whole"}, Fraction(1, 5)),
        ({"pattern": r"[a-z]{3}(?:order)\w(?i)" + "x" * 10}, Fraction(15, 50)),
        ({"pattern": "x" * 80}, Fraction(1)),
        ({"pattern": "x" * 80, "negate": True}, Fraction(1, 50)),
    ],
)
def test_contribution(contribution, params, expected):
    assert contribution("regex", **params) == expected


@pytest.mark.parametrize("params", [{}, {"pattern": ""}, {"pattern": "a", "match": "some"}])
def test_params_without_meaning_are_refused(params):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(params, RegexParams)
