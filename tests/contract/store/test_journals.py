"""What a store promises of journals, wherever it is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from probatum.digest import object_id
from probatum.errors import CanonicalError, ConflictError, LimitError, NotFoundError
from probatum.records.output import Output
from probatum.store import Scanned, Store, Stored

Again = Callable[[], Store]


def test_a_journal_gives_back_what_was_put(store: Store) -> None:
    with_header = store.start_journal({"plan": "p", "n": 1})
    assert with_header.header == {"plan": "p", "n": 1}
    name = with_header.put("blob", b"hello")
    record = with_header.put_record(Output(finish="stop", text="yes"))
    assert with_header.get(name) == Stored("blob", b"hello")
    assert with_header.has(name)
    assert with_header.ids == [name, record]
    assert not store.has(name)


def test_a_journal_takes_kinds_that_come_later(store: Store) -> None:
    journal = store.start_journal({})
    assert journal.get(journal.put("gate-result", b"{}")) == Stored("gate-result", b"{}")
    journal.seal()
    journal.discard()
    assert [item.kind for item in store.scan() if isinstance(item, Scanned)] == ["gate-result"]


def test_a_journal_falls_back_to_its_store(store: Store) -> None:
    name = store.put("blob", b"before")
    journal = store.start_journal({})
    assert journal.get(name).payload == b"before"
    assert not journal.has(name)
    with pytest.raises(NotFoundError):
        journal.get(object_id("blob", b"absent"))


def test_a_closed_journal_comes_back_whole(store: Store, again: Again) -> None:
    journal = store.start_journal({"plan": "p"})
    names = [journal.put("blob", b"%d" % number) for number in range(50)]
    for number in range(50):
        journal.note(b"row %d" % number)
    assert journal.put("blob", b"7") == names[7]
    journal.close()
    reopened = again().reopen_journal(journal.name)
    assert reopened.header == {"plan": "p"}
    assert reopened.ids == names
    assert reopened.notes == [b"row %d" % number for number in range(50)]
    more = reopened.put("blob", b"more")
    assert reopened.get(more).payload == b"more"
    assert reopened.get(names[30]).payload == b"30"
    reopened.close()
    assert again().reopen_journal(journal.name).ids == [*names, more]


def test_rows_may_hold_any_bytes(store: Store, again: Again) -> None:
    rows = [b"", b"\x00", b"pb1 blob 3\x00abc", b"note 4\x00", bytes(range(256)) * 300]
    journal = store.start_journal({})
    for row in rows:
        journal.note(row)
        journal.put("blob", row)
    journal.close()
    reopened = again().reopen_journal(journal.name)
    assert reopened.notes == rows
    assert reopened.ids == [object_id("blob", row) for row in rows]


def test_sealing_keeps_what_is_asked_for_in_the_order_asked(store: Store, again: Again) -> None:
    before = store.put("blob", b"before")
    journal = store.start_journal({})
    names = [journal.put("blob", b"%d" % number * 3000) for number in range(120)]
    wanted = [*names[::-7], before]
    pack = journal.seal(wanted)
    journal.discard()
    found = [item.id for item in again().scan([pack]) if isinstance(item, Scanned)]
    assert found == wanted
    assert again().get(names[-1]).payload == b"119" * 3000
    assert not again().has(names[1])
    assert again().journals() == []


def test_sealing_everything_keeps_the_order_of_putting(store: Store) -> None:
    journal = store.start_journal({})
    names = [journal.put("blob", b"%d" % number) for number in range(9)]
    pack = journal.seal()
    assert [item.id for item in store.scan([pack]) if isinstance(item, Scanned)] == names
    assert journal.get(names[0]).payload == b"0"
    journal.discard()


def test_sealing_what_is_nowhere_leaves_no_pack(store: Store) -> None:
    journal = store.start_journal({})
    name = journal.put("blob", b"here")
    with pytest.raises(NotFoundError):
        journal.seal([name, object_id("blob", b"absent")])
    assert list(store.scan()) == []
    assert journal.get(name).payload == b"here"


def test_a_running_journal_is_told_from_one_left_behind(store: Store, again: Again) -> None:
    journal = store.start_journal({"plan": "p"})
    (info,) = again().journals()
    assert (info.name, info.header, info.running) == (journal.name, {"plan": "p"}, True)
    with pytest.raises(ConflictError) as caught:
        again().reopen_journal(journal.name)
    assert caught.value.code == "journal-held"
    journal.close()
    (info,) = again().journals()
    assert not info.running
    assert info.size > 0


@pytest.mark.parametrize("name", ["0" * 24, "../store.json", "", "A" * 24])
def test_an_unknown_journal_is_not_found(store: Store, name: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        store.reopen_journal(name)
    assert caught.value.code == "no-journal"


def test_several_journals_live_side_by_side(store: Store) -> None:
    journals = [store.start_journal({"n": number}) for number in range(8)]
    for number, journal in enumerate(journals):
        journal.put("blob", b"%d" % number)
        journal.put("blob", b"shared")
    assert len(store.journals()) == 8
    for journal in journals:
        journal.seal()
        journal.discard()
    assert store.journals() == []
    assert all(store.has(object_id("blob", b"%d" % number)) for number in range(8))
    assert len(store.packs_holding(object_id("blob", b"shared"))) == 8


def test_threads_share_a_journal(store: Store, again: Again) -> None:
    journal = store.start_journal({})

    def work(start: int) -> None:
        for number in range(start, start + 200):
            name = journal.put("blob", b"%d" % (number % 500) * 50)
            journal.note(b"%d" % number)
            assert journal.get(name).kind == "blob"

    threads = [threading.Thread(target=work, args=(200 * index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    journal.close()
    reopened = again().reopen_journal(journal.name)
    assert set(reopened.ids) == {object_id("blob", b"%d" % number * 50) for number in range(500)}
    assert sorted(map(int, reopened.notes)) == list(range(800))
    reopened.seal()


def test_a_header_must_be_canonical_and_small(store: Store) -> None:
    with pytest.raises(CanonicalError):
        store.start_journal({"rate": 0.5})
    with pytest.raises(LimitError):
        store.start_journal({"plan": "x" * 1_048_576})
    assert store.journals() == []


def test_discarding_forgets(store: Store) -> None:
    journal = store.start_journal({})
    name = journal.put("blob", b"x")
    journal.discard()
    assert store.journals() == []
    assert not store.has(name)


def test_syncs_follow_the_clock_and_the_bytes(store: Store, again: Again) -> None:
    now = [0.0]
    journal = store.start_journal({}, clock=lambda: now[0])

    def written() -> int:
        return again().journals()[0].size

    start = written()
    journal.put("blob", b"early")
    journal.tick()
    assert written() == start
    now[0] = 0.6
    journal.tick()
    after_tick = written()
    assert after_tick > start
    journal.put("blob", b"soon")
    assert written() == after_tick
    now[0] = 1.2
    journal.note(b"due")
    after_note = written()
    assert after_note > after_tick
    journal.put("blob", bytes(70_000))
    assert written() > after_note + 70_000
    for number in range(20):
        journal.put("blob", b"%d" % number * 65_536)
    journal.close()
