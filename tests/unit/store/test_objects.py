from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from probatum.digest import Digest, object_id, preimage
from probatum.errors import EnvironmentFault, IntegrityError, NotFoundError
from probatum.records.codec import MAX_SIZE
from probatum.store import Store, loose
from probatum.store.pack import key_of
from probatum.store.packreader import CACHED_BLOCK, BlockCache, PackReader


def spoil(path: Path, at: int = -1) -> None:
    """Flip one bit of a file."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def pack_of(root: Path) -> Path:
    (path,) = (root / "pack").iterdir()
    return path


def test_a_loose_object_is_its_preimage(store: Store, root: Path) -> None:
    name = store.put("blob", b"hello")
    data = (root / loose.path_of(name)).read_bytes()
    assert data == preimage("blob", b"hello")
    assert hashlib.sha256(data).hexdigest() == name


def test_a_damaged_loose_object_is_refused_and_healed_by_a_put(store: Store, root: Path) -> None:
    name = store.put("blob", b"hello")
    spoil(root / loose.path_of(name))
    with pytest.raises(IntegrityError) as caught:
        store.get(name)
    assert caught.value.code == "object-corrupt"
    store.put("blob", b"hello")
    assert store.get(name).payload == b"hello"


def test_what_stands_in_the_way_of_an_object_is_damage_and_healed_by_a_put(
    store: Store, root: Path, tmp_path: Path
) -> None:
    name = store.put("blob", b"hello")
    path = root / loose.path_of(name)
    (tmp_path / "outside").write_bytes(preimage("blob", b"hello"))
    path.unlink()
    path.symlink_to(tmp_path / "outside")
    with pytest.raises(IntegrityError) as caught:
        store.get(name)
    assert caught.value.code == "not-a-file"
    store.put("blob", b"hello")
    assert not path.is_symlink()
    path.write_bytes(bytes(MAX_SIZE + 65))
    with pytest.raises(IntegrityError) as caught:
        store.get(name)
    assert caught.value.code == "object-corrupt"
    store.put("blob", b"hello")
    assert store.get(name).payload == b"hello"


def test_an_object_without_a_header_is_refused(store: Store, root: Path) -> None:
    data = b"whatever"
    name = Digest(hashlib.sha256(data).hexdigest())
    store._backend.create(loose.path_of(name), data)
    with pytest.raises(IntegrityError) as caught:
        store.get(name)
    assert caught.value.code == "bad-header"


def test_one_whole_copy_is_enough(store: Store, root: Path) -> None:
    name = store.put("blob", b"hello")
    store.write_pack([("blob", b"hello"), ("blob", b"other")])
    spoil(root / loose.path_of(name))
    assert store.get(name).payload == b"hello"
    spoil(pack_of(root), 30)
    fresh = Store.open(root)
    with pytest.raises(IntegrityError):
        fresh.get(name)
    os.unlink(root / loose.path_of(name))  # noqa: PTH108
    fresh.put("blob", b"hello")
    assert fresh.get(name).payload == b"hello"
    assert Store.open(root).get(name).payload == b"hello"


@pytest.mark.parametrize("at", [0, 13, 30, -40, -70], ids=["magic", "block", "frame", "mark", "at"])
def test_a_damaged_pack_is_damage_and_no_absence(store: Store, root: Path, at: int) -> None:
    store.write_pack([("blob", b"%d" % number) for number in range(9)])
    spoil(pack_of(root), at)
    with pytest.raises(IntegrityError) as caught:
        Store.open(root).get(object_id("blob", b"3"))
    assert caught.value.code.startswith("pack-")
    assert pack_of(root).name in str(caught.value)


def test_a_damaged_index_holds_and_lists_nothing(store: Store, root: Path) -> None:
    store.write_pack([("blob", b"x")])
    spoil(pack_of(root), -40)
    fresh = Store.open(root)
    name = object_id("blob", b"x")
    assert not fresh.has(name)
    assert fresh.find(name) == []
    assert fresh.packs_holding(name) == []


def test_a_pack_whose_objects_were_swapped_gives_neither(store: Store, root: Path) -> None:
    store.write_pack([("blob", b"one"), ("blob", b"two")])
    index = store._objects.packs()[0].index
    index.places[0], index.places[1] = index.places[1], index.places[0]
    for body in (b"one", b"two"):
        with pytest.raises(IntegrityError) as caught:
            store.get(object_id("blob", body))
        assert caught.value.code == "object-corrupt"


def test_two_objects_may_share_the_key_of_an_index(store: Store, root: Path) -> None:
    names = sorted(object_id("blob", body) for body in (b"one", b"two"))
    store.write_pack([("blob", b"one"), ("blob", b"two")])
    index = store._objects.packs()[0].index
    index.keys[1] = index.keys[0]
    assert store.get(names[0]).kind == "blob"
    absent = Digest(names[0][:16] + "0" * 48)
    with pytest.raises(IntegrityError):
        store.get(absent)
    assert index.find(bytes.fromhex(absent)) == list(index.places)


def test_a_pack_that_is_rewritten_meanwhile_is_no_damage(store: Store, root: Path) -> None:
    store.write_pack([("blob", b"x")])
    reader = Store.open(root)
    assert not reader.has(object_id("blob", b"absent"))
    old = pack_of(root)
    store.write_pack([("blob", b"x"), ("blob", b"y")])
    old.unlink()
    assert reader.get(object_id("blob", b"x")).payload == b"x"


def test_a_pack_that_vanishes_between_opening_and_reading_is_gone(store: Store, root: Path) -> None:
    store.write_pack([("blob", b"x")])
    reader = Store.open(root)
    assert reader._objects.packs()[0].index.keys[0] == key_of(
        bytes.fromhex(object_id("blob", b"x"))
    )
    pack_of(root).unlink()
    with pytest.raises(NotFoundError):
        reader.get(object_id("blob", b"x"))
    assert reader._objects.packs() == []


def test_a_machine_that_refuses_to_read_is_no_absence(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write_pack([("blob", b"x")])

    def refuse(*args: object) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "pread", refuse)
    with pytest.raises(EnvironmentFault):
        Store.open(root).get(object_id("blob", b"x"))


@pytest.mark.parametrize("place", ["pack", "obj/ab", "obj"])
def test_files_that_are_no_objects_are_passed_over(store: Store, root: Path, place: str) -> None:
    name = store.put("blob", b"x")
    (root / place).mkdir(exist_ok=True)
    (root / place / "README").write_text("hello")
    fresh = Store.open(root)
    assert fresh.get(name).payload == b"x"
    assert fresh.find(name[:8]) == [name]


def test_opened_blocks_are_kept_up_to_a_limit(store: Store, root: Path) -> None:
    large = bytes(CACHED_BLOCK + 1)
    bodies = [*(b"%04d" % number * 50_000 for number in range(9)), large]
    store.write_pack(("blob", body) for body in bodies[:5])
    store.write_pack(("blob", body) for body in bodies[5:])
    cache = BlockCache(limit=1_000_000)
    packs = [PackReader(store._backend, pack.name, cache) for pack in store._objects.packs()]
    for body in (*bodies, *bodies[::-1], *bodies[:2] * 3):
        name = object_id("blob", body)
        found = [copy for pack in packs for copy in pack.find(bytes.fromhex(name))]
        assert found == [preimage("blob", body)]
        assert cache._size == sum(len(opened.raw) for opened in cache._blocks.values()) <= 1_000_000
    assert len(cache._blocks) == 4


def test_two_threads_may_open_one_block(store: Store) -> None:
    store.write_pack([("blob", b"x")])
    cache = BlockCache()
    pack = PackReader(store._backend, store._objects.packs()[0].name, cache)
    opened = pack._open(0)
    cache.keep(0, opened._replace(first=0))
    assert cache._size == len(opened.raw)


def test_a_put_marks_what_is_there_as_wanted(store: Store, root: Path) -> None:
    path = root / loose.path_of(store.put("blob", b"x"))
    os.utime(path, (0, 0))
    store.put("blob", b"x")
    assert path.stat().st_mtime > 1e9
