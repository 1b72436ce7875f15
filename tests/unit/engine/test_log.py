from __future__ import annotations

from typing import Any

import pytest

from probatum.digest import Digest, object_id
from probatum.engine.log import Heading, Log, heading_of, start
from probatum.engine.rows import Made, Opened, Place, Rows, Sealing, read, slots_of, spell
from probatum.errors import IntegrityError
from probatum.records.base import (
    BlobId,
    CaseId,
    OutputId,
    PerturbationId,
    PlanId,
    StatementId,
    TargetId,
)
from probatum.records.executions import Execution
from probatum.records.plan import PlanCase, Planned
from probatum.store import Store

EXECUTION = Execution(start_us=1, latency_us=2, attempts=1)


def identifier(digit: str) -> Digest:
    return Digest(digit * 64)


def heading(**given: Any) -> Heading:
    blob = BlobId(object_id("blob", b"spec"))
    full = {"sources": (("spec.yaml", blob),), "start": 5, "invocation": "{}", "continues": None}
    return Heading(folder="/somewhere", **{**full, **given})


def made(case: str = "c", index: int = 0, **given: Any) -> Made:
    full: dict[str, Any] = {"output": OutputId(identifier("a")), "failure": None, **given}
    return Made(case, "perturbation", "d", index, 0, execution=EXECUTION, **full)


def test_a_heading_comes_back_from_the_journal() -> None:
    store = Store.memory()
    log = start(store, heading(continues=StatementId(identifier("f"))), [("spec.yaml", b"spec")])
    assert log.heading == heading(continues=identifier("f"))
    name = log.journal.name
    log.journal.close()
    again = Log(store.reopen_journal(name))
    assert again.heading == log.heading
    assert again.blob(again.heading.sources[0][1]) == b"spec"
    assert (again.opened, again.sealing, again.rows) == (None, None, {})


@pytest.mark.parametrize(
    "change",
    [
        {"format": "probatum-run/2"},
        {"format": None},
        {"folder": None},
        {"sources": None},
        {"sources": [["a"]]},
        {"start": "soon"},
    ],
)
def test_a_header_of_something_else_is_refused(change: dict[str, Any]) -> None:
    header = {**heading().header(), **change}
    header = {name: value for name, value in header.items() if value is not None}
    with pytest.raises(IntegrityError) as caught:
        heading_of(header)
    assert caught.value.code == "bad-journal"


def test_notes_come_back_as_rows_by_case_and_place() -> None:
    store = Store.memory()
    log = start(store, heading(), [])
    opened = Opened(PlanId(identifier("1")), TargetId(identifier("2")))
    log.note(opened)
    log.note_rows([made(index=0), made("k", 3)])
    log.note_rows([])
    failed = made(index=1, output=None, failure="raised")
    log.note_rows([failed])
    log.note(Sealing(StatementId(identifier("3"))))
    assert len(log.journal.notes) == 4
    name = log.journal.name
    log.journal.close()
    again = Log(store.reopen_journal(name))
    assert again.opened == opened
    assert again.sealing == identifier("3")
    assert again.rows["c"] == {
        Place("perturbation", "d", 0, 0): made(index=0),
        Place("perturbation", "d", 1, 0): failed,
    }
    assert list(again.rows["k"]) == [Place("perturbation", "d", 3, 0)]


@pytest.mark.parametrize("data", [b"", b"{}", b'{"note":"other"}', b'{"note":"rows","rows":[[1]]}'])
def test_a_damaged_note_is_refused(data: bytes) -> None:
    with pytest.raises(IntegrityError) as caught:
        list(read([data]))
    assert caught.value.code == "bad-note"


def test_notes_are_spelled_as_they_are_read() -> None:
    notes = [Rows((made(),)), Opened(PlanId(identifier("1")), TargetId(identifier("2")))]
    assert list(read([spell(note) for note in notes])) == notes


def test_rows_stand_in_the_order_of_the_trials() -> None:
    plan_case = PlanCase(
        case=CaseId(identifier("c")),
        perturbations=(
            Planned(declaration="d", index=0, perturbation=PerturbationId(identifier("0"))),
            Planned(declaration="d", index=2, perturbation=PerturbationId(identifier("2"))),
        ),
        accounting=(),
    )
    assert [tuple(slot.place) for slot in slots_of(plan_case, repeats=2, control=1)] == [
        ("baseline", "", 0, 0),
        ("baseline", "", 0, 1),
        ("control", "", 0, 0),
        ("control", "", 0, 1),
        ("perturbation", "d", 0, 0),
        ("perturbation", "d", 0, 1),
        ("perturbation", "d", 2, 0),
        ("perturbation", "d", 2, 1),
    ]
