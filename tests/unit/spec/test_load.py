from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from probatum.digest import object_id
from probatum.errors import LimitError, NotFoundError, SpecError
from probatum.plugins.registry import Registry
from probatum.records import codec
from probatum.records.base import UNSET
from probatum.records.case import Claim
from probatum.records.inputs import BlobPart, TextPart
from probatum.records.table import MAX_ROWS
from probatum.spec.compiled import Compiled
from probatum.spec.load import load_spec
from probatum.spec.problems import MAX_NOTED

Load = Callable[..., Compiled]
Refused = Callable[..., SpecError]

HEADER = ('falsify: {version: "1.0"', 'probatum: {version: "1"')
SEED = "seed: 1"
INPUT = "{text: hello}"
CASES = "    invariants: [{type: contains, values: [x]}]\n"


def test_a_small_spec(load: Load, base: str) -> None:
    found = load(base)
    assert (found.spec.name, found.spec.format) == ("small", "falsify/1.0")
    assert (found.spec.control, found.spec.repeats, found.seed) == (0, 1, 1)
    assert found.settings == (8, True)
    assert found.model.timeout == 30.0
    assert found.warnings == ()
    assert found.sources == (("s.yaml", base.encode()),)
    only = found.cases[0]
    assert only.id == codec.identify(only.case)
    assert (only.case.id, only.case.tags) == ("one", ())
    assert only.case.policy.stable_threshold == "0.95"
    assert only.case.policy.min_perturbations == 2
    assert only.case.policy.claim is UNSET
    assert found.spec_id == codec.identify(found.spec)
    assert found.spec.cases == tuple(codec.identify(table) for table in found.tables)
    assert [row.ids for row in found.tables[0].rows] == [(only.id,)]


def test_control_and_repeats(load: Load, base: str) -> None:
    assert load(base, HEADER).spec.control == 3
    assert load(base, HEADER).spec.format == "probatum/1"
    written = load(base, HEADER, (SEED, "seed: 1, control: 0, repeats: 4")).spec
    assert (written.control, written.repeats) == (0, 4)
    assert load(base, (SEED, "seed: 1, control: 7, replications: 5")).spec.repeats == 5


def test_settings_are_no_part_of_the_spec(load: Load, base: str) -> None:
    changed = load(
        base,
        (SEED, "seed: -5, parallel: 2, timeout_seconds: 0.5, cache: false"),
        ("bot:answer", "other:answer"),
    )
    assert changed.spec_id == load(base).spec_id
    assert changed.settings == (2, False)
    assert changed.model.timeout == 0.5
    assert changed.seed == -5


def test_verdict_config(load: Load, base: str) -> None:
    keys = "stable_threshold: 0.90, min_perturbations: 5, claim: {stability: .95}"
    text = f"    verdict_config: {{{keys}}}\n"
    policy = load(base, (CASES, text)).cases[0].case.policy
    assert (policy.stable_threshold, policy.min_perturbations) == ("0.9", 5)
    assert policy.claim == Claim(stability="0.95", confidence="0.95")


def test_order_of_cases_is_no_meaning(load: Load, base: str) -> None:
    head, first = base[: base.index("  - id")], base[base.index("  - id") :]
    second = first.replace("id: one", "id: two").replace("hello", "bye")
    third = first.replace("id: one", "id: 0")
    one = load(head + first + second + third)
    other = load(head + third + second + first)
    assert one.spec_id == other.spec_id
    assert one.tables == other.tables
    assert [item.case.id for item in one.cases] == ["0", "one", "two"]
    assert one.cases == other.cases


def test_many_cases_make_many_tables(load: Load, base: str) -> None:
    head, first = base[: base.index("  - id")], base[base.index("  - id") :]
    found = load(head + "".join(first.replace("one", f"c{n}") for n in range(MAX_ROWS + 1)))
    assert len(found.tables) > 1
    assert sum(len(table.rows) for table in found.tables) == len(found.cases) == MAX_ROWS + 1


def test_yaml_1_1_surprises_stay_as_typed(load: Load, base: str) -> None:
    words = ["no", "12:30", "2026-01-01", "1e3", "0777", "1_000", "null", "~", "true", "0x1F"]
    found = load(
        base,
        ("values: [x]", f"values: [{', '.join(words)}]"),
        ("id: one", "id: 007"),
        (INPUT, "{text: 2026-01-01}"),
        ("name: small", "name: 1.50"),
        (CASES[:4], "    tags: [on, 3.0]\n    "),
    )
    case = found.cases[0].case
    assert json.loads(found.cases[0].invariants[0].params)["values"] == words
    assert (case.id, case.tags, found.spec.name) == ("007", ("3.0", "on"), "1.50")
    assert case.input.messages[0].content == "2026-01-01"


def test_messages_and_tools(load: Load, base: str) -> None:
    Path("cat.png").write_bytes(b"PNG")
    text = """
      messages:
        - {role: system, content: be brief}
        - role: user
          name: ann
          content: [{type: text, text: 12}, {type: file, path: cat.png, media_type: image/png}]
        - role: assistant
          content: ""
          tool_calls:
            - {name: look, arguments: {z: 1, at: "5", é: [0.50, no]}, id: c1}
            - {name: look, arguments: "{ }"}
        - {role: tool, content: found, tool_call_id: c1}
      tools:
        - {name: look, description: see, parameters: {type: object}}
        - {name: wait}"""
    found = load(base, (" {text: hello}", text))
    asked = found.cases[0].case.input
    assert [message.role for message in asked.messages] == ["system", "user", "assistant", "tool"]
    blob = object_id("blob", b"PNG")
    assert asked.messages[1].content == (
        TextPart(text="12"),
        BlobPart(blob=blob, media_type="image/png"),
    )
    assert found.documents[blob] == b"PNG"
    assert found.sources[1] == ("cat.png", b"PNG")
    assert asked.messages[1].name == "ann"
    calls = asked.messages[2].tool_calls
    assert calls is not UNSET
    assert calls[0].arguments == '{"at":"5","z":1,"é":[0.5,"no"]}'
    assert (calls[0].id, calls[1].id, calls[1].arguments) == ("c1", UNSET, "{ }")
    assert asked.messages[3].tool_call_id == "c1"
    assert asked.tools is not UNSET
    assert [(tool.name, tool.description, tool.parameters) for tool in asked.tools] == [
        ("look", "see", '{"type":"object"}'),
        ("wait", "", "{}"),
    ]


def test_text_with_tools(load: Load, base: str) -> None:
    asked = load(base, (INPUT, "{text: hello, tools: [{name: look}]}")).cases[0].case.input
    assert asked.tools is not UNSET
    assert len(asked.messages) == 1


def test_a_schema_in_a_file(registry: Registry, base: str, tmp_path: Path) -> None:
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "shape.json").write_bytes(b'{"type": "object", "$comment": "x"}')
    text = base.replace("contains, values: [x]", "schema_match, schema: ./shape.json")
    text = text.replace(
        "[{type: schema", "[{type: schema_match, schema: shape.json, severity: low}, {type: schema"
    )
    (folder / "s.yaml").write_text(text)
    found = load_spec(folder / "s.yaml", registry)
    document = b'{"$comment":"x","type":"object"}'
    assert list(found.documents.values()) == [document]
    names = [name for name, _ in found.sources]
    assert names == [f"{folder.as_posix()}/s.yaml", f"{folder.as_posix()}/shape.json"]
    again = load_spec(Path(names[0]), registry, files=dict(found.sources))
    assert again == found
    with pytest.raises(SpecError) as caught:
        load_spec(Path(names[0]), registry, files=dict(found.sources[:1]))
    assert len(caught.value.problems) == 2
    assert all("shape.json: not among the files at hand" in p for p in caught.value.problems)
    assert caught.value.code == "no-such-file"
    with pytest.raises(NotFoundError):
        load_spec(Path(names[0]), registry, files={})


def test_anchors_are_shared(load: Load, base: str) -> None:
    head, first = base[: base.index("  - id")], base[base.index("  - id") :]
    anchored = first.replace("perturbations: [", "perturbations: &p [")
    second = first.replace("id: one", "id: two").replace("[{type: typo_noise}]", "*p")
    found = load(head + anchored + second)
    assert found.cases[0].case.perturbations == found.cases[1].case.perturbations


def test_a_mistake_behind_an_alias_stands_at_the_alias(refused: Refused, base: str) -> None:
    text = "x-shared: &p [{type: typo_nois}]\n" + base.replace("[{type: typo_noise}]", "*p")
    assert refused(text).problems == (
        "s.yaml:1:1: unknown key 'x-shared' (known: cases, falsify, model, probatum, run)",
        "s.yaml:8:20: unknown perturbation 'typo_nois' (did you mean 'typo_noise'?)",
    )


def test_duplicate_case_ids_have_both_places(refused: Refused, base: str) -> None:
    error = refused(base + base[base.index("  - id") :])
    assert str(error) == "s.yaml:9:9: duplicate case id 'one' (first at line 5)"
    assert error.code == "duplicate-case"


@pytest.mark.parametrize(
    ("case_id", "words"),
    [
        ('"a\\tb"', "an id holds printable characters only"),
        ("x" * 129, "an id has at most 128 characters"),
        ('""', "an id must not be empty"),
        ('" a"', "an id neither begins nor ends with a space"),
    ],
)
def test_case_ids(refused: Refused, base: str, case_id: str, words: str) -> None:
    error = refused(base, ("id: one", f"id: {case_id}"))
    assert error.problems == (f"s.yaml:5:9: {words}",)
    assert error.code == "bad-id"


def test_a_case_id_may_be_long_and_in_any_script(load: Load, base: str) -> None:
    assert load(base, ("id: one", "id: " + "日" * 128)).cases[0].case.id == "日" * 128


def test_everything_wrong_is_said_at_once(refused: Refused, base: str) -> None:
    error = refused(
        base + "more: 1\nrun: {}\n",
        ("provider: python", "provider: pyton"),
        (SEED, "sede: 1"),
        (INPUT, "{}"),
        ("typo_noise", "typo_nois"),
        ("values: [x]", "values: []"),
    )
    assert error.problems == (
        "s.yaml:2:19: unknown provider 'pyton' (did you mean 'python'?)",
        "s.yaml:3:6: 'seed' is missing",
        "s.yaml:3:7: unknown key 'sede' (did you mean 'seed'?)",
        "s.yaml:7:28: unknown perturbation 'typo_nois' (did you mean 'typo_noise'?)",
        "s.yaml:8:43: values: must not be empty",
        "s.yaml:9:1: unknown key 'more' (did you mean 'model'?)",
        "s.yaml:10:1: duplicate key 'run' (first at line 3)",
    )
    assert (error.code, error.hint, int(error.exit_code)) == ("bad-spec", "", 3)
    assert str(error) == "s.yaml: 7 problems"


def test_a_case_too_large_to_store(refused: Refused, base: str) -> None:
    text = base.replace("{text: hello}", '{text: "' + "\\x01" * 3_000_000 + '"}')
    error = refused(text)
    assert str(error).startswith("s.yaml:5:5: the case cannot be stored: a case of ")
    assert error.code == "limit"


def test_parameters_too_large_to_store(refused: Refused, base: str) -> None:
    values = '"' + '\\"' * 5_000_000 + '"'
    error = refused(base, ("values: [x]", f"values: [{values}]"))
    assert "8:18" in str(error)
    assert error.code == "limit"


def test_parameters_without_canonical_form(load: Load, base: str) -> None:
    section = load(base, ('"bot:answer"', "m, temperature: 0.10, seed: 3")).model
    assert section.params == {"temperature": Decimal("0.10"), "seed": 3}


def test_limits_are_errors_of_their_own(load: Load, base: str) -> None:
    with pytest.raises(LimitError):
        load(base + "more: " + "[" * 100)


def test_there_is_an_end_to_looking(refused: Refused) -> None:
    error = refused("".join(f"k{number}: 1\n" for number in range(1_500)))
    assert str(error) == f"s.yaml: {MAX_NOTED} problems"
    assert error.problems[-1] == "s.yaml: and 800 more"
