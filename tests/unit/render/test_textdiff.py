"""What changed, in lines."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from sessions import build

from probatum.evidence.diff import diff_manifests, diff_sessions
from probatum.evidence.manifest import build_manifest, read_manifest
from probatum.records.base import UNSET
from probatum.render import text
from probatum.store import Store


def lines(old: dict[str, Any], new: dict[str, Any], *, manifests: bool = False) -> list[str]:
    store = Store.memory()
    one, two = build(store=store, **old), build(store=store, **new)
    if manifests:
        files = [read_manifest(build_manifest(store, it.statement)) for it in (one, two)]
        return text.diff(diff_manifests(files[0], files[1])).splitlines()
    return text.diff(diff_sessions(store, one.statement, two.statement)).splitlines()


def test_nothing_changed() -> None:
    first, last = lines({}, {})
    assert " → " in first
    assert last.startswith("2 cases · 2 same · ")
    assert last.endswith(" objects read")


def test_a_regression_shows_the_runs() -> None:
    found = lines({"cases": {"alpha": set()}}, {"cases": {"alpha": {1}}})
    assert found[1] == (
        "alpha   REGRESSION   STABLE → FRAGILE   3/3 (low 1.0000) → 2/3 (low 0.0000)   "
        "1 same input, output differs"
    )
    assert found[2] == (
        "    typo_noise-0a1b2c3d #1: same input, output differs: "
        "“yes” [pass, pass] → “no” [FAIL, pass]"
    )
    assert found[3].startswith("1 case · 1 REGRESSION, 0 same · ")


def test_cases_come_and_go() -> None:
    found = lines({"cases": {"gone": set()}}, {"cases": {"new": set()}})
    assert found[1].startswith("plan: ")
    assert found[2].split()[:2] == ["gone", "VANISHED"]
    assert found[3].split()[:2] == ["new", "added"]
    assert "– → STABLE" in found[3]
    assert "1 VANISHED, 1 added, 0 same" in found[4]


def test_another_system_and_machine() -> None:
    def packages(record: Any) -> Any:
        machine = msgspec.structs.replace(
            record.environment, packages=(("msgspec", "0.20.0"), ("numpy", "2.0"))
        )
        return msgspec.structs.replace(record, environment=machine)

    found = lines(
        {"missing": {("alpha", 0)}},
        {"model": "other.py:f", "python": "3.13.0", "hooks": {"session": packages}},
    )
    assert found[1] == "system: python faq.py:answer → python other.py:f"
    assert found[2] == (
        "environment: python 3.11.7 → 3.13.0, msgspec 0.19.0 → 0.20.0, numpy absent → 2.0"
    )
    assert found[3] == "the old session is incomplete"


def test_a_system_of_the_same_name() -> None:
    store = Store.memory()
    one, two = build(store=store), build(store=store)
    found = diff_sessions(store, one.statement, two.statement)
    assert found.new.target is not None
    target = msgspec.structs.replace(found.new.target, code="0" * 64)
    new = msgspec.structs.replace(found.new, target=target)
    odd = msgspec.structs.replace(found, same_target=False, new=new)
    assert text.diff(odd).splitlines()[1] == "system: python faq.py:answer, other code"


def test_of_many_runs_some_are_shown() -> None:
    whole = {"cases": {"a": set()}, "typos": 5}
    found = lines(whole, {**whole, "cases": {"a": set(range(5))}})
    assert "5 same input, output differs" in found[1]
    assert found[5] == "    … and 2 runs more; --json lists them all"


def test_manifests_alone() -> None:
    found = lines(
        {"cases": {"alpha": set()}},
        {"cases": {"alpha": {1}}, "model": "other.py:f", "python": "3.13.0"},
        manifests=True,
    )
    assert found[1].startswith("system: ")
    assert found[2] == "environment: another fingerprint"
    assert found[3].endswith("runs need evidence")
    assert found[-1].endswith("from manifests alone: answers and judgments need the evidence")


def test_an_environment_that_differs_in_nothing_shown() -> None:
    store = Store.memory()
    one, two = build(store=store), build(store=store)
    found = diff_sessions(store, one.statement, two.statement)
    odd = msgspec.structs.replace(found, same_environment=False)
    assert text.diff(odd).splitlines()[1] == "environment: another fingerprint"


@pytest.mark.parametrize("arm", [-1, -2])
def test_runs_at_rest(arm: int) -> None:
    fields = {"control": 1, "repeats": 2}
    found = lines({"cases": {"a": set()}, **fields}, {"cases": {"a": {arm}}, **fields})
    name = "baseline" if arm == -1 else "control 0"
    assert found[2].startswith(f"    {name}: same input")
    assert found[3].startswith(f"    {name}, repeat 1: same input")


def test_failures_and_runs_of_one_side() -> None:
    found = lines(
        {"cases": {"a": set()}, "typos": 4}, {"cases": {"a": set()}, "broken": {("a", 0)}}
    )
    assert any(line.endswith("“yes” [pass, pass] → the system raised an error") for line in found)
    assert any(line.endswith(": only in the old session: “yes” [pass, pass] → –") for line in found)


def test_answers_that_are_no_text() -> None:
    found = lines({"cases": {"a": set()}}, {"cases": {"a": set()}, "long": {"a"}})
    assert any("“yes” [pass, pass] → “” [pass, pass]" in line for line in found)


def test_rows_without_summaries_and_bounds() -> None:
    hooks = {"row:a": lambda row: msgspec.structs.replace(row, summary=UNSET)}
    found = lines({"cases": {"a": set()}}, {"cases": {"a": {1}}, "hooks": hooks})
    assert "EVIDENCE LOST" in found[1]
    broken = {("a", at) for at in range(3)}
    found = lines({"cases": {"a": set()}}, {"cases": {"a": set()}, "broken": broken})
    assert "3/3 (low 1.0000) → 0/0" in found[1]


def test_styles() -> None:
    store = Store.memory()
    one = build(store=store, cases={"alpha": set()})
    two = build(store=store, cases={"alpha": {1}})
    found = diff_sessions(store, one.statement, two.statement)
    shown = text.diff(found, style=lambda it, role: f"<{role}>{it}</>")
    assert "<bad>REGRESSION</>" in shown
    assert "<bad>1 REGRESSION</>" in shown
