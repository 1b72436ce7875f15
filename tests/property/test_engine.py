"""What must hold of a plan, whatever the text, and of a session, whatever the circumstances."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probatum.digest import Digest
from probatum.engine.materialize import Materializer, Unrolled
from probatum.plugins.edits import apply_to_input
from probatum.plugins.registry import Registry
from probatum.records import codec
from probatum.records.base import CaseId
from probatum.records.case import Case, Declaration, Policy
from probatum.records.inputs import Input, text_input
from probatum.records.perturbation import Perturbation

TEXT = st.text(
    alphabet=st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=0, max_size=60
)
DECLARATIONS = {
    "typo": ("typo_noise", '{"protect":false,"rate":"0.1"}', 4),
    "shielded": ("typo_noise", '{"protect":true,"rate":"0.2"}', 3),
    "case": ("casing", '{"variants":["upper","lower","title"]}', 3),
    "code": ("unicode", "{}", 4),
}


def case_of(text: str, names: list[str], counts: dict[str, int] | None = None) -> Case:
    registry = Registry()
    return Case(
        id="case",
        tags=(),
        input=text_input(text),
        policy=Policy(stable_threshold="0.95", min_perturbations=2),
        perturbations=tuple(
            Declaration(
                id=name,
                family=DECLARATIONS[name][0],
                version=registry.family(DECLARATIONS[name][0]).version,
                count=(counts or {}).get(name, DECLARATIONS[name][2]),
                params=DECLARATIONS[name][1],
            )
            for name in names
        ),
        invariants=(),
    )


def unroll(case: Case, seed: int) -> tuple[Unrolled, dict[Digest, Perturbation]]:
    stored: dict[Digest, Perturbation] = {}

    def put(record: Any) -> Digest:
        name = codec.identify(record)
        stored[name] = record
        return name

    made = Materializer(Registry(), put, seed=seed)
    return made.unroll(CaseId(codec.identify(case)), case, ()), stored


def planned(unrolled: Unrolled, declaration: str) -> list[tuple[int, Digest]]:
    return [
        (item.index, item.perturbation)
        for item in unrolled.plan_case.perturbations
        if item.declaration == declaration
    ]


@settings(max_examples=60, deadline=None)
@given(text=TEXT, seed=st.integers(-(2**53) + 1, 2**53 - 1))
def test_every_perturbation_is_new_and_its_edits_make_it(text: str, seed: int) -> None:
    case = case_of(text, list(DECLARATIONS))
    unrolled, stored = unroll(case, seed)
    for item, value in zip(unrolled.plan_case.perturbations, unrolled.inputs, strict=True):
        record = stored[item.perturbation]
        assert record.perturbed == value
        assert value != case.input
        assert apply_to_input(record.original, record.edits) == value
    for account in unrolled.plan_case.accounting:
        mine = planned(unrolled, account.declaration)
        changed = {stored[name].perturbed for _, name in mine}
        assert len(changed) == len(mine)
        if account.not_applicable is msgspec.UNSET:
            total = len(mine) + account.no_op + account.duplicate + account.invalid
            assert total == account.requested
        else:
            assert not mine


@settings(max_examples=30, deadline=None)
@given(
    text=TEXT,
    order=st.permutations(list(DECLARATIONS)),
    drop=st.sampled_from(list(DECLARATIONS)),
    more=st.integers(0, 3),
)
def test_no_declaration_moves_another(text: str, order: list[str], drop: str, more: int) -> None:
    """One can only make what it has in common with a later one of its family a duplicate."""
    kept = [name for name in order if name != drop]
    other, stored = unroll(case_of(text, kept), 3)
    before: dict[str, set[Input]] = {}
    for name in kept:
        alone, records = unroll(case_of(text, [name]), 3)
        mine = planned(other, name)
        texts = before.setdefault(DECLARATIONS[name][0], set())
        assert mine == [
            item for item in planned(alone, name) if records[item[1]].perturbed not in texts
        ]
        texts.update(stored[made].perturbed for _, made in mine)
    whole, _ = unroll(case_of(text, list(DECLARATIONS)), 3)
    longer, _ = unroll(case_of(text, ["typo"], {"typo": 4 + more}), 3)
    before = planned(whole, "typo")
    assert planned(longer, "typo")[: len(before)] == before


RUN = """
import itertools, json, sys
from pathlib import Path
from probatum.engine import pipeline
from probatum.plugins.registry import Registry
from probatum.records import codec
from probatum.records.session import Environment
from probatum.records.verdict import Verdict
from probatum.spec.load import load_spec
from probatum.store import Store

path = Path(sys.argv[1])
registry, store = Registry(), Store.memory()
ticks = itertools.count(1)
setting = pipeline.Setting(
    clock=lambda: next(ticks),
    environment=lambda: Environment(
        tool="t", python="p", implementation="i", os="o", machine="m", packages=()
    ),
    invocation="{}",
    folder=path.parent,
)
result = pipeline.run(load_spec(path, registry), registry=registry, store=store, setting=setting)
verdicts = [store.record(row.ids[0], Verdict) for row in result.rows]
print(json.dumps({
    "spec": result.statement.predicate.spec,
    "plan": result.session.plan,
    "target": result.session.target,
    "verdicts": [row.ids[0] for row in result.rows],
    "trials": [verdict.trials for verdict in verdicts],
    "classes": [verdict.verdict for verdict in verdicts],
}))
"""

BOT = """
import time

def answer(prompt):
    time.sleep(len(prompt) % 3 * 0.001)
    return prompt if "e" in prompt else prompt.lower()
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Run one spec under different values of what must not matter."""
    found = []
    for hash_seed, parallel, backwards in (("0", 1, False), ("1", 8, False), ("1", 8, True)):
        folder = tmp_path_factory.mktemp("run")
        cases = [
            {
                "id": f"case-{number}",
                "input": {"text": f"Where is parcel {number}, the one I was promised?"},
                "perturbations": [
                    {"type": "typo_noise", "count": 4, "rate": 0.1},
                    {"type": "casing"},
                    {"type": "unicode"},
                ],
                "invariants": [{"type": "contains", "values": ["parcel", str(number)]}],
            }
            for number in range(5)
        ]
        spec = {
            "falsify": {"version": "1.0", "name": "same"},
            "model": {"provider": "python", "model": "bot.py:answer"},
            "run": {"seed": 11, "parallel": parallel, "replications": 2},
            "cases": cases[::-1] if backwards else cases,
        }
        (folder / "spec.yaml").write_text(json.dumps(spec))
        (folder / "bot.py").write_text(BOT)
        source = Path(__file__).parents[2] / "src"
        done = subprocess.run(
            [sys.executable, "-c", RUN, folder / "spec.yaml"],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(source)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    return found


@pytest.mark.parametrize("what", ["spec", "plan", "target", "trials", "verdicts", "classes"])
def test_hash_seed_workers_and_order_change_no_id(
    outcomes: list[dict[str, Any]], what: str
) -> None:
    assert len(outcomes) == 3
    assert len({json.dumps(outcome[what]) for outcome in outcomes}) == 1
