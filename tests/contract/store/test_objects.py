"""What a store promises of objects, wherever it is kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from probatum.digest import Digest, object_id
from probatum.errors import IntegrityError, LimitError, NotFoundError, UsageError
from probatum.records.codec import MAX_SIZE
from probatum.records.output import Output
from probatum.records.target import Target
from probatum.store import Scanned, Store, Stored

Again = Callable[[], Store]
ANSWER = Output(finish="stop", text="yes")


def test_an_object_comes_back_under_the_id_of_its_preimage(store: Store, again: Again) -> None:
    name = store.put("blob", b"hello")
    assert name == object_id("blob", b"hello")
    assert store.has(name)
    assert store.get(name) == Stored("blob", b"hello") == again().get(name)


def test_kinds_keep_equal_payloads_apart(store: Store) -> None:
    assert store.put("blob", b"{}") != store.put("note", b"{}")


def test_putting_twice_is_putting_once(store: Store) -> None:
    assert store.put("blob", b"hello") == store.put("blob", b"hello")
    assert len(list(store.scan())) == 1


def test_what_a_pack_holds_is_not_put_again(store: Store) -> None:
    store.write_pack([("blob", b"hello")])
    name = store.put("blob", b"hello")
    assert [item.path[:4] for item in store.scan() if isinstance(item, Scanned)] == ["pack"]
    assert len(store.packs_holding(name)) == 1


def test_an_absent_object_is_not_found(store: Store) -> None:
    absent = object_id("blob", b"absent")
    assert not store.has(absent)
    with pytest.raises(NotFoundError) as caught:
        store.get(absent)
    assert caught.value.code == "no-object"


def test_a_pack_that_another_process_writes_is_found(store: Store, again: Again) -> None:
    name = object_id("blob", b"late")
    assert not store.has(name)
    again().write_pack([("blob", b"late")])
    assert store.has(name)
    assert store.get(name).payload == b"late"


def test_objects_of_many_packs_are_found(store: Store, again: Again) -> None:
    bodies = [b"%d" % number for number in range(9)]
    for body in bodies:
        store.write_pack([("blob", body)])
    for _ in range(2):
        assert [again().get(object_id("blob", body)).payload for body in bodies] == bodies
        assert [store.get(object_id("blob", body)).payload for body in bodies] == bodies


def test_large_objects_lie_among_small_ones(store: Store, again: Again) -> None:
    bodies = [b"a", b"b" * 400_000, b"c", b"", b"d" * (MAX_SIZE), b"e" * 196_608, b"f"]
    store.write_pack(("blob", body) for body in bodies)
    fresh = again()
    for body in reversed(bodies):
        assert fresh.get(object_id("blob", body)).payload == body
    scanned = [item for item in store.scan() if isinstance(item, Scanned)]
    assert [item.payload for item in scanned] == bodies


def test_an_object_over_the_limit_is_refused_everywhere(store: Store) -> None:
    body = bytes(MAX_SIZE + 1)
    journal = store.start_journal({})
    for put in (store.put, journal.put):
        with pytest.raises(LimitError):
            put("blob", body)
    with pytest.raises(LimitError):
        journal.note(body)
    with pytest.raises(LimitError):
        store.write_pack([("blob", body)])
    journal.discard()
    assert list(store.scan()) == []


@pytest.mark.parametrize("kind", ["", "Blob", "a b", "-a", "a" * 33, "é", "a\n"])
def test_a_kind_that_cannot_be_is_refused(store: Store, kind: str) -> None:
    journal = store.start_journal({})
    for put in (store.put, journal.put):
        with pytest.raises(UsageError):
            put(kind, b"")
    journal.discard()


def test_records_come_back_typed(store: Store) -> None:
    name = store.put_record(ANSWER)
    assert store.record(name, Output) == ANSWER
    assert store.record(name, "output") == ANSWER
    with pytest.raises(IntegrityError, match="is a output, not a Target") as caught:
        store.record(name, Target)
    assert caught.value.code == "wrong-kind"
    with pytest.raises(IntegrityError, match="not a target"):
        store.record(name, "target")


def test_objects_are_found_by_the_beginning_of_their_id(store: Store) -> None:
    loose = store.put("blob", b"loose")
    packed = object_id("blob", b"packed")
    store.write_pack([("blob", b"packed")])
    for name in (loose, packed):
        assert store.find(name[:8]) == store.find(name[:23]) == store.find(name) == [name]
        assert store.find_one(name[:12]) == name
    other = loose[:20] + ("0" if loose[20] != "0" else "1")
    assert store.find(other) == []
    with pytest.raises(NotFoundError) as caught:
        store.find_one(packed[:20] + ("0" if packed[20] != "0" else "1"))
    assert caught.value.code == "no-object"


@pytest.mark.parametrize("prefix", ["", "abcdef0", "ABCDEF01", "../../etc", "a" * 65, "abcdefgh"])
def test_what_begins_no_id_is_refused(store: Store, prefix: str) -> None:
    with pytest.raises(UsageError, match="not the beginning"):
        store.find(prefix)


def test_an_ambiguous_beginning_lists_the_candidates(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [Digest("ab" * 31 + end) for end in ("00", "01")]
    monkeypatch.setattr(store._objects, "find", lambda prefix: names)
    with pytest.raises(NotFoundError) as caught:
        store.find_one("ab" * 4)
    assert caught.value.code == "ambiguous-name"
    assert list(caught.value.candidates) == names


def test_a_pack_is_not_begun_when_its_objects_fail(store: Store) -> None:
    def objects() -> object:
        yield "blob", b"one"
        raise KeyError("stop")

    with pytest.raises(KeyError):
        store.write_pack(objects())  # type: ignore[arg-type]
    assert list(store.scan()) == []


def test_the_same_objects_give_the_same_pack(store: Store) -> None:
    objects = [("blob", b"%d" % number) for number in range(100)]
    assert store.write_pack(objects) == store.write_pack(objects)
    assert store.write_pack([*objects, *objects]) == store.write_pack(objects)
    assert store.write_pack(objects[::-1]) != store.write_pack(objects)


def test_an_empty_pack_is_a_pack(store: Store, again: Again) -> None:
    store.write_pack([])
    assert list(again().scan()) == []
    assert list(again().check_packs()) == []
