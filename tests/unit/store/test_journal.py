from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from probatum import canonical
from probatum.errors import EnvironmentFault, IntegrityError
from probatum.store import Store, journal
from probatum.store.journalfile import MAGIC, START, frame


def file_of(root: Path) -> Path:
    (path,) = (root / "tmp").iterdir()
    return path


def test_a_torn_tail_is_dropped_and_written_over(store: Store, root: Path) -> None:
    running = store.start_journal({})
    kept = running.put("blob", b"kept")
    running.flush()
    running.put("blob", b"torn" * 9)
    running.close()
    path = file_of(root)
    path.write_bytes(path.read_bytes()[:-3])
    reopened = store.reopen_journal(running.name)
    assert reopened.ids == [kept]
    more = reopened.put("blob", b"more")
    reopened.close()
    again = store.reopen_journal(running.name)
    assert again.ids == [kept, more]
    assert again.get(more).payload == b"more"
    again.discard()


def test_damage_before_the_last_sync_is_refused(store: Store, root: Path) -> None:
    running = store.start_journal({"plan": "p"})
    for number in range(3):
        running.put("blob", b"%d" % number)
        running.flush()
    running.close()
    path = file_of(root)
    data = bytearray(path.read_bytes())
    data[data.index(b"pb1 blob 1\x001") + 11] ^= 1
    path.write_bytes(data)
    for _ in range(2):
        with pytest.raises(IntegrityError) as caught:
            store.reopen_journal(running.name)
        assert caught.value.code == "journal-damaged"
    (info,) = store.journals()
    assert (info.header, info.running) == ({"plan": "p"}, False)


@pytest.mark.parametrize("body", [b"[]", b"{ }", b"\xff"])
def test_a_header_that_is_none_is_refused(store: Store, root: Path, body: bytes) -> None:
    name = "0" * 24
    (root / f"tmp/{name}.pbj").write_bytes(MAGIC + frame(body, at=len(MAGIC), synced=0))
    with pytest.raises(IntegrityError):
        store.reopen_journal(name)
    assert store.journals()[0].header == {}


def test_a_journal_of_nothing_is_refused(store: Store, root: Path) -> None:
    for number, data in enumerate((b"", MAGIC, MAGIC + bytes(START))):
        (root / f"tmp/{number:024x}.pbj").write_bytes(data)
        with pytest.raises(IntegrityError):
            store.reopen_journal(f"{number:024x}")
    assert [info.header for info in store.journals()] == [{}, {}, {}]


def test_items_that_are_none_are_damage(store: Store, root: Path) -> None:
    data = MAGIC + frame(b"{}", at=len(MAGIC), synced=0)
    data += frame(b"junk", at=len(data), synced=len(data))
    (root / f"tmp/{'0' * 24}.pbj").write_bytes(data)
    with pytest.raises(IntegrityError):
        store.reopen_journal("0" * 24)


def test_other_files_in_tmp_are_no_journals(store: Store, root: Path) -> None:
    for name in ("x.pbj", "0" * 24, "0" * 24 + ".part", "0" * 25 + ".pbj"):
        (root / "tmp" / name).write_bytes(MAGIC)
    assert store.journals() == []


def test_a_journal_that_ends_while_it_is_listed_is_left_out(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = store.start_journal({})
    names = store._backend.list("tmp")
    running.discard()
    monkeypatch.setattr(store._backend, "list", lambda folder: names)
    assert store.journals() == []


@pytest.mark.parametrize("sealing", [True, False])
def test_an_object_that_changes_on_disk_is_never_given_out(
    store: Store, root: Path, sealing: bool
) -> None:
    running = store.start_journal({})
    name = running.put("blob", b"hello")
    running.flush()
    path = file_of(root)
    data = path.read_bytes().replace(b"hello", b"jello")
    with path.open("r+b") as file:
        file.write(data)
    with pytest.raises(IntegrityError) as caught:
        running.seal() if sealing else running.get(name)
    assert caught.value.code == "journal-damaged"
    assert list((root / "pack").iterdir()) == []
    running.discard()


def test_a_full_disk_keeps_the_journal_and_what_was_put(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = store.start_journal({})
    first = running.put("blob", b"first")
    running.flush()

    def refuse(*args: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", refuse)
        with pytest.raises(EnvironmentFault) as caught:
            running.put("blob", bytes(70_000))
        assert caught.value.code == "no-space"
        with pytest.raises(EnvironmentFault):
            running.close()
    reopened = store.reopen_journal(running.name)
    assert reopened.ids == [first]
    reopened.close()


def test_a_put_can_be_tried_again_after_a_full_disk(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = store.start_journal({})

    def refuse(*args: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", refuse)
        with pytest.raises(EnvironmentFault):
            running.put("blob", b"x" * 70_000)
    name = running.put("blob", b"x" * 70_000)
    running.note(b"row")
    running.close()
    reopened = store.reopen_journal(running.name)
    assert (reopened.ids, reopened.notes) == ([name], [b"row"])
    reopened.close()


def test_a_seal_that_fails_leaves_no_pack_and_can_be_repeated(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = store.start_journal({})
    name = running.put("blob", b"x")
    running.flush()

    def refuse(*args: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", refuse)
        with pytest.raises(EnvironmentFault):
            running.seal()
    assert [path.suffix for path in (root / "tmp").iterdir()] == [".pbj"]
    assert list((root / "pack").iterdir()) == []
    running.seal()
    running.discard()
    assert store.get(name).payload == b"x"


def test_objects_far_apart_are_sealed_in_any_order(store: Store) -> None:
    running = store.start_journal({})
    bodies = [b"%d" % number * size for number in range(40) for size in (1, 9_000, 150_000)]
    names = [running.put("blob", body) for body in bodies]
    order = [*names[::2], *names[::-3], *names]
    running.seal(order)
    running.discard()
    assert [store.get(name).payload for name in names] == bodies


def test_the_header_is_the_first_frame(store: Store, root: Path) -> None:
    running = store.start_journal({"b": 1, "a": "x"})
    body = canonical.encode({"a": "x", "b": 1})
    assert file_of(root).read_bytes() == MAGIC + frame(body, at=len(MAGIC), synced=0)
    running.discard()
    assert journal.SYNC_SECONDS == 0.5
