"""Two sessions, run by run; two manifests, case by case."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from sessions import Built, build

from probatum.errors import ExitCode, IntegrityError
from probatum.evidence.diff import SessionDiff, diff_manifests, diff_sessions
from probatum.evidence.manifest import build_manifest, read_manifest
from probatum.records.base import UNSET
from probatum.store import Store


def pair(
    old: dict[str, Any], new: dict[str, Any], *, texts: int = 3
) -> tuple[SessionDiff, SessionDiff]:
    """Return the comparison of two sessions, and of their manifests."""
    store = Store.memory()
    one, two = build(store=store, **old), build(store=store, **new)
    files = [read_manifest(build_manifest(store, item.statement)) for item in (one, two)]
    found = diff_sessions(store, one.statement, two.statement, texts=texts)
    return found, diff_manifests(files[0], files[1])


def changes(found: SessionDiff) -> dict[str, str]:
    return {case.case: case.change for case in found.cases}


def test_the_same_twice_reads_next_to_nothing() -> None:
    found, alone = pair({}, {})
    assert changes(found) == changes(alone) == {"alpha": "same", "beta": "same"}
    assert (found.skipped, found.exit_code, found.counts) == (2, ExitCode.OK, {"same": 2})
    assert found.same_plan
    assert found.same_target
    assert found.same_environment
    assert found.objects_read <= 8
    assert (found.evidence, alone.evidence, alone.objects_read) == (True, False, 0)
    assert not any(case.rows or case.differing for case in found.cases)


@pytest.mark.parametrize(
    ("old", "new", "change", "code"),
    [
        (set(), {1}, "regression", ExitCode.REGRESSION),
        ({1}, set(), "improved", ExitCode.OK),
        ({1}, {1, 2}, "changed", ExitCode.OK),
    ],
)
def test_a_case_that_moves(old: set[int], new: set[int], change: str, code: ExitCode) -> None:
    found, alone = pair({"cases": {"alpha": old}}, {"cases": {"alpha": new}})
    assert changes(found) == changes(alone) == {"alpha": change}
    assert found.exit_code is code
    assert alone.exit_code is code
    (case,) = found.cases
    assert case.rows == (("output-differs", 1), ("same", 3))
    (run,) = case.differing
    assert run.old is not None
    assert run.new is not None
    assert {run.old.text, run.new.text} == {"yes", "no"}
    assert {run.old.results, run.new.results} == {("pass", "pass"), ("fail", "pass")}
    assert not case.needs_evidence
    (blind,) = alone.cases
    assert blind.needs_evidence
    assert blind.rows == ()
    assert blind.old is not None
    assert blind.new is not None
    assert blind.old.low != blind.new.low or change == "changed"


def test_lost_evidence_and_regression_together() -> None:
    old = {"cases": {"alpha": set(), "beta": set(), "gone": set()}}
    gone = {("beta", number) for number in range(3)}
    found, alone = pair(
        old, {"cases": {"alpha": set(), "beta": set(), "new": set()}, "broken": gone}
    )
    assert changes(found) == {
        "alpha": "same",
        "beta": "evidence-lost",
        "gone": "vanished",
        "new": "added",
    }
    assert found.exit_code is alone.exit_code is ExitCode.INSUFFICIENT
    beta = found.cases[1]
    assert beta.rows == (("output-differs", 3), ("same", 1))
    assert {run.new.failure for run in beta.differing if run.new} == {"raised"}
    assert found.cases[2].new is None
    assert found.cases[3].old is None
    both, _ = pair(old, {"cases": {"alpha": {0}}})
    assert both.exit_code is ExitCode.REGRESSION
    assert both.exit_codes == (ExitCode.REGRESSION, ExitCode.INSUFFICIENT)


def test_texts_are_read_as_far_as_asked() -> None:
    old, new = {"cases": {"alpha": set()}}, {"cases": {"alpha": {0, 1, 2}}}
    found, _ = pair(old, new, texts=2)
    assert [run.read for run in found.cases[0].differing] == [True, True, False]
    unread = found.cases[0].differing[2].new
    assert unread is not None
    assert (unread.text, unread.results) == ("", ("fail", "pass"))
    assert unread.output


def test_what_broke_is_read_first() -> None:
    def said(record: Any) -> Any:
        return msgspec.structs.replace(record, text=f"well, {record.text}")

    hooks = {f"output:alpha:{number}": said for number in (-1, 0, 1, 2)}
    old, new = {"cases": {"alpha": set()}}, {"cases": {"alpha": {2}}, "hooks": hooks}
    found, _ = pair(old, new, texts=1)
    (case,) = found.cases
    assert len(case.differing) == 4
    (shown,) = [run for run in case.differing if run.read]
    assert (shown.arm, shown.index) == ("perturbation", 2)
    assert shown.new is not None
    assert shown.new.results == ("fail", "pass")


def test_a_run_in_which_the_system_now_breaks_is_read_first() -> None:
    old = {"cases": {"alpha": set()}}
    found, _ = pair(old, {"cases": {"alpha": {0}}, "broken": {("alpha", 2)}}, texts=1)
    (shown,) = [run for run in found.cases[0].differing if run.read]
    assert shown.index in (0, 2)


def test_another_system() -> None:
    found, _ = pair({}, {"model": "other.py:answer", "python": "3.13.0"})
    assert found.same_plan
    assert not found.same_target
    assert not found.same_environment
    assert set(changes(found).values()) == {"same"}
    assert found.new.target is not None
    assert found.new.target.model == "other.py:answer"


def test_another_policy_has_the_same_runs() -> None:
    """Equal trials are not even read; what differs is what they amount to."""
    found, _ = pair({"threshold": "0.95"}, {"threshold": "0.5"})
    assert changes(found) == {"alpha": "changed", "beta": "changed"}
    assert all(dict(case.rows).keys() == {"same"} for case in found.cases)


def test_another_input() -> None:
    found, _ = pair({"cases": {"alpha": set()}}, {"cases": {"alpha": set()}, "text": "something"})
    (case,) = found.cases
    assert case.rows == (("inputs-differ", 4),)
    assert not found.same_plan


def test_other_perturbations_and_fewer() -> None:
    found, _ = pair({"cases": {"alpha": set()}, "typos": 4}, {"cases": {"alpha": set()}})
    assert found.cases[0].rows == (("only-old", 1), ("same", 4))
    assert found.cases[0].differing[0].new is None
    found, _ = pair({"cases": {"alpha": set()}}, {"cases": {"alpha": set()}, "typos": 4})
    assert found.cases[0].rows == (("only-new", 1), ("same", 4))
    assert found.cases[0].differing[0].old is None


def test_another_judgment_of_the_same_answer() -> None:
    def harsher(record: Any) -> Any:
        return msgspec.structs.replace(record, result="fail")

    hooks = {"judgment:alpha:1:0": harsher}
    found, _ = pair({"cases": {"alpha": set()}}, {"cases": {"alpha": set()}, "hooks": hooks})
    assert found.cases[0].rows == (("judgment-differs", 1), ("same", 3))


def test_repeats_and_controls_are_paired() -> None:
    fields = {"cases": {"alpha": set()}, "repeats": 2, "control": 2}
    found, _ = pair(fields, {**fields, "cases": {"alpha": {-2}}})
    (case,) = found.cases
    assert case.rows == (("output-differs", 2), ("same", 10))
    assert [(run.arm, run.index, run.repeat) for run in case.differing] == [
        ("control", 0, 0),
        ("control", 0, 1),
    ]


def test_rows_without_a_summary_count_as_lost() -> None:
    hooks = {"row:alpha": lambda row: msgspec.structs.replace(row, summary=UNSET)}
    found, alone = pair({"cases": {"alpha": set()}}, {"cases": {"alpha": {1}}, "hooks": hooks})
    assert changes(found) == changes(alone) == {"alpha": "evidence-lost"}
    assert found.cases[0].new is None


def test_many_cases_are_compared_by_their_tables() -> None:
    cases: dict[str, set[int]] = {f"case-{number:04d}": set() for number in range(1_001)}
    store = Store.memory()
    one = build(store=store, cases=cases, typos=2)
    two = build(store=store, cases={**cases, "case-0500": {1}}, typos=2)
    found = diff_sessions(store, one.statement, two.statement)
    assert found.counts == {"same": 1_000, "regression": 1}
    assert found.objects_read < 60
    blind = diff_manifests(*(_manifest(built) for built in (one, two)))
    assert blind.counts == found.counts


def _manifest(built: Built) -> Any:
    return read_manifest(build_manifest(built.store, built.statement))


def test_two_summaries_of_one_verdict_are_refused() -> None:
    def better(row: Any) -> Any:
        summary = msgspec.structs.replace(row.summary, verdict="STABLE", rule="R6")
        return msgspec.structs.replace(row, summary=summary)

    with pytest.raises(IntegrityError, match="'beta' is summed up in two ways") as caught:
        pair({}, {"hooks": {"row:beta": better}})
    assert caught.value.code == "summary-mismatch"
