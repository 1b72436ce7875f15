from __future__ import annotations

import itertools
import json
import os
import signal
import threading
import time
from typing import Any

import pytest

from probatum import canonical
from probatum.digest import object_id, sha256_hex
from probatum.engine import pipeline
from probatum.engine.pipeline import Progress, RunResult, Signed
from probatum.engine.sources import journal_sources, session_sources
from probatum.errors import (
    ConflictError,
    EnvironmentFault,
    IntegrityError,
    Interrupted,
    NotFoundError,
    ProviderFault,
)
from probatum.plugins.protocols import Answer, Failed, Missing, Request
from probatum.records import codec
from probatum.records.base import UNSET
from probatum.records.case import Case
from probatum.records.executions import Executions
from probatum.records.judgment import Judgment
from probatum.records.output import Output
from probatum.records.plan import Plan, PlanCase
from probatum.records.session import Session
from probatum.records.statement import SessionStatement
from probatum.records.table import Table
from probatum.records.trials import Trials
from probatum.records.verdict import Verdict
from probatum.store import Journal, Store, closure, inventory_bytes, merkle_root
from probatum.store.walk import inventory_lines

ECHO = "def answer(prompt):\n    return prompt\n"


def parts(store: Store, result: RunResult, case: str = "one") -> tuple[Verdict, Trials, Executions]:
    """Return verdict, trials and executions of a case."""
    row = next(row for row in result.rows if row.case == case)
    verdict = store.record(row.ids[0], Verdict)
    executions = store.record(row.ids[1], Executions)
    return verdict, store.record(verdict.trials, Trials), executions


def test_a_run_leaves_one_signed_published_session(lab: Any) -> None:
    lab.callable(ECHO)
    seen: list[bytes] = []

    def sign(data: bytes) -> Signed:
        seen.append(data)
        return Signed("a" * 64, b"{}")

    result = lab.run(lab.compile(), sign=sign)
    store = lab.store
    assert store.resolve_name("latest") == result.statement_id
    assert store.journals() == []
    assert store.signatures(result.statement_id) == [b"{}"]
    assert result.fingerprint == "a" * 64
    assert seen == [codec.encode(result.statement)]
    assert object_id("statement", seen[0]) == result.statement_id
    assert store.record(result.statement_id, SessionStatement) == result.statement
    session = result.session
    assert store.record(result.statement.predicate.root, Session) == session
    assert (session.name, session.producer, session.complete) == ("lab", "run", True)
    assert (session.seq, session.prev, session.continues) == (1, (), UNSET)
    assert session.settings == '{"cache":true,"parallel":8,"timeout_seconds":"30"}'
    assert session.start < session.end
    assert (session.totals.cases, session.totals.runs, session.totals.missing) == (1, 7, 0)
    assert session.sources[0].path.endswith("spec.yaml")
    assert store.get(session.sources[0].content).payload == (lab.folder / "spec.yaml").read_bytes()
    assert result.missing == ()


def test_the_statement_is_over_the_closure_and_nothing_else(lab: Any) -> None:
    lab.callable(ECHO)
    result = lab.run(lab.compile())
    predicate = result.statement.predicate
    walked = closure(lab.store, predicate.root)
    assert walked.missing == []
    inventory = inventory_bytes(walked.entries)
    assert result.statement.subject[0].digest.sha256 == sha256_hex(inventory)
    assert predicate.merkle_root == merkle_root(inventory_lines(walked.entries))
    counts = {item.kind: item.count for item in predicate.objects}
    assert sum(counts.values()) == len(walked.entries)
    assert counts["perturbation"] == 6
    assert predicate.cases == result.rows
    assert predicate.tables is UNSET
    assert predicate.store == lab.store.id
    environment = canonical.encode_record(result.session.environment)
    assert predicate.environment == sha256_hex(environment)
    stored = {item.id for item in lab.store.scan() if hasattr(item, "kind")}
    assert stored == {entry.id for entry in walked.entries} | {result.statement_id}
    assert result.fingerprint is None


def test_rows_stand_in_order_with_their_circumstances(lab: Any) -> None:
    lab.callable(ECHO)
    result = lab.run(lab.compile())
    verdict, trials, executions = parts(lab.store, result)
    assert [(row.arm, row.index, row.repeat) for row in trials.rows] == [
        ("baseline", UNSET, 0),
        *[("perturbation", index, 0) for index in range(3)],
        *[("perturbation", index, 0) for index in range(3)],
    ]
    assert len(executions.rows) == len(trials.rows)
    assert executions.trials == verdict.trials
    assert all(row.latency_us >= 1_000 and row.attempts == 1 for row in executions.rows)
    baseline = trials.rows[0]
    output = lab.store.record(baseline.output, Output)
    assert output == Output(finish="stop", text="Where is my parcel, please?")
    judgment = lab.store.record(baseline.judgments[0], Judgment)
    assert (judgment.result, judgment.subject) == ("pass", baseline.output)


def test_repeats_and_controls_are_run_as_often_as_the_spec_says(lab: Any) -> None:
    system = lab.scripted(lambda request: "parcel")
    result = lab.run(lab.compile(run={"seed": 1, "replications": 2, "control": 3}))
    trials = parts(lab.store, result)[1]
    places = [(row.arm, row.index, row.repeat) for row in trials.rows]
    assert places[:8] == [
        ("baseline", UNSET, 0),
        ("baseline", UNSET, 1),
        *[("control", index, repeat) for index in range(3) for repeat in range(2)],
    ]
    assert len(places) == 2 * (1 + 3 + 6) == len(system.asked)
    assert system.asked[0].arm == "baseline"
    assert system.closed == 1


@pytest.mark.parametrize(
    ("answer", "failure", "reason"),
    [
        (Failed("raised", "ValueError: a\nb"), "raised", None),
        (Failed("malformed", "returned None"), "malformed", None),
        ("x" * (16 * 1024 * 1024 + 1), "too-large", None),
        ("", None, "empty"),
        ("a\ud800", None, "not-text"),
        (b"\xff", None, "not-text"),
        (Answer("par", finish="length"), None, "truncated"),
        (Answer("no", finish="filtered"), None, "filtered"),
        ("parcel " * 20_000, None, None),
    ],
)
def test_every_kind_of_answer_becomes_a_final_row(
    lab: Any, answer: Any, failure: str | None, reason: str | None
) -> None:
    lab.scripted(lambda request: answer)
    result = lab.run(lab.compile({"perturbations": [{"type": "casing"}]}))
    _, trials, executions = parts(lab.store, result)
    assert result.session.complete
    for row, execution in zip(trials.rows, executions.rows, strict=True):
        assert row.failure == (failure or UNSET)
        assert (execution.error is UNSET) is (failure is None)
        if failure is None:
            judgment = lab.store.record(row.judgments[0], Judgment)
            assert judgment.reason == (reason or UNSET)
        else:
            assert row.judgments == ()
            assert "\n" not in execution.error
    assert result.session.totals.failed_runs == (len(trials.rows) if failure else 0)


def test_what_a_system_tells_beside_its_answer_is_kept(lab: Any) -> None:
    lab.scripted(
        lambda request: Answer(
            "parcel", input_tokens=3, output_tokens=0, model="m", response_id="r", attempts=2
        )
    )
    row = parts(lab.store, lab.run(lab.compile()))[2].rows[0]
    assert (row.attempts, row.input_tokens, row.output_tokens) == (2, 3, 0)
    assert (row.model, row.response_id) == ("m", "r")


def test_equal_answers_are_stored_and_judged_once(lab: Any) -> None:
    lab.scripted(lambda request: "the parcel")
    result = lab.run(lab.compile({"id": "a"}, {"id": "b"}))
    counts = {item.kind: item.count for item in result.statement.predicate.objects}
    assert (counts["output"], counts["judgment"]) == (1, 1)


def test_many_different_answers_are_not_all_remembered(
    lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from probatum.engine import press

    monkeypatch.setattr(press, "_REMEMBERED", 2)
    numbers = itertools.count()
    lab.scripted(lambda request: f"parcel {next(numbers)}")
    result = lab.run(lab.compile())
    counts = {item.kind: item.count for item in result.statement.predicate.objects}
    assert counts["output"] == 7


def test_the_results_are_the_same_whatever_the_number_of_workers(lab: Any) -> None:
    lab.callable(ECHO)
    found = []
    for parallel in (1, 8):
        lab.store = Store.memory()
        compiled = lab.compile({"id": "a"}, {"id": "b"}, run={"parallel": parallel})
        result = lab.run(compiled)
        found.append((result.session.plan, [row.ids[0] for row in result.rows]))
    assert found[0] == found[1]


def test_a_hundred_tables_worth_of_cases_names_its_tables(lab: Any) -> None:
    lab.scripted(lambda request: "parcel")
    cases = [{"id": f"c{number}", "perturbations": []} for number in range(1_001)]
    result = lab.run(lab.compile(*cases))
    predicate = result.statement.predicate
    assert predicate.cases is UNSET
    assert predicate.tables == result.session.results
    assert len(predicate.tables) == 16
    assert [row.case for row in result.rows] == sorted(case["id"] for case in cases)


def test_inputs_that_do_not_fit_in_memory_are_read_back(
    lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from probatum.engine import unroll

    monkeypatch.setattr(unroll, "_AT_HAND", 30)
    lab.callable(ECHO)
    result = lab.run(lab.compile())
    trials = parts(lab.store, result)[1]
    plan = lab.store.record(result.session.plan, Plan)
    (row,) = lab.store.record(plan.cases[0], Table).rows
    plan_case = lab.store.record(row.ids[0], PlanCase)
    assert [item.perturbation for item in plan_case.perturbations] == [
        row.perturbation for row in trials.rows[1:]
    ]
    texts = {lab.store.record(row.output, Output).text for row in trials.rows}
    assert len(texts) == 7


def test_a_session_is_chained_to_the_one_before(lab: Any) -> None:
    lab.callable(ECHO)
    first, second = (lab.run(lab.compile()) for _ in range(2))
    assert second.session.seq == 2
    assert second.session.prev == (first.statement_id,)
    assert second.session.plan == first.session.plan
    assert [row.ids[0] for row in second.rows] == [row.ids[0] for row in first.rows]


def test_a_system_that_cannot_be_set_up_leaves_nothing(lab: Any) -> None:
    with pytest.raises(ProviderFault):
        lab.run(lab.compile())
    assert list(lab.store.scan()) == []
    assert lab.store.journals() == []


def test_progress_is_told_from_plan_to_seal(lab: Any) -> None:
    def answer(request: Request) -> Any:
        return Missing("gone") if request.arm == "baseline" else Failed("raised", "x")

    lab.scripted(answer)
    seen: list[Progress] = []
    lab.clock = iter(range(0, 10**12, 300_000)).__next__
    lab.run(lab.compile(), progress=seen.append)
    assert seen[0] == Progress("plan", 0, 0, 0, 0)
    assert seen[-1] == Progress("seal", 6, 7, 1, 6)
    assert all(item.total == 7 for item in seen[1:])


def test_secrets_of_the_model_section_are_taken_out(lab: Any) -> None:
    lab.folder.joinpath("bot.sh").write_text('#!/bin/sh\necho parcel $1; test -n "$1"\n')
    lab.folder.joinpath("bot.sh").chmod(0o755)
    model = {
        "provider": "command",
        "command": ["./bot.sh", "${TOKEN}"],
        "mode": "call",
    }
    result = lab.run(lab.compile(model=model), environ={"TOKEN": "hunter2-hunter2"})
    trials = parts(lab.store, result)[1]
    assert lab.store.record(trials.rows[0].output, Output).text == "parcel ${TOKEN}"
    for item in lab.store.scan():
        assert b"hunter2" not in lab.store.get(item.id).payload


# Interrupted and resumed


def interrupting(lab: Any, at: int) -> list[int]:
    """Let the callable send SIGINT at its `at`-th call; return the calls it counts."""
    calls: list[int] = []

    def answer(request: Request) -> Any:
        calls.append(1)
        if len(calls) == at:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.02)
        return request.input.messages[0].content

    lab.scripted(answer)
    return calls


def resume(lab: Any, **given: Any) -> RunResult:
    (info,) = lab.store.journals()
    assert not info.running
    sources = journal_sources(lab.store, info.name)
    assert sources.folder == lab.folder
    result: RunResult = lab.run(lab.recompile(sources), journal=info.name, **given)
    return result


def test_an_interrupted_run_goes_on_and_ends_as_if_nothing_had_been(lab: Any) -> None:
    cases = [{"id": f"c{number}"} for number in range(6)]
    lab.scripted(lambda request: request.input.messages[0].content)
    whole = lab.run(lab.compile(*cases))
    calls = interrupting(lab, 11)
    with pytest.raises(Interrupted) as caught:
        lab.run(lab.compile(*cases, run={"parallel": 2}), invocation='{"first":true}')
    assert "--resume" in caught.value.hint
    assert caught.value.exit_code == 130
    made = len(calls)
    assert made < 42
    result = resume(lab, invocation='{"second":true}')
    assert result.session.complete
    assert result.session.invocation == '{"first":true}'
    assert [row.ids[0] for row in result.rows] == [row.ids[0] for row in whole.rows]
    assert 42 <= len(calls) <= 42 + 4
    assert lab.store.journals() == []
    assert result.session.totals.reused == 0
    walked = closure(lab.store, result.statement.predicate.root)
    assert walked.missing == []
    subject = result.statement.subject[0].digest.sha256
    assert subject == sha256_hex(inventory_bytes(walked.entries))


def test_a_run_interrupted_while_it_plans_can_go_on(
    lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.callable(ECHO)
    real = pipeline.unroll

    def late(*given: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return real(*given)

    monkeypatch.setattr(pipeline, "unroll", late)
    with pytest.raises(Interrupted):
        lab.run(lab.compile())
    monkeypatch.undo()
    assert resume(lab).session.totals.runs == 7


def test_rows_of_failures_and_blobs_are_taken_over(lab: Any) -> None:
    calls: list[int] = []

    def answer(request: Request) -> Any:
        calls.append(1)
        if len(calls) == 4:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.02)
        return [Failed("raised", "x"), "parcel " * 20_000, b"\xff"][len(calls) % 3]

    lab.scripted(answer)
    with pytest.raises(Interrupted):
        lab.run(lab.compile(run={"parallel": 1}))
    result = resume(lab)
    trials = parts(lab.store, result)[1]
    assert {row.failure for row in trials.rows} == {"raised", UNSET}
    assert len(trials.rows) == 7
    assert closure(lab.store, result.statement.predicate.root).missing == []


def test_a_changed_system_is_refused_and_the_journal_stays(lab: Any) -> None:
    interrupting(lab, 2)
    with pytest.raises(Interrupted):
        lab.run(lab.compile(run={"parallel": 1}))
    lab.callable(ECHO)
    lab.registry = type(lab.registry).__mro__[1]()
    with pytest.raises(ConflictError) as caught:
        resume(lab)
    assert caught.value.code == "target-changed"
    assert len(lab.store.journals()) == 1


def test_a_changed_plan_is_refused(lab: Any) -> None:
    interrupting(lab, 2)
    with pytest.raises(Interrupted):
        lab.run(lab.compile(run={"parallel": 1}))
    (info,) = lab.store.journals()
    other = lab.compile(run={"seed": 8, "parallel": 1})
    with pytest.raises(ConflictError) as caught:
        lab.run(other, journal=info.name)
    assert caught.value.code == "plan-changed"


def test_a_failure_while_publishing_leaves_only_publishing_to_do(
    lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = lab.scripted(lambda request: "parcel")
    signed: list[bytes] = []

    def fail(data: bytes) -> Signed:
        raise EnvironmentFault("no key")

    def sign(data: bytes) -> Signed:
        signed.append(data)
        return Signed("b" * 64, b"{}")

    with pytest.raises(EnvironmentFault):
        lab.run(lab.compile(), sign=fail)
    assert lab.store.sessions() == []
    asked = len(system.asked)
    result = resume(lab, sign=sign)
    assert len(system.asked) == asked
    assert object_id("statement", signed[0]) == result.statement_id
    assert lab.store.resolve_name("latest") == result.statement_id
    assert [row.case for row in result.rows] == ["one"]


@pytest.mark.parametrize("step", ["seal", "publish", "discard"])
def test_a_crash_at_each_last_step_is_made_good_by_resuming(
    lab: Any, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    lab.scripted(lambda request: "parcel")

    def crash(*given: Any) -> Any:
        raise EnvironmentFault("power")

    owner, name = {
        "seal": (Journal, "seal"),
        "publish": (Store, "publish_session"),
        "discard": (Journal, "discard"),
    }[step]
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, crash)
        with pytest.raises(EnvironmentFault):
            lab.run(lab.compile())
    for info in lab.store.journals():
        if info.running:
            pytest.fail("the journal is still held")
    result = resume(lab)
    assert lab.store.resolve_name("latest") == result.statement_id
    assert len(lab.store.sessions()) == 1
    assert lab.store.journals() == []


def test_a_journal_that_cannot_be_flushed_does_not_hide_the_first_error(
    lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.scripted(lambda request: "parcel")

    def full(*given: Any) -> Any:
        raise EnvironmentFault("disk full", code="disk-full")

    monkeypatch.setattr(Journal, "note", full)
    monkeypatch.setattr(Journal, "close", lambda self: (_ for _ in ()).throw(EnvironmentFault("x")))
    with pytest.raises(EnvironmentFault) as caught:
        lab.run(lab.compile())
    assert caught.value.code == "disk-full"


def test_a_journal_without_its_spec_has_nothing_to_resume(lab: Any) -> None:
    journal = lab.store.start_journal(
        {
            "format": "probatum-run/1",
            "folder": "/x",
            "sources": [["spec.yaml", "0" * 64]],
            "start": 1,
            "invocation": "{}",
        }
    )
    journal.close()
    with pytest.raises(NotFoundError) as caught:
        journal_sources(lab.store, journal.name)
    assert caught.value.code == "nothing-to-resume"
    assert lab.store.journals() == []


def test_a_journal_of_something_else_is_left_alone(lab: Any) -> None:
    journal = lab.store.start_journal({"format": "other/1"})
    journal.close()
    with pytest.raises(IntegrityError):
        journal_sources(lab.store, journal.name)
    assert [info.running for info in lab.store.journals()] == [False]


def test_a_sealing_note_that_names_no_session_is_damage(lab: Any) -> None:
    from probatum.engine.rows import Sealing, spell

    interrupting(lab, 2)
    with pytest.raises(Interrupted):
        lab.run(lab.compile(run={"parallel": 1}))
    (info,) = lab.store.journals()
    journal = lab.store.reopen_journal(info.name)
    name = journal.put_record(Output(finish="stop", text="x"))
    journal.note(spell(Sealing(name)))
    journal.close()
    with pytest.raises(IntegrityError) as caught:
        resume(lab)
    assert caught.value.code == "wrong-kind"


def test_an_object_that_the_journal_lost_is_noticed_before_sealing(
    lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from probatum.engine.log import Log

    lab.scripted(lambda request: "parcel")
    real = Log.put_record

    def forget(self: Log, record: Any) -> Any:
        return codec.identify(record) if isinstance(record, Case) else real(self, record)

    monkeypatch.setattr(Log, "put_record", forget)
    with pytest.raises(IntegrityError) as caught:
        lab.run(lab.compile())
    assert caught.value.code == "journal-damaged"
    assert lab.store.sessions() == []


def test_a_hanging_callable_times_out_and_the_run_ends(lab: Any) -> None:
    lab.callable(
        "import threading\nforever = threading.Event()\ncalls = []\n"
        "def answer(prompt):\n"
        "    calls.append(prompt)\n"
        "    if len(calls) == 2:\n        forever.wait(30)\n"
        "    return prompt\n"
    )
    result = lab.run(lab.compile(run={"timeout_seconds": 0.2}))
    trials = parts(lab.store, result)[1]
    assert [row.failure for row in trials.rows].count("timeout") == 1
    assert result.session.complete
    import sys

    next(m for n, m in list(sys.modules.items()) if hasattr(m, "forever")).forever.set()


# Missing runs, and completing them


def test_missing_runs_make_an_incomplete_session_that_another_completes(lab: Any) -> None:
    gone = {"yes": True}

    def answer(request: Request) -> Any:
        if gone["yes"] and request.arm == "perturbation" and request.index == 1:
            return Missing(f"rate limit\n{request.declaration[:3]}")
        return "parcel"

    system = lab.scripted(answer)
    first = lab.run(lab.compile())
    assert not first.session.complete
    assert first.session.totals.missing == 2
    assert sorted(first.missing) == ["rate limit cas", "rate limit typ"]
    assert len(parts(lab.store, first)[1].rows) == 5
    system.asked.clear()
    gone["yes"] = False
    sources = session_sources(lab.store, first.statement_id)
    assert sources.folder is None
    second = lab.run(lab.recompile(sources), continues=first.statement_id)
    assert len(system.asked) == 2
    assert second.session.complete
    assert second.session.continues == first.statement_id
    assert second.statement.predicate.continues == first.statement_id
    assert second.session.totals.reused == 5
    executions = parts(lab.store, second)[2]
    reused = [row.reused_from for row in executions.rows]
    assert reused.count(first.statement_id) == 5
    assert reused.count(UNSET) == 2
    assert closure(lab.store, second.statement.predicate.root).missing == []


def test_a_completed_row_keeps_the_session_it_was_first_observed_in(lab: Any) -> None:
    left = {"count": 2}

    def answer(request: Request) -> Any:
        if request.index == 1 and left["count"] > 0:
            left["count"] -= 1
            return Missing("later")
        return "parcel"

    lab.scripted(answer)
    compiled = lab.compile({"perturbations": [{"type": "casing"}]}, run={"parallel": 1})
    first = lab.run(compiled)
    second = lab.run(compiled, continues=first.statement_id)
    third = lab.run(compiled, continues=second.statement_id)
    assert [item.session.complete for item in (first, second, third)] == [False, False, True]
    rows = parts(lab.store, third)[2].rows
    assert {row.reused_from for row in rows} == {first.statement_id, UNSET}


def test_an_interrupted_completion_is_resumed_with_what_it_continues(lab: Any) -> None:
    mode = {"now": "missing"}

    def answer(request: Request) -> Any:
        if request.arm == "perturbation" and mode["now"] == "missing":
            return Missing("later")
        if mode["now"] == "stop":
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.02)
            mode["now"] = "go"
        return "parcel"

    system = lab.scripted(answer)
    compiled = lab.compile(run={"parallel": 1})
    first = lab.run(compiled)
    mode["now"] = "stop"
    with pytest.raises(Interrupted):
        lab.run(compiled, continues=first.statement_id)
    system.asked.clear()
    result = resume(lab)
    assert result.session.continues == first.statement_id
    assert result.session.complete
    assert result.session.totals.reused == 1
    assert all(request.arm == "perturbation" for request in system.asked)


def test_a_session_of_another_plan_or_system_cannot_be_continued(lab: Any) -> None:
    lab.scripted(lambda request: Missing("x"))
    first = lab.run(lab.compile())
    with pytest.raises(ConflictError) as caught:
        lab.run(lab.compile({"id": "other"}), continues=first.statement_id)
    assert caught.value.code == "plan-changed"
    compiled = lab.compile()
    lab.callable(ECHO)
    lab.registry = type(lab.registry).__mro__[1]()
    with pytest.raises(ConflictError) as caught:
        lab.run(compiled, continues=first.statement_id)
    assert caught.value.code == "target-changed"


def test_a_case_that_the_earlier_session_lost_is_run_anew(lab: Any) -> None:
    from probatum.engine.earlier import Earlier

    lab.scripted(lambda request: "parcel")
    first = lab.run(lab.compile())
    earlier = Earlier(lab.store, first.statement_id)
    assert earlier.rows("unknown") == {}
    verdict, executions = earlier._places["one"]
    other = Executions(trials=parts(lab.store, first)[0].trials, rows=())
    earlier._places["one"] = (verdict, lab.store.put_record(other))
    with pytest.raises(IntegrityError):
        earlier.rows("one")
    assert executions


def test_a_note_that_names_no_output_is_damage(lab: Any) -> None:
    from probatum.engine.rows import Made, Rows, spell
    from probatum.records.executions import Execution

    interrupting(lab, 2)
    with pytest.raises(Interrupted):
        lab.run(lab.compile(run={"parallel": 1}))
    (info,) = lab.store.journals()
    journal = lab.store.reopen_journal(info.name)
    name = journal.put_record(lab.registry.system.target)
    execution = Execution(start_us=0, latency_us=0, attempts=1)
    journal.note(spell(Rows((Made("one", "baseline", "", 0, 0, name, None, execution),))))
    journal.close()
    with pytest.raises(IntegrityError) as caught:
        resume(lab)
    assert caught.value.code == "wrong-kind"


def test_a_perturbation_that_is_none_is_damage(lab: Any) -> None:
    from probatum.engine.log import Heading, start
    from probatum.engine.unroll import Inputs

    log = start(lab.store, Heading("/x", (), 0, "{}", None), [])
    name = log.put_record(Output(finish="stop", text="x"))
    with pytest.raises(IntegrityError):
        Inputs(log).get(name)
    log.journal.discard()


def test_eight_runs_at_once_share_a_store(lab: Any) -> None:
    lab.scripted(lambda request: "parcel")
    compiled = lab.compile()
    found: list[RunResult] = []
    threads = [threading.Thread(target=lambda: found.append(lab.run(compiled))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len({result.statement_id for result in found}) == 8
    assert len(lab.store.sessions()) == 8


def test_declared_falsifiability_is_of_the_checks_alone(lab: Any) -> None:
    lab.callable(ECHO)
    plain = lab.run(lab.compile())
    expected = {"expected": {"contains": ["a very long expectation, which is no check at all"]}}
    assert lab.run(lab.compile(expected)).session.falsifiability == plain.session.falsifiability
    assert plain.session.falsifiability == "0.1200"


def test_a_schema_is_stored_and_judges(lab: Any) -> None:
    lab.folder.joinpath("schema.json").write_text(json.dumps({"required": ["a"]}))
    lab.scripted(lambda request: '{"a": 1}')
    invariants = [{"type": "schema_match", "schema": "schema.json"}]
    result = lab.run(lab.compile({"invariants": invariants}))
    assert result.session.verdict == "STABLE"
    assert result.session.falsifiability == "0.2000"
    assert len(result.session.sources) == 2
