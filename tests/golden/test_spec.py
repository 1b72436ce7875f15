"""What authored files compile to, frozen: a changed id is a changed meaning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probatum.errors import SpecError
from probatum.plugins.registry import Registry
from probatum.spec.compiled import Compiled
from probatum.spec.load import load_spec

HERE = Path(__file__).parent / "spec"


def frozen(found: Compiled) -> dict[str, Any]:
    return {
        "spec": found.spec_id,
        "cases": {item.case.id: item.id for item in found.cases},
        "declarations": {
            item.case.id: {one.id: [one.count, one.params] for one in item.case.perturbations}
            for item in found.cases
        },
        "invariants": {
            key: [one.name, one.severity, one.params] for key, one in found.invariants.items()
        },
        "documents": {key: data.decode() for key, data in found.documents.items()},
        "warnings": [line.partition("everything.yaml:")[2] or line for line in found.warnings],
    }


@pytest.mark.parametrize("header", ["falsify", "probatum"])
def test_ids(header: str, update_goldens: bool) -> None:
    data = (HERE / "everything.yaml").read_bytes()
    if header == "probatum":
        data = data.replace(b'falsify:\n  version: "1.0"', b'probatum:\n  version: "1"')
    found = frozen(load_spec(Path("everything.yaml"), Registry(), files={"everything.yaml": data}))
    path = HERE / f"everything.{header}.json"
    if update_goldens:
        text = json.dumps(found, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        path.write_text(text, "utf-8")
    assert json.loads(path.read_text("utf-8")) == found


def test_what_is_not_available_is_named_and_nothing_else_is_wrong() -> None:
    with pytest.raises(SpecError) as caught:
        load_spec(HERE / "later.yaml", Registry())
    places = [line.partition("later.yaml:")[2] for line in caught.value.problems]
    assert places == [
        "6:13: provider 'groq' is not available in this release",
        (
            "16:15: perturbation 'paraphrase' is not available in this release"
            " (it will need the extra 'semantic')"
        ),
        "26:15: perturbation 'plugin' is not available in this release",
        (
            "30:15: invariant 'semantic_equivalence' is not available in this release"
            " (it will need the extra 'semantic')"
        ),
        "34:15: invariant 'plugin' is not available in this release",
    ]
    assert (caught.value.code, int(caught.value.exit_code)) == ("not-available", 3)
