# ruff: noqa: E501  # tables of exact messages read better a row a line
from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import get_args

import msgspec
import pytest
from msgspec.structs import fields

from probatum.digest import object_id
from probatum.errors import CanonicalError, LimitError, SpecError
from probatum.invariants.normalize import STEPS
from probatum.plugins.registry import Registry
from probatum.records import codec
from probatum.records.base import UNSET
from probatum.spec.catalogue import Format
from probatum.spec.compiled import Compiled
from probatum.spec.parts import Step, json_document, name_flaw

Load = Callable[..., Compiled]
Refused = Callable[..., SpecError]

P, I = "{type: typo_noise}", "{type: contains, values: [x]}"  # noqa: E741


def perturbation(text: str) -> tuple[str, str]:
    return (P, text)


def invariant(text: str) -> tuple[str, str]:
    return (I, text)


def test_declarations(load: Load, base: str) -> None:
    text = "{type: typo_noise, rate: 0.050, count: 7}, {family: casing, id: shout, variants: [upper]}, {type: unicode, methods: [homoglyph, zero_width]}"
    typo, shout, letters = load(base, perturbation(text)).cases[0].case.perturbations
    assert typo.params == '{"protect":false,"rate":"0.05"}'
    assert typo.id == "typo_noise-" + hashlib.sha256(typo.params.encode()).hexdigest()[:8]
    assert (typo.family, typo.count) == ("typo_noise", 7)
    assert (shout.id, shout.count) == ("shout", 1)
    assert shout.params == '{"protect":false,"variants":["upper"]}'
    assert letters.params == '{"methods":["homoglyph","zero_width"],"protect":false,"rate":"0.5"}'
    assert letters.count == 6


@pytest.mark.parametrize("rate", ["0.05", "0.050", "5e-2", ".05", "+0.05"])
def test_spelling_of_a_number_is_no_meaning(load: Load, base: str, rate: str) -> None:
    text = f"{{type: typo_noise, rate: {rate}}}"
    assert load(base, perturbation(text)).spec_id == load(base).spec_id


OWN = ('falsify: {version: "1.0"', 'probatum: {version: "1"')


def test_protect_depends_on_the_format(load: Load, base: str) -> None:
    assert '"protect":true' in load(base, OWN).cases[0].case.perturbations[0].params
    written = perturbation("{type: typo_noise, protect: true}")
    assert '"protect":true' in load(base, written).cases[0].case.perturbations[0].params
    written = perturbation("{type: typo_noise, protect: false}")
    assert '"protect":false' in load(base, OWN, written).cases[0].case.perturbations[0].params


@pytest.mark.parametrize(
    ("changes", "written", "found"),
    [
        ((), "", "true"),
        ((), ", extract: false", "false"),
        ((OWN,), "", "false"),
        ((OWN,), ", extract: true", "true"),
    ],
)
def test_extract_depends_on_the_format(
    load: Load, base: str, changes: tuple[tuple[str, str], ...], written: str, found: str
) -> None:
    rule = f"{{type: schema_match, schema: {{type: object}}{written}}}"
    only = load(base, *changes, invariant(rule)).cases[0].invariants[0]
    assert only.params == f'{{"extract":{found}}}'


def test_defaults_of_formats_are_other_values_of_known_parameters(registry: Registry) -> None:
    plugins = [*map(registry.family, registry.families()), *map(registry.rule, registry.rules())]
    found = []
    for plugin in plugins:
        usual = {field.encode_name: field.default for field in fields(plugin.params)}
        given = getattr(plugin, "format_defaults", {})
        assert set(given) <= set(get_args(Format))
        for defaults in given.values():
            found += [plugin.name]
            assert msgspec.convert(defaults, plugin.params)
            assert all(usual[name] != value for name, value in defaults.items())
    assert found == ["casing", "typo_noise", "unicode", "schema_match"]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("{type: typo_nois}", ["28: unknown perturbation 'typo_nois' (did you mean 'typo_noise'?)"]),
        ("{family: typo_nois}", ["30: unknown perturbation 'typo_nois' (did you mean 'typo_noise'?)"]),
        ("{rate: 0.5}", ["21: 'type' is missing"]),
        ("{type: casing, family: casing}", ["21: give type or family, not both"]),
        ("{type: [x]}", ["28: type: expected a name, found a list"]),
        ("{type: ''}", ["28: type: expected a name, found the text '' in quotes"]),
        ("{type: casing, count: 3}", ["36: unknown key 'count' (known: family, id, protect, type, variants)"]),
        ("{type: casing, id: ''}", ["40: an id must not be empty"]),
        ("{type: casing, id: [x]}", ["40: expected text, found a list"]),
        ("{type: casing, id: a}, {type: unicode, id: a}", ["44: has the same id 'a' as the one at line 7"]),
        ("{type: casing, id: a}, {type: casing, id: a}", ["44: has the same id 'a' as the one at line 7"]),
        (f"{P}, {{type: typo_noise, count: 9}}", ["41: asks for the same as the one at line 7: give one of them an id"]),
        (f"{P}, {P}", ["41: asks for the same as the one at line 7: give one of them an id"]),
    ],
)  # fmt: skip
def test_wrong_perturbations(refused: Refused, base: str, text: str, problems: list[str]) -> None:
    assert list(refused(base, perturbation(text)).problems) == ["s.yaml:7:" + p for p in problems]


def test_an_id_makes_a_second_declaration(load: Load, base: str) -> None:
    found = load(base, perturbation(f"{P}, {{type: typo_noise, id: again}}"))
    assert [item.id for item in found.cases[0].case.perturbations][1] == "again"


def test_invariants(load: Load, base: str) -> None:
    text = "{type: contains, values: [12, no], severity: critical, normalize: [nfkc, dashes]}, {type: json_valid}"
    case = load(base, invariant(text)).cases[0]
    contains, valid = case.invariants
    assert contains.params == '{"case_sensitive":false,"mode":"all","values":["12","no"]}'
    assert (contains.severity, contains.normalize) == ("critical", ("nfkc", "dashes"))
    assert (valid.name, valid.severity, valid.params, valid.normalize) == (
        "json_valid", "high", "{}", ()
    )  # fmt: skip
    assert [rule.invariant for rule in case.case.invariants] == [
        codec.identify(contains),
        codec.identify(valid),
    ]


def test_every_rule_of_the_release_compiles(load: Load, base: str) -> None:
    text = (
        "{type: contains, values: [a], case_sensitive: true}, {type: not_contains, values: [b]},"
        "{type: equals, value: c}, {type: regex, pattern: '^d$'}, {type: one_of, values: [e, f]},"
        "{type: length, min: 1, max: 9, unit: words}, {type: json_valid},"
        "{type: schema_match, schema: {type: object}}"
    )
    assert len(load(base, invariant(text)).cases[0].invariants) == 8


def test_expected_values_are_invariants_of_another_role(load: Load, base: str) -> None:
    lists = "\n    expected: {contains: [x], not_contains: [sorry, 404], reference: why}"
    found = load(base, (f"[{I}]", f"[{I}, {I}]{lists}"))
    case = found.cases[0]
    roles = [(rule.role, case.invariants[at].name) for at, rule in enumerate(case.case.invariants)]
    assert roles == [("check", "contains"), ("expected", "contains"), ("expected", "not_contains")]
    assert case.case.invariants[0].invariant == case.case.invariants[1].invariant
    assert len(found.invariants) == 2
    assert '"values":["sorry","404"]' in case.invariants[2].params


def test_empty_lists_of_what_is_expected_are_none(load: Load, base: str) -> None:
    lists = "\n    expected: {contains: [], not_contains: []}"
    assert len(load(base, (f"[{I}]", f"[{I}]{lists}")).cases[0].invariants) == 1


def test_an_empty_value_that_is_expected(refused: Refused, base: str) -> None:
    error = refused(base, (f"[{I}]", f"[{I}]\n    expected: {{contains: [a, '']}}"))
    assert error.problems == ("s.yaml:9:26: values[1]: must not be empty",)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("{type: contain, values: [x]}", ["25: unknown invariant 'contain' (did you mean 'contains'?)"]),
        ("{family: contains}", ["18: 'type' is missing"]),
        ("{type: contains, value: [x]}", ["18: 'values' is missing", "35: unknown key 'value' (did you mean 'values'?)"]),
        ("{type: contains, values: []}", ["43: values: must not be empty"]),
        ("{type: contains, values: [x, '']}", ["47: values[1]: must not be empty"]),
        ("{type: contains, values: x}", ["43: values: expected a list, found the text 'x'"]),
        ("{type: contains, values: [x], severty: low}", ["48: unknown key 'severty' (did you mean 'severity'?)"]),
        ("{type: contains, values: [x], severity: hi}", ["58: severity: unknown value 'hi' (did you mean 'high'?)"]),
        ("{type: contains, values: [x], normalize: [nfcc]}", ["60: normalize[0]: unknown value 'nfcc' (did you mean 'nfc'?)"]),
        ("{type: length, unit: words}", ["18: length needs min, max or both"]),
        ("{type: length, min: 5, max: 3}", ["38: min 5 is greater than max 3"]),
        ("{type: schema_match}", ["18: schema_match needs a schema"]),
        ("{type: schema_match, schema: true}", ["47: schema: expected a mapping, found true"]),
        ("{type: schema_match, schema: {a: .inf}}", ["47: schema: .inf is no number that can be stored"]),
        ("{type: schema_match, schema: none.json}", ["47: none.json: no such file (check the path)"]),
    ],
)  # fmt: skip
def test_wrong_invariants(refused: Refused, base: str, text: str, problems: list[str]) -> None:
    assert list(refused(base, invariant(text)).problems) == ["s.yaml:8:" + p for p in problems]


def test_what_a_rule_refuses_has_its_code_and_hint(refused: Refused, base: str) -> None:
    error = refused(base, invariant("{type: regex, pattern: '('}"))
    assert str(error).startswith("s.yaml:8:18: the pattern '(' cannot be used")
    assert error.code == "bad-pattern"
    assert error.hint


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (perturbation("{type: paraphrase}"), "7:28: perturbation 'paraphrase' is not available in this release (it will need the extra 'semantic')"),
        (perturbation("{type: paraphrase, count: 2, similarity_threshold: 0.9, max_attempts: 1, model: {provider: openai, model: m, temperature: 0, max_tokens: 9, seed: null}}"), "7:28: perturbation 'paraphrase' is not available in this release (it will need the extra 'semantic')"),
        (perturbation("{type: plugin, name: mine, params: {a: [1, x]}}"), "7:28: perturbation 'plugin' is not available in this release"),
        (invariant("{type: semantic_equivalence, threshold: 0.8, embedding_model: 'local:x', severity: low}"), "8:25: invariant 'semantic_equivalence' is not available in this release (it will need the extra 'semantic')"),
        (invariant("{type: plugin, name: mine}"), "8:25: invariant 'plugin' is not available in this release"),
    ],
)  # fmt: skip
def test_what_later_releases_bring(
    refused: Refused, base: str, change: tuple[str, str], line: str
) -> None:
    error = refused(base, change)
    assert error.problems == ("s.yaml:" + line,)
    assert (error.code, int(error.exit_code)) == ("not-available", 3)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (perturbation("{type: paraphrase, similarity_threshold: 2}"), "7:62: similarity_threshold must be between 0 and 1"),
        (perturbation("{type: paraphrase, model: {provider: a, model: b, temperature: 3}}"), "7:84: temperature must be between 0 and 2"),
        (perturbation("{type: plugin}"), "7:21: 'name' is missing"),
        (invariant("{type: semantic_equivalence}"), "8:18: 'threshold' is missing"),
        (invariant("{type: semantic_equivalence, threshold: 80}"), "8:58: threshold must be between 0 and 1"),
    ],
)  # fmt: skip
def test_mistakes_beside_what_later_releases_bring(
    refused: Refused, base: str, change: tuple[str, str], problem: str
) -> None:
    error = refused(base, change)
    assert "s.yaml:" + problem in error.problems
    assert len(error.problems) == 2


def test_documents(load: Load, base: str, tmp_path: object) -> None:
    text = "{type: schema_match, schema: {type: object, properties: {b: {minimum: 0.50}, a: {}}}}"
    found = load(base, invariant(text))
    document = b'{"properties":{"a":{},"b":{"minimum":0.5}},"type":"object"}'
    assert found.documents == {object_id("blob", document): document}
    only = found.cases[0].invariants[0]
    assert (only.document, only.params) == (object_id("blob", document), '{"extract":true}')
    assert load(base).cases[0].invariants[0].document is UNSET


@pytest.mark.parametrize(
    ("name", "flaw"),
    [
        ("a b", ""),
        ("日本", ""),
        ("", "an id must not be empty"),
        ("a" * 10, "an id has at most 9 characters"),
        ("a\nb", "an id holds printable characters only"),
        ("a\u2028b", "an id holds printable characters only"),
        (" a", "an id neither begins nor ends with a space"),
        ({}, "expected text, found a mapping"),
    ],
)
def test_ids(name: object, flaw: str) -> None:
    assert name_flaw(name, 9) == flaw


def test_steps_are_those_of_the_invariants() -> None:
    assert get_args(Step) == tuple(STEPS)


def test_json_documents() -> None:
    assert json_document("a.json", b'\xef\xbb\xbf{"a": 1.5}') == {"a": 1.5}
    for data, words in [
        (b"\xff", "a.json: not UTF-8 at byte 0"),
        (b"{", "a.json: not JSON"),
        (b'{"a":1,"a":2}', "a.json: JSON object has a duplicate key"),
        (b"[NaN]", "a.json: JSON holds NaN"),
    ]:
        with pytest.raises(CanonicalError, match=words):
            json_document("a.json", data)
    with pytest.raises(LimitError, match=r"a.json: JSON nests deeper"):
        json_document("a.json", b"[" * 99 + b"]" * 99)
