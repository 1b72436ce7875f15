from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from probatum.plugins.registry import Registry
from probatum.spec.schema import editor_schema


@pytest.fixture
def validator(registry: Registry) -> Any:
    return jsonschema.Draft202012Validator(json.loads(editor_schema(registry)))


def test_the_committed_schema_is_fresh(
    registry: Registry, repository: Path, update_goldens: bool
) -> None:
    path = repository / "schemas" / "spec.schema.json"
    text = editor_schema(registry)
    if update_goldens:
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8") == text
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


def test_it_takes_authored_files(validator: Any, repository: Path, base: str) -> None:
    validator.validate(yaml.safe_load(base))
    for path in ("examples/quickstart/spec.yaml", "tests/golden/spec/everything.yaml"):
        validator.validate(yaml.safe_load((repository / path).read_text("utf-8")))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("typo_noise", "typo_nois"),
        ("{type: typo_noise}", "{type: typo_noise, rat: 1}"),
        ("{type: typo_noise}", "{type: typo_noise, family: typo_noise}"),
        ("{type: typo_noise}", "{type: typo_noise, count: 0}"),
        ("{type: typo_noise}", "{rate: 0.5}"),
        ("values: [x]", "value: [x]"),
        ("values: [x]", "values: [x], severity: huge"),
        ("values: [x]", "values: [x], normalize: [nfd]"),
        ("seed: 1", "seeds: 1"),
        ("seed: 1", "seed: 1, parallel: 0"),
        ("seed: 1", "seed: 1, timeout_seconds: long"),
        ("id: one", "id: ''"),
        ("    input:", "    verdict_config: {claim: {stability: 1}}\n    input:"),
        ("falsify", "falsfy"),
        ("cases:", "case:"),
    ],
)
def test_it_refuses_mistakes(validator: Any, base: str, old: str, new: str) -> None:
    assert old in base
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(yaml.safe_load(base.replace(old, new, 1)))


def test_it_holds_defaults_as_numbers(registry: Registry) -> None:
    schema = json.loads(editor_schema(registry))
    assert schema["$defs"]["Run"]["properties"]["timeout_seconds"]["default"] == 30
    assert schema["$defs"]["Run"]["properties"]["parallel"] == {
        "default": 8,
        "maximum": 1024,
        "minimum": 1,
        "type": "integer",
    }
    families = schema["$defs"]["CaseSection"]["properties"]["perturbations"]["items"]["oneOf"]
    typo = next(item for item in families if item["properties"]["type"]["const"] == "typo_noise")
    assert typo["properties"]["rate"] == {"type": "number", "default": 0.05}
    assert "default" not in typo["properties"]["protect"]
    rules = schema["$defs"]["CaseSection"]["properties"]["invariants"]["items"]["oneOf"]
    match = next(item for item in rules if item["properties"]["type"]["const"] == "schema_match")
    assert match["properties"]["schema"] == {"type": ["object", "string"]}


def test_it_says_which_default_depends_on_the_format(registry: Registry) -> None:
    case = json.loads(editor_schema(registry))["$defs"]["CaseSection"]["properties"]
    said = {
        (item["properties"]["type"]["const"], name): field["description"]
        for part in ("perturbations", "invariants")
        for item in case[part]["items"]["oneOf"]
        for name, field in item["properties"].items()
        if "description" in field
    }
    assert sorted(said) == [
        ("casing", "protect"),
        ("schema_match", "extract"),
        ("typo_noise", "protect"),
        ("unicode", "protect"),
    ]
    assert said["casing", "protect"] == (
        "Unless given: false in falsify 1.0 files, true in probatum 1 files."
    )
    assert said["schema_match", "extract"] == (
        "Unless given: true in falsify 1.0 files, false in probatum 1 files."
    )
