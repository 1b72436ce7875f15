"""What a run derives from a spec is frozen: the same ids on every machine and every Python.

Ids of results stand for everything below them, so one digest a case covers
perturbations, answers, judgments and trials as well.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probatum.engine.pipeline import Setting
from probatum.records.session import Environment
from probatum.records.verdict import Verdict
from probatum.workspace import Workspace

HERE = Path(__file__).with_name("run")
GOLDEN = HERE / "ids.json"
ENVIRONMENT = Environment(
    tool="golden", python="3", implementation="any", os="any", machine="any", packages=()
)


def derived(parallel: int) -> dict[str, Any]:
    workspace = Workspace.in_memory()
    compiled = Workspace.compile(HERE / "spec.yaml")
    compiled = compiled._replace(settings=compiled.settings._replace(parallel=parallel))
    ticks = iter(range(1_796_000_000_000_000, 1_797_000_000_000_000))
    setting = Setting(
        clock=lambda: next(ticks), environment=lambda: ENVIRONMENT, invocation="{}", folder=HERE
    )
    result = workspace.run(compiled, setting)
    predicate = result.statement.predicate
    cases = {}
    for row in result.rows:
        verdict = workspace.store.record(row.ids[0], Verdict)
        cases[row.case] = {
            "verdict": f"{verdict.verdict} {verdict.rule} {verdict.reason}",
            "id": row.ids[0],
            "trials": verdict.trials,
        }
    return {"spec": predicate.spec, "plan": predicate.plan, "cases": cases}


@pytest.mark.parametrize("parallel", [1, 8])
def test_a_run_derives_the_frozen_ids(parallel: int, update_goldens: bool) -> None:
    found = derived(parallel)
    if update_goldens:
        GOLDEN.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert found == json.loads(GOLDEN.read_text("utf-8"))
