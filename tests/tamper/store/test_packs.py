"""A pack changed in any one place is noticed, and nothing but its own objects comes out of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from probatum.digest import Digest, object_id
from probatum.errors import IntegrityError, NotFoundError
from probatum.store import Finding, Scanned, Store

OBJECTS = [
    ("blob", b"hello"),
    ("output", b'{"finish":"stop","kind":"output","text":"yes","v":1}'),
    ("blob", b"\x00\xff" * 40),
]
IDS = {object_id(kind, payload): payload for kind, payload in OBJECTS}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """The file of a small pack in a store."""
    Store.open(tmp_path / "s", create=True).write_pack(OBJECTS)
    (path,) = (tmp_path / "s/pack").iterdir()
    return path


def noticed(pack: Path) -> list[Finding]:
    """Return what a full reading finds; whatever comes out has the id it comes under."""
    items = list(Store.open(pack.parents[1]).scan())
    for item in items:
        if isinstance(item, Scanned):
            assert object_id(item.kind, item.payload) == item.id
    return [item for item in items if isinstance(item, Finding)]


def read_all(pack: Path) -> int:
    """Read every object by its id; return how many can still be had, unchanged."""
    store = Store.open(pack.parents[1])
    whole = 0
    for name, payload in IDS.items():
        try:
            assert store.get(name).payload == payload
            whole += 1
        except (IntegrityError, NotFoundError):
            continue
    return whole


def test_the_pack_is_whole_before(pack: Path) -> None:
    assert noticed(pack) == []
    assert read_all(pack) == 3


@pytest.mark.parametrize("mask", [0x01, 0x80, 0xFF])
def test_every_flipped_byte_is_noticed(pack: Path, mask: int) -> None:
    data = pack.read_bytes()
    for at in range(len(data)):
        pack.write_bytes(data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :])
        found = noticed(pack)
        assert found, f"byte {at}"
        assert all(item.path == f"pack/{pack.name}" for item in found)
        read_all(pack)


def test_a_pack_cut_anywhere_is_noticed(pack: Path) -> None:
    data = pack.read_bytes()
    for size in range(len(data)):
        pack.write_bytes(data[:size])
        assert noticed(pack), f"{size} bytes"
        assert read_all(pack) == 0


@pytest.mark.parametrize("junk", [b"\x00", b"\n", b"JUNK", "frame", "pack"])
def test_whatever_is_appended_is_noticed(pack: Path, junk: bytes | str) -> None:
    data = pack.read_bytes()
    tail = {"frame": data[24:60], "pack": data}.get(str(junk), junk)
    pack.write_bytes(data + bytes(tail))  # type: ignore[arg-type]
    assert [item.code for item in noticed(pack)] != []


def test_a_whole_pack_under_another_name_is_noticed(pack: Path) -> None:
    other = pack.rename(pack.with_name("0" * 64 + ".pbp"))
    assert [item.code for item in noticed(other)] == ["pack-checksum"]
    assert read_all(other) == 3


def test_a_pack_in_place_of_another_is_noticed(pack: Path, tmp_path: Path) -> None:
    name = Store.open(tmp_path / "s").write_pack([("blob", b"other")])
    (tmp_path / f"s/pack/{name}.pbp").replace(pack)
    assert [item.code for item in noticed(pack)] == ["pack-checksum"]
    assert read_all(pack) == 0


@pytest.mark.parametrize("ending", [b"\r\n", b"\r"])
def test_a_pack_whose_line_ends_were_converted_is_noticed(pack: Path, ending: bytes) -> None:
    data = pack.read_bytes()
    assert b"\n" in data
    pack.write_bytes(data.replace(b"\n", ending))
    assert noticed(pack)
    assert read_all(pack) == 0


def test_an_id_is_never_a_path(pack: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"x")
    store = Store.open(tmp_path / "s")
    for name in ("../../secret", "/etc/passwd", "..", "", "A" * 64, "0" * 63):
        with pytest.raises(NotFoundError):
            store.get(Digest(name))
        assert not store.has(Digest(name))
        assert store.packs_holding(Digest(name)) == []
