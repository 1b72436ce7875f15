"""json_valid and schema_match: structured answers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest

from probatum.errors import SpecError
from probatum.invariants import schemas
from probatum.invariants.schema_match import SchemaMatch, SchemaMatchParams

ORDER = {
    "type": "object",
    "required": ["id", "lines"],
    "properties": {
        "id": {"type": "string", "pattern": "^[A-Z]"},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}, "uniqueItems": True},
    },
    "additionalProperties": False,
    "$defs": {
        "line": {"type": "object", "required": ["price"], "properties": {"price": {"minimum": 0}}}
    },
}


@pytest.mark.parametrize("text", ["1", ' {"a": [null]}\n', '"\\ud800"', "-0.0", "1e999"])
def test_json(judged, text):
    assert judged("json_valid", text).result == "pass"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "not-json"),
        ("Sure: {}", "not-json"),
        ("```json\n{}\n```", "not-json"),
        ("{'a': 1}", "not-json"),
        ('{"a": 1,}', "not-json"),
        ("NaN", "not-json"),
        ("-Infinity", "not-json"),
        ("\ufeff{}", "not-json"),
        ("9" * 5000, "not-json"),
        ('{"a": 1, "a": 1}', "duplicate-key"),
        ("[" * 65 + "]" * 65, "too-deep"),
        ("[" * 100_000, "too-deep"),
    ],
)
def test_not_json(judged, seen, text, code):
    for rule, params in (("json_valid", {}), ("schema_match", {"schema": {}})):
        outcome = judged(rule, text, **params)
        assert (outcome.result, seen(text, outcome)) == ("fail", [(code,)])


@pytest.mark.parametrize(
    ("text", "clues"),
    [
        ('```json\n{"id": "A", "lines": []}\n```', []),
        ('The order: {"id": "a", "lines": []}.', [("schema", "/id pattern")]),
        ('```json\n{"id": "A"}\n```\n{"id": "A", "lines": []}', [("schema", "/lines required")]),
        ('{"id": "A", "lines": [{"price": 1}', [("not-json",)]),
        ('so {"id": 1e999}', [("out-of-range",)]),
        ("no order", [("not-json",)]),
    ],
)
def test_extract(judged, seen, text, clues):
    outcome = judged("schema_match", text, schema=ORDER, extract=True)
    assert (outcome.result, seen(text, outcome)) == ("fail" if clues else "pass", clues)
    assert judged("schema_match", text, schema=ORDER).clues[0].code == "not-json"


def test_a_profile_is_applied_before_parsing(judged):
    assert judged("json_valid", "\u201ca\u201d", normalize=("quotes",)).result == "pass"
    assert judged("schema_match", "{}\u200b", ("zero-width",), schema=ORDER).result == "fail"
    assert judged("schema_match", "{}\u200b", ("zero-width",), schema={}).result == "pass"


@pytest.mark.parametrize(
    ("text", "clues"),
    [
        ('{"id": "A", "lines": [{"price": 1}]}', []),
        ('{"id": "A"}', ["/lines required"]),
        ("[]", ["type"]),
        ('{"id": "a", "lines": []}', ["/id pattern"]),
        ('{"id": "A", "lines": [{}]}', ["/lines/0/price required"]),
        (
            '{"id": "A", "lines": [], "z": 1, "y/~": 2}',
            ["/z additionalProperties", "/y~1~0 additionalProperties"],
        ),
        (
            '{"id": "A", "lines": [{"price": -1}, {"price": -1.0}]}',
            [
                "/lines/0/price minimum",
                "/lines/1/price minimum",
                "/lines uniqueItems",
            ],
        ),
    ],
)
def test_schema(judged, seen, text, clues):
    outcome = judged("schema_match", text, schema=ORDER)
    assert outcome.result == ("fail" if clues else "pass")
    assert sorted(seen(text, outcome)) == sorted(("schema", clue) for clue in clues)


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"multipleOf": 0.1}, ["0.3", "7", '"x"'], ["0.35"]),
        ({"uniqueItems": True}, ['[1, true, "1", [1], [true], {"a": 1}, {"a": true}]', "{}"], [
            "[1, 1.0]",
            '[{"a": 1, "b": 2}, {"b": 2, "a": 1}]',
        ]),
        ({"uniqueItems": False}, ["[1, 1]"], []),
        ({"additionalProperties": {"type": "string"}}, ['{"a": "b"}', "1"], ['{"a": 1}']),
        ({"patternProperties": {"^x": {"type": "null"}}, "additionalProperties": False},
         ['{"xa": null}', "[]"], ['{"xa": 1}', '{"a": null}']),
        ({"required": ["a"]}, ["1", '{"a": 1}'], ["{}"]),
        ({"unevaluatedProperties": False, "properties": {"a": True}}, ['{"a": 1}'], ['{"b": 1}']),
        ({"unevaluatedItems": False, "prefixItems": [True]}, ["[1]"], ["[1, 2]"]),
        ({"pattern": "^a", "maxLength": 2}, ['"a"', "1"], ['"b"', '"aaa"']),
        ({"properties": {"a": False}}, ["{}"], ['{"a": 1}']),
        ({"$id": "http://example.org/s", "$ref": "http://example.org/s#/$defs/n",
          "$defs": {"n": {"type": "number"}}}, ["1"], ["true"]),
        ({"$defs": {"n": {"$anchor": "here", "type": "null"}}, "$ref": "#here"}, ["null"], ["0"]),
        ({"$ref": "#/kept/x", "kept": {"x": {"type": "integer"}}}, ["1.0"], ["1.5"]),
        ({"$dynamicRef": "#d", "$defs": {"d": {"$dynamicAnchor": "d", "const": 1}}}, ["1"], ["2"]),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, ['"a"'], ["1"]),
        ({"format": "email"}, ['"no"'], []),
    ],
)  # fmt: skip
def test_keywords(judged, schema, good, bad):
    assert [judged("schema_match", text, schema=schema).result for text in good] == (
        ["pass"] * len(good)
    )
    assert [judged("schema_match", text, schema=schema).result for text in bad] == (
        ["fail"] * len(bad)
    )


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ('{"a": 1}', "/a properties"),
        ('{"\\ud800": 1}', "/\ufffd type"),
        ('{"' + "k" * 500 + '": 1}', "/" + "k" * 193 + "\u2026 type"),
    ],
)
def test_details_can_be_stored(judged, seen, text, detail):
    schema = {"properties": {"a": False}, "additionalProperties": {"type": "string"}}
    outcome = judged("schema_match", text, schema=schema)
    assert seen(text, outcome) == [("schema", detail)]
    assert len(outcome.clues[0].detail) <= 200


def test_at_most_eight_clues(judged):
    text = "[" + ",".join(["1"] * 50) + "]"
    assert len(judged("schema_match", text, schema={"items": {"type": "string"}}).clues) == 8


@pytest.mark.parametrize("text", ["1e999", "[-1e999]", '{"a": 1' + "0" * 400 + "}"])
def test_numbers_out_of_range(judged, seen, text):
    outcome = judged("schema_match", text, schema={"multipleOf": 0.5})
    assert (outcome.result, seen(text, outcome)) == ("fail", [("out-of-range",)])


def test_a_schema_has_a_budget(judged, monkeypatch):
    monkeypatch.setattr(schemas, "_BUDGET", 5_000)
    deep = {f"n{n}": {"allOf": [{"$ref": f"#/$defs/n{n + 1}"}] * 2} for n in range(40)}
    bomb = {"$defs": {**deep, "n40": {}}, "$ref": "#/$defs/n0"}
    outcome = judged("schema_match", "1", schema=bomb)
    assert (outcome.result, outcome.reason) == ("unjudged", "schema-work")
    items = {"items": {"type": "integer"}}
    assert judged("schema_match", str(list(range(4000))), schema=items).result == "pass"
    assert judged("schema_match", str(list(range(6000))), schema=items).result == "unjudged"


def test_keywords_that_take_quadratic_time_elsewhere(judged):
    evil = {"patternProperties": {"(a+)+$": True}, "additionalProperties": False}
    assert judged("schema_match", '{"' + "a" * 50_000 + '!": 1}', schema=evil).result == "fail"
    many = "[" + ",".join(f'{{"a": {n}}}' for n in range(20_000)) + "]"
    assert judged("schema_match", many, schema={"uniqueItems": True}).result == "pass"
    outcome = judged("schema_match", many, schema={"unevaluatedItems": False})
    assert (outcome.result, outcome.reason) == ("unjudged", "schema-work")


def test_a_schema_that_refers_to_itself_without_end(judged):
    outcome = judged("schema_match", "1", schema={"$ref": "#"})
    assert (outcome.result, outcome.reason) == ("unjudged", "schema-recursion")


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "text"}, "wrong at /type"),
        ({"properties": {"a": {"required": "b"}}}, "wrong at /properties/a/required"),
        ({"$ref": "http://127.0.0.1:9/schema"}, "is not in it"),
        ({"$ref": "#/$defs/nothing"}, "is not in it"),
        ({"properties": {"a": {"$dynamicRef": "#gone"}}}, "is not in it"),
        ({"$ref": "#/kept", "kept": {"type": 5}}, "wrong at /type"),
        ({"$ref": "#/kept", "kept": {"pattern": "(?=a)"}}, "cannot be used"),
        ({"pattern": "(?=a)"}, "cannot be used"),
        ({"patternProperties": {"(a)\\1": {}}}, "cannot be used"),
        ({"$id": "http://[", "properties": {"a": {"$id": "b", "$ref": "#"}}}, "cannot be used"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "is written for"),
        ({"$schema": 7}, "is written for"),
        ({"patternProperties": {}, "anyOf": [{"unevaluatedProperties": False}]}, "together"),
        ({"const": float("nan")}, "not JSON"),
        ({"const": object()}, "object is no JSON"),
        ({"const": {1: 2, "a": 3}}, "not JSON"),
        ({"const": "\ud800"}, "not JSON"),
    ],
)
def test_schemas_that_are_refused(judged, schema, words):
    with pytest.raises(SpecError, match=words) as caught:
        judged("schema_match", "{}", schema=schema)
    assert caught.value.code in ("bad-schema", "bad-pattern")


def nested(levels: int) -> dict:
    schema: dict = {}
    for _ in range(levels):
        schema = {"not": schema}
    return schema


@pytest.mark.parametrize("levels", [70, 5000])
def test_a_schema_that_nests_too_deeply_is_refused(judged, levels):
    with pytest.raises(SpecError, match="the schema"):
        judged("schema_match", "{}", schema=nested(levels))


def test_the_schema_is_a_document():
    params = SchemaMatchParams(schema={"b": Decimal("0.50"), "a": [Decimal(2), "\u00e9", True]})
    document = SchemaMatch().document(params)
    assert document == '{"a":[2,"\u00e9",true],"b":0.5}'.encode()
    assert SchemaMatch.document_field == "schema"


def test_stored_params_are_judged_with_the_stored_document():
    rule = SchemaMatch()
    stored = msgspec.json.decode(b"{}", type=SchemaMatchParams)
    assert rule.document(stored) is None
    check = rule.prepare(stored, b'{"type":"null"}', ())
    assert (check("null").result, check("1").result) == ("pass", "fail")
    assert rule.contribution(stored, b'{"required":["a"]}') == Fraction(1, 5)


@pytest.mark.parametrize(
    ("document", "words"),
    [(None, "needs a schema"), (b"[]", "no JSON object"), (b"{", "cannot be read")],
)
def test_documents_that_are_no_schema(document, words):
    with pytest.raises(SpecError, match=words):
        SchemaMatch().prepare(SchemaMatchParams(), document, ())


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, 0),
        ({"required": ["a", "b"]}, 2),
        (ORDER, 3),
        ({"allOf": [{"required": ["a"]}, {"$ref": "#/$defs/x"}, {"$ref": "#/$defs/x"}],
          "$defs": {"x": {"required": ["b"]}}}, 2),
        ({"anyOf": [{"required": ["a"]}], "not": {"required": ["b"]}}, 0),
        ({"properties": {"required": {"type": "string"}, "b": True}}, 0),
        ({"$ref": "#here", "$defs": {"a": {"$anchor": "here", "required": ["x"]}}}, 0),
        ({"required": ["a"], "properties": {"a": {"$ref": "#"}}}, 1),
        ({"required": list("abcdefg")}, 5),
    ],
)  # fmt: skip
def test_contribution(contribution, schema, expected):
    assert contribution("schema_match", schema=schema) == Fraction(expected, 5)
    assert contribution("json_valid") == Fraction(1, 5)


def test_a_reference_that_leads_nowhere_counts_nothing():
    found = SchemaMatch().contribution(SchemaMatchParams(), b'{"$ref":"#/a/b","a":[]}')
    assert found == 0
