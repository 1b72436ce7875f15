"""What was there when a session was sealed."""

from __future__ import annotations

import msgspec
from sessions import NOW, build, remove

from probatum.evidence.chain import check_chain
from probatum.evidence.statements import read_statement
from probatum.evidence.verify import verify
from probatum.records.base import StatementId
from probatum.records.statement import SessionPredicate
from probatum.store import Store

GONE = StatementId("ab" * 32)


def of(store: Store, statement: StatementId) -> SessionPredicate:
    return read_statement(store, statement).predicate


def test_known_predecessors() -> None:
    built = build()
    second = build(store=built.store, text="more")
    predicate = of(second.store, second.statement)
    assert predicate.seq == 2
    assert predicate.prev == (built.statement,)
    assert check_chain(second.store, second.statement, predicate) == []


def test_dropped_session() -> None:
    built = build()
    predicate = msgspec.structs.replace(of(built.store, built.statement), seq=5, prev=(GONE,))
    (finding,) = check_chain(built.store, built.statement, predicate)
    assert (finding.id, finding.object, finding.severity) == ("session-dropped", GONE, "warning")


def test_removed_session_satisfies_the_chain() -> None:
    built = build()
    remove(built.store, GONE)
    predicate = msgspec.structs.replace(of(built.store, built.statement), seq=2, prev=(GONE,))
    (finding,) = check_chain(built.store, built.statement, predicate)
    assert finding.id == "session-removed"


def test_removal_of_another_store_does_not() -> None:
    built = build()
    remove(built.store, GONE, origin="f" * 32)
    predicate = msgspec.structs.replace(of(built.store, built.statement), seq=2, prev=(GONE,))
    (finding,) = check_chain(built.store, built.statement, predicate)
    assert finding.id == "session-dropped"


def test_predecessor_whose_ref_is_gone() -> None:
    built = build()
    store = Store.memory()
    for item in built.store.scan():
        store.put(item.kind, item.payload)
    predicate = msgspec.structs.replace(
        of(built.store, built.statement), seq=2, prev=(built.statement,), store=store.id
    )
    (finding,) = check_chain(store, GONE, predicate)
    assert (finding.id, finding.object) == ("session-dropped", built.statement)
    assert "its ref is gone" in finding.detail
    remove(store, built.statement)
    assert check_chain(store, GONE, predicate) == []
    elsewhere = msgspec.structs.replace(predicate, store="f" * 32)
    assert [item.id for item in check_chain(store, GONE, elsewhere)] == ["foreign-origin"]


def test_several_unknown_predecessors_are_looked_up_once() -> None:
    built = build()
    other = StatementId("cd" * 32)
    predicate = msgspec.structs.replace(of(built.store, built.statement), prev=(GONE, other))
    found = check_chain(built.store, built.statement, predicate)
    assert [finding.object for finding in found] == [GONE, other]


def test_number_that_does_not_follow() -> None:
    built = build()
    for seq, prev, wrong in (
        (3, (), True),
        (1, (), False),
        (1, (built.statement,), True),
        (2, (built.statement,), False),
        (1, (built.statement, GONE), True),
        (9, (built.statement, GONE), False),
    ):
        predicate = msgspec.structs.replace(of(built.store, built.statement), seq=seq, prev=prev)
        found = {finding.id for finding in check_chain(built.store, built.statement, predicate)}
        assert ("sequence-mismatch" in found) is wrong


def test_predecessor_that_is_no_statement() -> None:
    built = build()
    spec = StatementId(built.ids["spec"])
    predicate = msgspec.structs.replace(of(built.store, built.statement), prev=(spec,))
    (finding,) = check_chain(built.store, built.statement, predicate)
    assert finding.id == "session-dropped"


def test_session_of_another_store() -> None:
    built = build()
    elsewhere = Store.memory()
    for item in built.store.scan():
        elsewhere.put(item.kind, item.payload)
    elsewhere.publish_session(built.statement)
    report = verify(elsewhere, built.statement, now=NOW)
    assert report
    assert "foreign-origin" in {finding.id for finding in report.findings}
