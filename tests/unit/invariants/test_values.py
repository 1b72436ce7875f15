"""contains, not_contains, equals, one_of: values in text."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import pytest

from probatum.errors import SpecError
from probatum.plugins.registry import Registry


def test_contains_finds_every_value(judged, seen):
    text = "Within 30 Days, by Post"
    outcome = judged("contains", text, values=["30 days", "POST"])
    assert outcome.result == "pass"
    assert seen(text, outcome) == [("found", 0, "30 Days"), ("found", 1, "Post")]


def test_contains_says_what_is_missing(judged, seen):
    outcome = judged("contains", "nothing", values=["a", "thing", "b"])
    assert outcome.result == "fail"
    assert seen("", outcome) == [("missing", 0), ("missing", 2)]


@pytest.mark.parametrize(("text", "result"), [("x b", "pass"), ("x", "fail")])
def test_contains_any(judged, text, result):
    assert judged("contains", text, values=["a", "b"], mode="any").result == result


def test_contains_with_case(judged):
    assert judged("contains", "abc", values=["ABC"], case_sensitive=True).result == "fail"
    assert judged("contains", "ABC", values=["ABC"], case_sensitive=True).result == "pass"


def test_spans_are_code_points_of_the_raw_output(judged, seen):
    text = "\U0001f600\u00df STRASSE stra\u00dfe, \u0130stanbul"
    outcome = judged("contains", text, values=["STRA\u00dfE", "s s", "stanbul"])
    assert seen(text, outcome) == [
        ("found", 0, "STRASSE"),
        ("found", 1, "\u00df S"),
        ("found", 2, "stanbul"),
    ]


def test_spans_are_left_out_under_a_profile(judged, seen):
    outcome = judged("contains", "A  b", normalize=("spaces",), values=["a b"])
    assert (outcome.result, seen("", outcome)) == ("pass", [("found", 0)])


@pytest.mark.parametrize(
    ("text", "value", "steps"),
    [
        ("30\u202fdays", "30 days", ("spaces",)),
        ("can\u2019t", "can't", ("quotes",)),
        ("a\u200bb", "ab", ("zero-width",)),
        ("\u2212 5", "- 5", ("dashes",)),
        ("\ufb01le", "file", ("nfkc",)),
        ("e\u0301t\u00e9", "\u00e9te\u0301", ("nfc",)),
    ],
)
def test_what_only_a_profile_folds(judged, text, value, steps):
    for case_sensitive in (True, False):
        params = {"values": [value], "case_sensitive": case_sensitive}
        assert judged("contains", text, normalize=steps, **params).result == "pass"
        if steps != ("nfkc",):
            assert judged("contains", text, **params).result == "fail"


def test_at_most_eight_clues(judged):
    values = [str(n) for n in range(20)]
    assert len(judged("contains", "x", values=values).clues) == 8
    assert len(judged("contains", " ".join(values), values=values).clues) == 8
    assert len(judged("not_contains", " ".join(values), values=values).clues) == 8


def test_not_contains(judged, seen):
    assert judged("not_contains", "fine", values=["sorry"]).clues == ()
    outcome = judged("not_contains", "I am Sorry", values=["as an AI", "sorry"])
    assert outcome.result == "fail"
    assert seen("I am Sorry", outcome) == [("found", 1, "Sorry")]
    assert judged("not_contains", "Sorry", values=["sorry"], case_sensitive=True).result == "pass"


@pytest.mark.parametrize(
    ("text", "params", "at"),
    [
        ("yes", {}, None),
        (" yes\n", {}, None),
        ("yes ", {"strip": False}, 3),
        ("Yes", {}, 0),
        ("Yes", {"case_sensitive": False}, None),
        (" yess", {}, 4),
        ("  ye", {}, 4),
        (" \n ", {}, 0),
        ("\u00dfyno", {"case_sensitive": False, "value": "ssyes"}, 2),
        ("\u00df", {"case_sensitive": False, "value": "ssy"}, 1),
        ("yes\u00df", {"case_sensitive": False}, 3),
    ],
)
def test_equals(judged, text, params, at):
    outcome = judged("equals", text, **{"value": "yes", **params})
    assert outcome.result == ("pass" if at is None else "fail")
    expected = [("differs", len(text) - len(text.lstrip()) if at == 0 else at)]
    assert [(clue.code, clue.start) for clue in outcome.clues] == (
        [] if at is None else expected if text.strip() else [("differs", len(text))]
    )


def test_equals_under_a_profile(judged):
    assert judged("equals", "A\u00a0b", normalize=("case", "spaces"), value="a B").result == "pass"
    (clue,) = judged("equals", "x", normalize=("case",), value="y").clues
    assert (clue.code, clue.start) == ("differs", msgspec.UNSET)


def test_one_of(judged, seen):
    assert seen("", judged("one_of", " b\n", values=["a", "b", "B"])) == [("found", 1)]
    assert seen("", judged("one_of", "c", values=["a", "b"])) == [("not-listed",)]
    assert judged("one_of", "B", values=["a", "b"]).result == "fail"
    assert judged("one_of", "B", values=["a", "b"], case_sensitive=False).result == "pass"
    assert judged("one_of", "a ", values=["a"], strip=False).result == "fail"


@pytest.mark.parametrize(
    ("rule", "params", "expected"),
    [
        ("contains", {"values": ["yes"]}, Fraction(3, 50)),
        ("contains", {"values": ["x" * 30, "y" * 30]}, Fraction(1)),
        ("contains", {"values": ["x" * 30, "y"], "mode": "any"}, Fraction(1, 50)),
        ("not_contains", {"values": ["a", "b"]}, Fraction(2, 50)),
        ("not_contains", {"values": ["a"] * 99}, Fraction(1, 5)),
        ("equals", {"value": "a"}, Fraction(1)),
        ("one_of", {"values": ["a", "b", "b"]}, Fraction(1, 2)),
    ],
)
def test_contributions(contribution, rule, params, expected):
    assert contribution(rule, **params) == expected


@pytest.mark.parametrize(
    ("rule", "params"),
    [
        ("contains", {}),
        ("contains", {"values": []}),
        ("contains", {"values": ["a", ""]}),
        ("contains", {"values": ["a"], "mode": "some"}),
        ("contains", {"values": "a"}),
        ("not_contains", {"values": [""]}),
        ("equals", {"value": ""}),
        ("one_of", {"values": []}),
        ("one_of", {"values": ["a"], "value": "a"}),
    ],
)
def test_params_without_meaning_are_refused(rule, params):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(params, Registry().rule(rule).params)


@pytest.mark.parametrize("rule", ["contains", "not_contains", "one_of"])
def test_a_value_of_which_nothing_is_left_is_refused(judged, rule):
    with pytest.raises(SpecError, match="nothing is left") as caught:
        judged(rule, "x", normalize=("zero-width",), values=["a", "\u200b"])
    assert caught.value.code == "empty-value"


def test_a_blank_value_under_strip_is_refused(judged):
    with pytest.raises(SpecError, match="nothing is left"):
        judged("equals", "x", value=" ")


@pytest.mark.parametrize(
    ("rule", "params", "expected"),
    [
        ("contains", {"values": ["a", "b"]}, ["a", "b"]),
        ("not_contains", {"values": ["a"]}, ["a"]),
        ("equals", {"value": "x"}, ["x"]),
        ("one_of", {"values": ["p"]}, ["p"]),
    ],
)
def test_what_a_perturbation_must_keep(rule, params, expected):
    found = Registry().rule(rule)
    assert list(found.sought(msgspec.convert(params, found.params))) == expected
