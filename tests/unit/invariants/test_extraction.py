"""JSON that stands in a code block or among words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probatum.canonical import foreign_json
from probatum.errors import CanonicalError, LimitError
from probatum.invariants.extraction import find

DEEP = "[" * 64 + "]" * 64


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (' {"a": 1}\n', {"a": 1}),
        ("3", 3),
        ('"see [1]"', "see [1]"),
        ('"```1```"', "```1```"),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ("Here:\n```\n[1]\n```\nand ```json\n[2]\n```", [1]),
        ("```JSON\n7\n```", 7),
        ('```json{"a": "b"}```', {"a": "b"}),
        ("[0] is wrong\n```json\n[1]\n```", [1]),
        ("```python\nd = 1\n```\n```json\n[1]\n```", [1]),
        ("```json\n{'a': 1}\n```\n```json\n[1]\n```", [1]),
        ("```\n\n```\n```\n[1]\n```", [1]),
        ('```json\n{"a": 1, "a": 2}\n```\n```json\n[1]\n```', [1]),
        ("```json5\n```\n[1]", [1]),
        ('```yaml\n{"a": 1}\n```', {"a": 1}),
        ('````json\n{"a": 1}\n````', {"a": 1}),
        ('```json\n{"a": "```", "b": [1]}\n```', {"a": "```", "b": [1]}),
        ('```json\n{"a": 1}', {"a": 1}),
        ('Sure: {"a": [{}, []], "b": {"c": null}}. [2]', {"a": [{}, []], "b": {"c": None}}),
        ('a [x] {b} {"c"} ["d" {"e": 1}', {"e": 1}),
        ('["\\u00e9\\n", -1.5e+3, true, false]!', ["\u00e9\n", -1500.0, True, False]),
        ('{see {"a": 1}}', {"a": 1}),
        ('"quoted {"a": 1}', {"a": 1}),
        ('["a\tb"] [1]', [1]),
        ('["\\x"] [1]', [1]),
        ("[01] [1]", [1]),
        ("[1,] [2]", [2]),
        ('{"a": 1,} [2]', [2]),
        ("[1} [2]", [2]),
        ('{"a": 1] [2]', [2]),
        ("[ \r\n\t] x", []),
        ("so { } x", {}),
        (f"x {DEEP} y", json.loads(DEEP)),
    ],
)
def test_found(text: str, value: Any) -> None:
    assert find(text) == (value, None)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "not-json"),
        ("Paris", "not-json"),
        ("It is 7.", "not-json"),
        ("[", "not-json"),
        ('{"order": {"id": 1}, "lines": [', "not-json"),
        ('[{"id": 1}, {"id": 2}, {"i', "not-json"),
        ('{"a": NaN, "b": {"c": 1}}', "not-json"),
        ("so [-Infinity] or [1]", "not-json"),
        ("so [" + "9" * 5000 + "] or [1]", "not-json"),
        ('x {"a": 1, "a": 2} or [1]', "duplicate-key"),
        ('```json\n{"a": 1, "a": 2}\n```', "duplicate-key"),
        (f"x [{DEEP}] or [1]", "too-deep"),
        ("[" * 100_000, "too-deep"),
        ('{"a":' * 100_000, "too-deep"),
    ],
)
def test_not_found(text: str, code: str) -> None:
    value, flaw = find(text)
    assert (value, flaw and flaw.code) == (None, code)


@pytest.mark.parametrize(
    "unit",
    [
        *("[x", "{", '{"', '["\\"', '["\\"[', '{"a"{', '{"a":"', "[{}x", "`", "```json "),
        "[" * 63 + "x",
        "[" + " " * 50,
    ],
    ids=range(12),
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    flaw = find(unit * (300_000 // len(unit))).flaw
    assert flaw is not None
    assert flaw.code in ("not-json", "too-deep")


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
containers = st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=3), values, max_size=3)
prose = st.text(st.characters(exclude_characters='[{`"'), max_size=20)


@given(prose, containers, prose, st.sampled_from([None, 1]), st.booleans())
def test_what_stands_among_words_is_found(
    before: str, value: Any, after: str, indent: int | None, plain: bool
) -> None:
    written = json.dumps(value, indent=indent, ensure_ascii=plain)
    assert find(f"{before} {written} {after}") == (value, None)
    assert find(f"{before} ```json\n{written}\n``` {after}") == (value, None)


@given(st.text(st.sampled_from('[]{}",:1-.e \\nu0`'), max_size=14))
def test_it_reads_as_the_parser_does(text: str) -> None:
    """The first object or array, where it is complete, is what the parser reads there."""
    text = "[" + text.replace("`", "")
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError:
        end = 0
    found = find(text)
    if end:
        try:
            assert found == (foreign_json(text[:end]), None)
        except CanonicalError:
            assert found.flaw is not None
    elif found.flaw is None:
        assert found.value in list(_complete(text))


def _complete(text: str) -> Any:
    for at in range(len(text)):
        try:
            yield json.JSONDecoder().raw_decode(text, at)[0]
        except json.JSONDecodeError:
            continue


@given(st.text(max_size=40) | values.map(json.dumps))
def test_whole_json_is_never_searched(text: str) -> None:
    try:
        whole = foreign_json(text)
    except (CanonicalError, LimitError):
        return
    assert find(text) == (whole, None)
