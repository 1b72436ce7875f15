from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from stores import publish

from probatum.digest import object_id
from probatum.records.codec import MAX_SIZE
from probatum.store import Finding, Scanned, Store, loose, scan
from probatum.store.pack import BLOCK

BODIES = [b"%d" % number * 200 for number in range(900)]


def findings(store: Store) -> list[Finding]:
    return [item for item in store.scan() if isinstance(item, Finding)]


def codes(store: Store) -> list[str]:
    return [item.code for item in findings(store)]


def pack_of(root: Path) -> Path:
    (path,) = (root / "pack").iterdir()
    return path


def spoil(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def test_a_whole_store_is_read_without_a_finding(store: Store) -> None:
    loose_name = store.put("blob", b"loose")
    store.write_pack(("blob", body) for body in BODIES)
    name = publish(store)
    store.move("tags", "v1", name)
    store.move("baselines", "main", name)
    store.add_signature(name, "0" * 16, b"{}")
    running = store.start_journal({})
    items = list(store.scan())
    assert all(isinstance(item, Scanned) for item in items)
    assert {item.id for item in items if isinstance(item, Scanned)} == {
        *(object_id("blob", body) for body in BODIES),
        loose_name,
        name,
    }
    assert list(store.check_packs()) == []
    running.discard()


def test_packs_are_read_alone_when_asked_for(store: Store) -> None:
    store.put("blob", b"loose")
    first = store.write_pack([("blob", b"1")])
    second = store.write_pack([("blob", b"2")])
    for packs, bodies in (([first], {b"1"}), ([second], {b"2"}), ([first, second], {b"1", b"2"})):
        items = list(store.scan(packs))
        assert {item.payload for item in items if isinstance(item, Scanned)} == bodies
        assert {item.path[5:-4] for item in items} == set(packs)
    absent = object_id("blob", b"absent")
    assert list(store.scan([absent])) == []


def test_a_damaged_block_takes_its_own_objects_alone(store: Store, root: Path) -> None:
    store.write_pack(("blob", os.urandom(700)) for _ in range(900))
    extents = store._objects.packs()[0].index.extents
    assert len(extents) > 3
    spoil(pack_of(root), extents[1].offset + BLOCK.size)
    items = list(Store.open(root).scan())
    found = [item for item in items if isinstance(item, Finding)]
    assert [item.code for item in found] == ["pack-block", "pack-checksum"]
    assert found[0].offset == extents[1].offset
    assert found[0].path == f"pack/{pack_of(root).name}"
    assert len(items) - 2 == 900 - extents[1].objects
    assert [item.code for item in Store.open(root).check_packs()] == ["pack-checksum"]


def test_a_flipped_bit_of_one_object_takes_that_object_alone(store: Store, root: Path) -> None:
    store.write_pack(("blob", os.urandom(700)) for _ in range(900))
    spoil(pack_of(root), store._objects.packs()[0].index.extents[1].offset + 5000)
    items = list(Store.open(root).scan())
    found = [item for item in items if isinstance(item, Finding)]
    assert [item.code for item in found] == ["object-corrupt", "pack-checksum"]
    assert len(items) - 2 == 899


@pytest.mark.parametrize("at", [-40, -60, -100], ids=["mark", "counts", "columns"])
def test_without_its_index_a_pack_is_still_read(store: Store, root: Path, at: int) -> None:
    store.write_pack(("blob", body) for body in BODIES)
    spoil(pack_of(root), at)
    items = list(Store.open(root).scan())
    assert items[0].code in ("pack-index", "pack-truncated")  # type: ignore[union-attr]
    assert [item.payload for item in items[1:] if isinstance(item, Scanned)] == BODIES


def test_without_its_index_a_pack_gives_what_its_whole_blocks_hold(
    store: Store, root: Path
) -> None:
    store.write_pack(("blob", os.urandom(700)) for _ in range(900))
    extents = store._objects.packs()[0].index.extents
    path = pack_of(root)
    path.write_bytes(path.read_bytes()[: extents[-1].offset + 40])
    spoil(path, extents[0].offset + BLOCK.size)
    spoil(path, extents[2].offset + 8)
    items = list(Store.open(root).scan())
    assert [item.code for item in items if isinstance(item, Finding)] == ["pack-truncated"]
    assert len(items) - 1 == 900 - sum(extents[at].objects for at in (0, 2, -1))
    spoil(path, extents[1].offset)
    assert len(list(Store.open(root).scan())) == 1


def test_salvage_ends_at_a_block_that_claims_too_much(store: Store, root: Path) -> None:
    store.write_pack([("blob", b"x")])
    path = pack_of(root)
    data = bytearray(path.read_bytes())
    data[20:24] = b"\xff\xff\xff\xff"
    path.write_bytes(data[:-1])
    assert codes(Store.open(root)) == ["pack-truncated"]


def test_objects_without_a_header_are_told(store: Store, root: Path) -> None:
    data = b"pb1 blob 1\x00ab"
    (root / "obj/00").mkdir()
    store._backend.create(loose.path_of(hashlib.sha256(data).hexdigest()), data)  # type: ignore[arg-type]
    assert codes(store) == ["object-header"]


def test_kinds_that_the_index_swaps_are_told(store: Store, root: Path) -> None:
    store.write_pack([("blob", b"1"), ("note", b"2")])
    index = store._objects.packs()[0].index
    reader = scan.PackReader(store._backend, store._objects.packs()[0].name)
    reader.index.kinds = reader.index.kinds[::-1]
    keys, extent = index.in_pack_order(), index.extents[0]
    found = [*scan._block("p", reader.index, keys, extent, reader.chunk(extent))]
    assert [item.code for item in found if isinstance(item, Finding)] == ["object-header"] * 2


@pytest.mark.parametrize("size", [0, 1, 9, 10, 99, 100, 999, 1000, 12_345, MAX_SIZE])
def test_the_header_of_an_object_follows_from_its_length(size: int) -> None:
    header = b"pb1 blob %d\x00" % size
    assert scan._header(b"pb1 blob ", len(header) + size) == header


@pytest.mark.parametrize("length", [0, 10, 21, 112])
def test_no_header_is_given_for_a_length_that_no_object_has(length: int) -> None:
    sizes = {len(b"pb1 blob %d\x00" % size) + size for size in range(200)}
    assert length not in sizes
    assert scan._header(b"pb1 blob ", length) == b"\xff"


def test_ids_that_the_index_swaps_are_told(store: Store, root: Path) -> None:
    store.write_pack([("blob", b"1"), ("blob", b"2")])
    reader = scan.PackReader(store._backend, store._objects.packs()[0].name)
    keys, extent = reader.index.in_pack_order()[::-1], reader.index.extents[0]
    found = [*scan._block("p", reader.index, keys, extent, reader.chunk(extent))]
    assert [item.code for item in found if isinstance(item, Finding)] == ["object-corrupt"] * 2


def test_salvaged_objects_without_a_header_are_told(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "salvage", lambda backend, path: iter([(12, b"what 1\x00x")]))
    (found,) = scan._salvaged(store._backend, "pack/x")
    assert isinstance(found, Finding)
    assert (found.code, found.offset) == ("object-header", 12)


def _rename(root: Path) -> None:
    pack_of(root).rename(root / "pack" / ("0" * 64 + ".pbp"))


def _append(root: Path) -> None:
    with pack_of(root).open("ab") as file:
        file.write(b"JUNK")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (_rename, ["pack-checksum"]),
        (_append, ["pack-truncated"]),
        (lambda root: spoil(pack_of(root), 9), ["pack-header"]),
        (lambda root: pack_of(root).write_bytes(b""), ["file-empty"]),
        (
            lambda root: pack_of(root).write_text("version https://git-lfs.github.com/spec/v1\n"),
            ["lfs-pointer"],
        ),
        (lambda root: (root / "pack/README").write_text(""), ["stray-file"]),
        (lambda root: (root / "obj/README").write_text(""), ["not-a-folder"]),
        (lambda root: (root / "obj/ab").mkdir() or (root / "obj/ab/x").touch(), ["stray-file"]),
        (lambda root: (root / "HEAD").touch(), ["stray-file"]),
        (lambda root: (root / "sig/x").touch(), ["stray-file"]),
        (lambda root: (root / "ref/sessions/x").touch(), ["stray-file"]),
        (lambda root: (root / "ref/tags/UPPER").mkdir(), ["stray-file"]),
        (lambda root: (root / f"ref/sessions/{'0' * 64}").touch(), ["ref-corrupt", "dangling-ref"]),
        (lambda root: os.mkfifo(root / f"pack/{'0' * 64}.pbp"), ["not-a-file"]),
        (
            lambda root: (root / "ref/tags/a").mkdir() or (root / "ref/tags/a/x").touch(),
            ["ref-corrupt"],
        ),
        (lambda root: (root / "ref/tags/a").symlink_to("/etc"), ["not-a-folder"]),
    ],
)
def test_what_is_wrong_is_told_by_its_code(
    store: Store, root: Path, change: Callable[[Path], object], expected: list[str]
) -> None:
    store.write_pack([("blob", b"x")])
    change(root)
    assert codes(Store.open(root)) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"pb1 blob 1\x00y", ["object-corrupt"]),
        (b"", ["file-empty"]),
        (b"version https://git-lfs.github.com/spec/v1\noid x", ["lfs-pointer"]),
        (bytes(MAX_SIZE + 65), ["object-corrupt"]),
    ],
)
def test_a_loose_file_of_other_bytes_is_told(
    store: Store, root: Path, data: bytes, expected: list[str]
) -> None:
    name = store.put("blob", b"x")
    (root / loose.path_of(name)).write_bytes(data)
    (found,) = findings(store)
    assert [found.code] == expected
    assert found.path == loose.path_of(name)


def test_a_link_to_the_right_bytes_is_still_refused(store: Store, root: Path) -> None:
    name = store.put("blob", b"x")
    path = root / loose.path_of(name)
    path.rename(root / "tmp/elsewhere")
    path.symlink_to(root / "tmp/elsewhere")
    assert codes(store) == ["not-a-file"]


def test_a_ref_over_the_limit_is_told(store: Store, root: Path) -> None:
    name = publish(store)
    (root / "ref/sessions" / name).write_bytes(bytes(65_537))
    assert codes(store) == ["too-large"]


def test_a_loose_file_that_vanishes_while_it_is_read_is_no_finding(store: Store) -> None:
    assert list(scan._loose(store._backend, object_id("blob", b"absent"))) == []


def test_a_ref_to_what_is_not_here_is_told(store: Store, root: Path) -> None:
    name = publish(store)
    store.move("tags", "v1", name)
    store.move("tags", "v1", None)
    assert codes(store) == []
    (root / loose.path_of(name)).unlink()
    found = findings(Store.open(root))
    assert [item.code for item in found] == ["dangling-ref"] * 2
    assert found[0].path == f"ref/sessions/{name}"


def test_what_cannot_be_read_is_not_called_bad(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = store.put("blob", b"x")
    real = os.open

    def refuse(path: object, *args: object, **kwargs: object) -> int:
        if path == name[2:]:
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refuse)
    (found,) = findings(store)
    assert (found.code, found.path) == ("unreadable", loose.path_of(name))


def test_a_pack_that_vanishes_while_it_is_read_is_no_finding(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = store.write_pack([("blob", b"x")])
    pack_of(root).unlink()
    assert list(scan.scan_pack(store._backend, name)) == []


def test_every_code_is_documented() -> None:
    documented = set(re.findall(r"^``([a-z-]+)``", scan.__doc__ or "", re.MULTILINE))
    folder = Path(scan.__file__).parent
    sources = "\n".join(path.read_text() for path in folder.glob("*.py"))
    used = set(re.findall(r"Finding\(\"([a-z-]+)\"", sources))
    raised = set(re.findall(r"code=\"((?:pack|ref|not-a-f)[a-z-]+)\"", sources))
    # A pack that is gone, or that is no folder of ours, is an error of a call, never a finding.
    assert used | raised - {"pack-gone", "not-a-folder"} <= documented
    assert documented <= used | raised


def test_a_quick_look_passes_over_what_is_no_pack(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store", create=True)
    store.write_pack([("blob", b"kept")])
    (tmp_path / "store" / "pack" / "notes.txt").write_text("mine")
    assert list(store.check_packs()) == []
