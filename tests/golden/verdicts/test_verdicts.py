"""The verdict table as golden files.

``table.json`` holds cases in words, one for each row and each clause that the
table of verdicts has; ``expect`` is written by hand. ``records.json`` holds
complete records for implementations that have no words.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from probatum.records import codec
from probatum.verdicts import resolve

HERE = Path(__file__).parent
TABLE = json.loads((HERE / "table.json").read_text())
RECORDS = json.loads((HERE / "records.json").read_text())


def updating(request) -> bool:
    return bool(request.config.getoption("--update-goldens", default=False))


def spoken(word):
    """JSON keys are text; positions of invariants are numbers."""
    return {int(at): said for at, said in word.items()} if isinstance(word, dict) else word


def staged(scenes, case):
    """Turn the words of a golden case into a scene."""
    families = tuple(
        scenes.Fam(
            **(
                family
                | {"runs": tuple(spoken(w) for count, w in family["runs"] for _ in range(count))}
            )
        )
        for family in case["families"]
    )
    return scenes.Scene(
        families,
        baseline=spoken(case.get("baseline", "pass")),
        control=tuple(case.get("control", ())),
        kinds=tuple(tuple(kind) for kind in case.get("invariants", [["check", "high"]])),
        claim=tuple(case["claim"]) if "claim" in case else None,
    )


def stored(verdict):
    """What a verdict holds beside its ids."""
    plain = json.loads(codec.encode(verdict))
    return {key: value for key, value in plain.items() if key not in ("case", "trials")}


@pytest.mark.parametrize("row", TABLE, ids=[row["row"] for row in TABLE])
def test_each_row_of_the_table(scenes, row):
    verdict = staged(scenes, row["case"]).verdict()
    assert f"{verdict.verdict} {verdict.rule} {verdict.reason}" == row["expect"]
    assert stored(verdict) == row["verdict"]


def test_every_rule_has_a_row():
    assert {row["expect"].split()[1] for row in TABLE} == {"R1", "R2", "R3", "R4", "R5", "R6"}


@pytest.mark.parametrize("vector", RECORDS, ids=[vector["name"] for vector in RECORDS])
def test_each_set_of_records(vector):
    def read(kind, value):
        return codec.decode(kind, msgspec.json.encode(value, order="sorted"))

    case, trials = read("case", vector["case"]), read("trials", vector["trials"])
    invariants = {
        codec.identify(one): one for one in (read("invariant", v) for v in vector["invariants"])
    }
    judgments = (read("judgment", value) for value in vector["judgments"])
    verdict = resolve(
        case_id=codec.identify(case),
        trials_id=codec.identify(trials),
        case=case,
        plan_case=read("plan-case", vector["plan-case"]),
        trials=trials,
        invariants=[invariants[rule.invariant] for rule in case.invariants],
        judgments={codec.identify(judgment): judgment for judgment in judgments},
        repeats=vector["repeats"],
        control=vector["control"],
    )
    assert json.loads(codec.encode(verdict)) == vector["verdict"]
    assert codec.identify(verdict) == vector["id"]


def test_goldens_are_as_they_would_be_written(request, scenes):
    table = [row | {"verdict": stored(staged(scenes, row["case"]).verdict())} for row in TABLE]
    text = lines(table)
    if updating(request):
        (HERE / "table.json").write_text(text)
    assert (HERE / "table.json").read_text() == text


def lines(rows):
    """One row a line, so that a change shows as the rows it changes."""
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"
