"""Replay, inspect, log and history show what is stored, and raise for what is not."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from sessions import NOW, Built, build, remove, trusting

from probatum.errors import IntegrityError, NotFoundError, UsageError
from probatum.evidence.history import history
from probatum.evidence.inspect import inspect
from probatum.evidence.log import log
from probatum.evidence.replay import replay
from probatum.evidence.rows import checked_case_rows, result_rows
from probatum.evidence.statements import read_statement
from probatum.evidence.vault import fetch
from probatum.records.base import UNSET, StatementId
from probatum.records.case import Case
from probatum.records.inputs import BlobPart, Input, Message
from probatum.records.spec import Spec
from probatum.records.table import Row
from probatum.signing import State
from probatum.store import Store

MANY: dict[str, set[int]] = {f"case-{number:04d}": set() for number in range(1_001)}


@pytest.fixture(scope="module")
def built() -> Built:
    return build(control=1, broken={("beta", 1)})


@pytest.fixture(scope="module")
def many() -> Built:
    return build(cases=MANY, typos=2)


# replay


def test_replay_shows_the_stored_session(built: Built) -> None:
    found = replay(built.store, built.statement)
    assert [line.case for line in found.lines] == ["alpha", "beta"]
    assert [line.verdict.verdict for line in found.lines] == ["STABLE", "FRAGILE"]
    assert [line.id for line in found.lines] == [
        built.ids["verdict:alpha"],
        built.ids["verdict:beta"],
    ]
    assert found.target.model == "faq.py:answer"
    assert found.signatures is None
    assert len(found.keys) == 1


def test_replay_shows_a_verdict_as_it_was_assigned() -> None:
    """Even one that does not follow from the judgments: verify says so, replay shows it."""
    built = build(hooks={"verdict:beta": lambda it: msgspec.structs.replace(it, verdict="STABLE")})
    found = replay(built.store, built.statement)
    assert [line.verdict.verdict for line in found.lines] == ["STABLE", "STABLE"]


def test_replay_checks_signatures_when_it_is_told_the_time(built: Built) -> None:
    found = replay(built.store, built.statement, trust=trusting(7), now=NOW)
    assert found.signatures is not None
    assert found.signatures.state is State.TRUSTED


def test_replay_of_one_case(built: Built, many: Built) -> None:
    assert [it.case for it in replay(built.store, built.statement, case="beta").lines] == ["beta"]
    found = replay(many.store, many.statement, case="case-0500")
    assert [line.case for line in found.lines] == ["case-0500"]


def test_replay_of_a_case_that_is_not_there(built: Built) -> None:
    with pytest.raises(NotFoundError, match="no case is called 'betta'") as caught:
        replay(built.store, built.statement, case="betta")
    assert caught.value.candidates == ("beta",)
    assert caught.value.hint == "did you mean 'beta'?"
    with pytest.raises(NotFoundError) as caught:
        replay(built.store, built.statement, case="\ud800")
    assert caught.value.candidates == ("alpha", "beta")


def test_replay_of_something_else(built: Built) -> None:
    with pytest.raises(IntegrityError, match="is a spec, not a session"):
        replay(built.store, built.ids["spec"])
    removal = remove(built.store, StatementId("ab" * 32))
    with pytest.raises(IntegrityError, match="is a removal, not a session"):
        replay(built.store, StatementId(removal))


def test_fetch_checks_what_it_is_given(built: Built) -> None:
    assert fetch(built.store, built.ids["spec"], Spec).name == "desk"
    with pytest.raises(IntegrityError, match="is a spec, not a case"):
        fetch(built.store, built.ids["spec"], Case)
    with pytest.raises(IntegrityError, match="not an object id"):
        fetch(built.store, "../etc/passwd", Case)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        fetch(built.store, built.ids["spec"][::-1], Case)


# inspect


def test_inspect_shows_a_case_in_full(built: Built) -> None:
    found = inspect(built.store, built.statement, "beta")
    assert found.case.id == "beta"
    assert [(arm.arm, arm.index, len(arm.runs)) for arm in found.arms] == [
        ("baseline", 0, 1),
        ("control", 0, 1),
        ("perturbation", 0, 1),
        ("perturbation", 1, 1),
        ("perturbation", 2, 1),
    ]
    failing = found.arms[2]
    assert failing.perturbation is not None
    assert failing.perturbation.edits[0].op == "insert"
    (run,) = failing.runs
    assert (run.text, run.size) == ("no", -1)
    assert [(it.rule.invariant.name, it.judgment.result) for it in run.judgments] == [
        ("contains", "fail"),
        ("schema_match", "pass"),
    ]
    assert run.execution is not None
    assert run.execution.latency_us == 900
    (broken,) = found.arms[3].runs
    assert (broken.output, broken.text, broken.judgments) == (None, "", ())
    assert broken.trial.failure == "raised"


def test_inspect_shows_answers_that_are_no_text() -> None:
    built = build(long={"beta"})
    (run,) = inspect(built.store, built.statement, "beta").arms[0].runs
    assert (run.text, run.size) == ("", 5)


def test_inspect_reads_long_texts_from_their_blobs() -> None:
    built = build(long={"beta"}, raw={"answer:beta:-1": lambda _: b"a long answer"})
    (run,) = inspect(built.store, built.statement, "beta").arms[0].runs
    assert (run.text, run.size) == ("a long answer", -1)


def test_inspect_shows_what_was_not_run() -> None:
    built = build(missing={("beta", -1), ("beta", 1)})
    found = inspect(built.store, built.statement, "beta")
    assert [len(arm.runs) for arm in found.arms] == [0, 1, 0, 1]


def test_inspect_without_a_name_needs_a_single_case(built: Built) -> None:
    single = build(cases={"only": set()})
    assert inspect(single.store, single.statement).case.id == "only"
    with pytest.raises(UsageError, match="2 cases") as caught:
        inspect(built.store, built.statement)
    assert caught.value.hint == "name one: alpha, beta"


def test_inspect_is_not_led_astray_by_what_is_damaged() -> None:
    built = build(hooks={"executions:beta": lambda it: msgspec.structs.replace(it, rows=())})
    (run,) = inspect(built.store, built.statement, "beta").arms[0].runs
    assert run.execution is None
    neither = build(hooks={"output:beta:-1": lambda it: msgspec.structs.replace(it, text=UNSET)})
    (run,) = inspect(neither.store, neither.statement, "beta").arms[0].runs
    assert run.text == ""


def test_inspect_refuses_a_record_where_a_blob_belongs() -> None:
    spec = build().ids["spec"]
    built = build(
        hooks={"output:beta:-1": lambda it: msgspec.structs.replace(it, text=UNSET, blob=spec)}
    )
    with pytest.raises(IntegrityError, match="a spec stands where a blob is named"):
        inspect(built.store, built.statement, "beta")


def test_inputs_of_several_parts() -> None:
    store = Store.memory()
    image = store.put("blob", b"pixels")
    parts = Message(role="user", content=(BlobPart(blob=image, media_type="image/png"),))

    def add(record: Case) -> Case:
        messages = (*record.input.messages, parts)
        return msgspec.structs.replace(record, input=Input(messages=messages))

    built = build(store=store, hooks={"case:beta": add})
    found = inspect(store, built.statement, "beta")
    assert found.case.input.messages[1].content == parts.content


# log


def test_log_lists_newest_first(built: Built, many: Built) -> None:
    second = build(store=Store.memory())
    third = build(store=second.store, missing={("beta", 0)}, seeds=())
    found = log(second.store)
    assert [entry.statement for entry in found.entries] == [third.statement, second.statement]
    newest, oldest = found.entries
    assert (newest.seq, newest.complete, newest.signatures) == (2, False, 0)
    assert (oldest.seq, oldest.complete, oldest.signatures) == (1, True, 1)
    assert oldest.classes == (("FRAGILE", 1), ("STABLE", 1))
    assert (oldest.cases, oldest.verdict, oldest.imported) == (2, "FRAGILE", False)
    assert [entry.seq for entry in log(second.store, limit=1).entries] == [2]
    (big,) = log(many.store).entries
    assert big.cases == 1_001
    assert big.classes == (("STABLE", 1_001),)


def test_log_says_what_it_cannot_read(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store", create=True)
    build(store=store)
    damaged = build(store=store, text="other")
    name = damaged.statement
    file = tmp_path / "store" / "obj" / name[:2] / name[2:]
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:-1])
    found = log(Store.open(tmp_path / "store"))
    assert len(found.entries) == 1
    assert [item.statement for item in found.damaged] == [name]


def test_log_knows_a_session_whose_tables_are_gone() -> None:
    built = build(cases=MANY, typos=0, omit={"results:0"})
    (entry,) = log(built.store).entries
    assert (entry.cases, entry.classes) == (-1, ())


def test_log_of_nothing() -> None:
    assert log(Store.memory()).entries == ()


# history


def test_history_follows_one_case() -> None:
    first = build(cases={"alpha": set(), "beta": {0}})
    store = first.store
    second = build(store=store, cases={"alpha": set(), "beta": set()})
    build(store=store, cases={"alpha": set()})
    fourth = build(store=store, cases={"alpha": {1}, "beta": set()})
    found = history(store, "beta")
    assert [point.statement for point in found.points] == [
        fourth.statement,
        second.statement,
        first.statement,
    ]
    assert [(point.change, point.same) for point in found.points] == [
        ("", True),
        ("improved", False),
        ("", False),
    ]
    assert found.sessions == 4
    assert [point.change for point in history(store, "alpha").points] == ["regression", "", "", ""]
    assert {point.model for point in found.points} == {"faq.py:answer"}


def test_history_has_a_limit_and_still_knows_what_changed() -> None:
    first = build(cases={"beta": {0}})
    build(store=first.store, cases={"beta": set()})
    build(store=first.store, cases={"beta": {1}})
    found = history(first.store, "beta", limit=1)
    assert [(point.seq, point.change) for point in found.points] == [(3, "regression")]
    assert found.sessions == 2
    assert [point.seq for point in history(first.store, "beta", limit=9).points] == [3, 2, 1]


def test_history_in_tables(many: Built) -> None:
    assert [point.seq for point in history(many.store, "case-0007").points] == [1]
    with pytest.raises(NotFoundError) as caught:
        history(many.store, "case-xxxx")
    assert caught.value.candidates


def test_history_passes_over_what_cannot_be_read() -> None:
    good = build(cases={"case-0001": set()})
    build(store=good.store, cases=MANY, typos=0, omit={"results:0", "results:1", "target"})
    found = history(good.store, "case-0001")
    assert {point.seq for point in found.points} <= {1, 2}
    assert found.damaged


def test_history_without_target_or_summary() -> None:
    built = build(
        cases={"alpha": set()},
        omit={"target"},
        hooks={"row:alpha": lambda it: msgspec.structs.replace(it, summary=UNSET)},
    )
    build(store=built.store, cases={"alpha": set()}, model="second.py:f")
    newest, oldest = history(built.store, "alpha").points
    assert (oldest.model, oldest.summary, newest.change) == ("", UNSET, "")


def test_history_of_a_case_that_never_was(built: Built) -> None:
    with pytest.raises(NotFoundError) as caught:
        history(built.store, "alfa")
    assert caught.value.candidates == ("alpha",)
    with pytest.raises(NotFoundError):
        history(Store.memory(), "alpha")


# rows


def test_rows_of_a_statement_that_lacks_ids(built: Built) -> None:
    with pytest.raises(IntegrityError, match="verdict and executions"):
        checked_case_rows([Row(case="a", ids=())])
    predicate = read_statement(built.store, built.statement).predicate
    bare = msgspec.structs.replace(predicate, cases=UNSET, tables=UNSET)
    assert result_rows(built.store, bare) == []
    wrong = msgspec.structs.replace(predicate, cases=UNSET, tables=(built.ids["spec-table:0"],))
    with pytest.raises(IntegrityError, match="verdict and executions"):
        result_rows(built.store, wrong)
