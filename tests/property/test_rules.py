"""What holds for every rule on every answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from probatum.canonical import encode_record
from probatum.digest import object_id
from probatum.invariants.normalize import STEPS, normalizer
from probatum.plugins.protocols import Check, Outcome
from probatum.plugins.registry import RULES, Registry
from probatum.records.base import InvariantId, OutputId
from probatum.records.judgment import Judgment

SCHEMA = {
    "type": ["object", "array", "string", "number"],
    "required": ["a"],
    "properties": {"a": {"type": "integer", "multipleOf": 0.1}, "b": {"pattern": "^(x+)+$"}},
    "patternProperties": {"^c": {"uniqueItems": True}},
    "additionalProperties": {"$ref": "#"},
    "items": {"$ref": "#"},
}
PARAMS: dict[str, list[dict[str, Any]]] = {
    "contains": [{"values": ["a", "\u00df"]}, {"values": ["0", "q"], "mode": "any"}],
    "not_contains": [{"values": ["a", "SS"]}],
    "equals": [{"value": "a"}, {"value": "\u00df", "case_sensitive": False, "strip": False}],
    "one_of": [{"values": ["a", "0"]}, {"values": ["SS"], "case_sensitive": False}],
    "regex": [{"pattern": "(a|b)*c"}, {"pattern": "^.$", "negate": True, "dot_all": True}],
    "length": [{"min": 2, "max": 9}, {"max": 3, "unit": "words"}, {"min": 2, "unit": "lines"}],
    "json_valid": [{}],
    "schema_match": [{"schema": SCHEMA}, {"schema": SCHEMA, "extract": True}],
}
PROFILES: list[tuple[str, ...]] = [(), ("nfkc", "case"), tuple(STEPS)]

# Lone surrogates included: a check is total even where a record is not.
texts = st.text(st.characters(), max_size=60) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), inner, max_size=3)
    ),
    max_leaves=8,
).map(json.dumps)
words = st.text(st.sampled_from("abC\u00df\u0130\u017f \u200b"), min_size=1, max_size=4)


def prepared(rule: str, normalize: tuple[str, ...] = (), **params: Any) -> Check:
    found = Registry().rule(rule)
    made = msgspec.convert(params, found.params)
    return found.prepare(made, found.document(made), normalize)


CHECKS = [
    (rule, profile, prepared(rule, profile, **params))
    for rule, choices in PARAMS.items()
    for params in choices
    for profile in PROFILES
]


def storable(outcome: Outcome) -> None:
    record = Judgment(
        invariant=InvariantId(object_id("invariant", b"")),
        subject=OutputId(object_id("output", b"")),
        result=outcome.result,
        evidence=outcome.clues,
        reason=msgspec.UNSET if outcome.reason is None else outcome.reason,
    )
    assert encode_record(record)


def test_every_rule_is_tried() -> None:
    assert set(PARAMS) == set(RULES)


@given(texts)
@example("\x00\x1b[31m\x7f\u202e\u05d0\ufffe\U0010ffff")
@example("\ud835")
def test_a_check_is_total(text: str) -> None:
    for rule, profile, check in CHECKS:
        outcome = check(text)
        assert outcome.result in ("pass", "fail"), rule
        assert len(outcome.clues) <= 8
        storable(outcome)
        for clue in outcome.clues:
            if clue.start is not msgspec.UNSET:
                assert not profile
                end = clue.start if clue.end is msgspec.UNSET else clue.end
                assert 0 <= clue.start <= end <= len(text)
        assert check(text) == outcome


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "\u00df\u0301" * 50_000,
        "\U0001f469\u200d" * 50_000,
        "\x00" * 100_000,
        "[" * 100_000,
        '{"a":' * 100_000,
        "a\n " * 33_000,
        "\ud800" * 100_000,
    ],
    ids=range(8),
)
def test_a_check_takes_long_text(text: str) -> None:
    for rule, _, check in CHECKS:
        assert check(text).result in ("pass", "fail"), rule


@given(texts, st.lists(words, min_size=1, max_size=3))
def test_not_contains_is_not_contains_any(text: str, values: list[str]) -> None:
    any_of = prepared("contains", values=values, mode="any")(text)
    none_of = prepared("not_contains", values=values)(text)
    assert {any_of.result, none_of.result} == {"pass", "fail"}


@given(st.text(st.sampled_from("abC\u00dfs\u0130\u017f \u200b"), max_size=12), words, words)
def test_more_text_keeps_what_it_contains(text: str, value: str, more: str) -> None:
    check = prepared("contains", values=[value])
    if check(text).result == "pass":
        assert check(text + more).result == "pass"
        assert check(more + text).result == "pass"


@given(st.text(st.sampled_from("abC\u00dfsS\u0130\u017f "), max_size=12), words)
def test_a_span_shows_the_value(text: str, value: str) -> None:
    outcome = prepared("contains", values=[value])(text)
    for clue in outcome.clues:
        if clue.code == "found":
            assert value.casefold() in text[clue.start : clue.end].casefold()


@given(words.filter(str.strip))
def test_equals_implies_the_weaker_rules(value: str) -> None:
    text = value.strip()
    weaker: list[Callable[[str], Outcome]] = [
        prepared("equals", value=value),
        prepared("one_of", values=["?", value]),
        prepared("contains", values=[text], case_sensitive=True),
        prepared("length", min=len(text), max=len(text)),
    ]
    assert [check(text).result for check in weaker] == ["pass"] * 4


@given(texts, st.sampled_from(sorted(STEPS)))
def test_a_step_taken_twice_is_taken_once(text: str, step: str) -> None:
    apply = normalizer((step,))
    assert apply(apply(text)) == apply(text)


@given(texts)
def test_schema_match_is_stricter_than_json_valid(text: str) -> None:
    if prepared("schema_match", schema={})(text).result == "pass":
        assert prepared("json_valid")(text).result == "pass"


def test_extract_changes_nothing_where_all_of_the_answer_is_json() -> None:
    plain = prepared("schema_match", schema=SCHEMA)
    extracting = prepared("schema_match", schema=SCHEMA, extract=True)
    valid = prepared("json_valid")

    @given(texts)
    def hold(text: str) -> None:
        if valid(text).result == "pass":
            assert extracting(text) == plain(text)

    hold()
