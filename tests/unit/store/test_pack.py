from __future__ import annotations

import hashlib
import struct
from array import array
from collections.abc import Callable

import pytest

from probatum.errors import IntegrityError, LimitError
from probatum.store import frames, pack
from probatum.store.memory import MemoryBackend
from probatum.store.objects import Objects
from probatum.store.pack import HEADER, TAIL, TRAILER, TRAILER_MAGIC, Index, Trailer
from probatum.store.packwriter import PackWriter


def written(count: int = 3) -> bytes:
    """Return the bytes of a pack of `count` blobs."""
    memory = MemoryBackend()
    Objects(memory).write_pack(("blob", b"%d" % number) for number in range(count))
    (data,) = memory.files.values()
    return data


def test_planes_go_there_and_back() -> None:
    for code, numbers in (("I", [0, 1, 255, 256, 2**32 - 1]), ("Q", [0, 2**64 - 1, 2**40 + 7])):
        column = array(code, numbers)
        spelled = pack._planes(column)
        assert spelled[: len(numbers)] == bytes(number % 256 for number in numbers)
        assert pack._column(code, b"x" + spelled, 1, len(numbers)) == (column, 1 + len(spelled))


def test_split_cuts_preimages_apart() -> None:
    assert pack.split(b"") == []
    assert pack.split(b"pb1 blob 3\x00abcnote 0\x00") == [b"pb1 blob 3\x00abc", b"note 0\x00"]


@pytest.mark.parametrize(
    "raw",
    [
        b"pb1 blob 3\x00ab",
        b"pb1 blob 3 abc",
        b"pb1 blob x\x00abc",
        b"pb1 blob -3\x00abc",
        b"\x00",
        b"pb1 blob 123456789\x00abc",
        b"x" * 70 + b" 1\x00a",
        b"pb1 blob 1\x00ax",
    ],
)
def test_split_refuses_what_has_no_header(raw: bytes) -> None:
    with pytest.raises(IntegrityError):
        pack.split(raw)


def test_an_index_finds_every_object_and_no_other() -> None:
    keys = [5, 7, 7, 9]
    index = Index(
        keys=array("Q", keys),
        places=array("I", [2, 0, 3, 1]),
        lengths=array("I", [10, 20, 30, 40]),
        codes=bytes(4),
        kinds=("blob",),
        blocks=[(100, 3), (50, 1)],
    )
    assert [index.find(key.to_bytes(8, "big") + b"tail") for key in (4, 5, 6, 7, 9, 10)] == [
        [],
        [2],
        [],
        [0, 3],
        [1],
        [],
    ]
    assert [index.block_of(place) for place in range(4)] == [0, 0, 0, 1]
    assert index.starts.tolist() == [0, 10, 30, 60, 100]
    assert index.in_pack_order().tolist() == [7, 9, 5, 7]
    assert [extent.offset for extent in index.extents] == [12, 124]


@pytest.mark.parametrize("size", [0, 1, TAIL - 1, TAIL, TAIL + HEADER.size - 1])
def test_a_file_too_short_for_a_pack_is_truncated(size: int) -> None:
    with pytest.raises(IntegrityError) as caught:
        pack.parse_trailer(bytes(min(size, TAIL)), size)
    assert caught.value.code == "pack-truncated"


def test_a_tail_without_its_mark_is_truncated() -> None:
    data = written()
    with pytest.raises(IntegrityError) as caught:
        pack.parse_trailer(data[-TAIL - 1 : -1], len(data) - 1)
    assert caught.value.code == "pack-truncated"


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t._replace(at=t.at + 1),
        lambda t: t._replace(stored=t.stored + 1),
        lambda t: t._replace(objects=2**32 - 1),
        lambda t: t._replace(objects=t.objects + 1),
        lambda t: t._replace(blocks=4),
        lambda t: t._replace(raw=2**32 - 1),
        lambda t: t._replace(raw=1),
        lambda t: t._replace(objects=2**31, raw=1 + 17 * 2**31),
        lambda t: t._replace(blocks=4, raw=t.raw + 24),
    ],
)
def test_a_trailer_that_does_not_fit_its_file_is_refused(
    change: Callable[[Trailer], Trailer],
) -> None:
    data = written()
    trailer = pack.parse_trailer(data[-TAIL:], len(data))
    changed = TRAILER.pack(*_low(change(trailer)), TRAILER_MAGIC) + data[-32:]
    with pytest.raises(IntegrityError) as caught:
        pack.parse_trailer(changed, len(data))
    assert caught.value.code == "pack-index"


def _low(trailer: Trailer) -> list[int]:
    return [number % 2**32 for number in trailer]


def columns_of(data: bytes) -> tuple[bytes, Trailer]:
    """Return the opened columns of a pack's index."""
    trailer = pack.parse_trailer(data[-TAIL:], len(data))
    frame = data[trailer.at : trailer.at + trailer.stored]
    return frames.decompress(frame, trailer.raw), trailer


def parsed(columns: bytes, trailer: Trailer) -> Index:
    """Return the index that changed columns would give."""
    return pack.parse_index(frames.compress(columns), trailer._replace(raw=len(columns)))


# Columns of three blobs in one block: 6 bytes of kinds, then 4 + 4, 3, 12, 12, 24.
KINDS, STORED, COUNTS, CODES, LENGTHS, PLACES, KEYS = 0, 6, 10, 14, 17, 29, 41


@pytest.mark.parametrize(
    ("at", "value", "words"),
    [
        (KINDS, b"\x00", "wrong size"),
        (KINDS, b"\x02", "a kind that cannot be"),
        (KINDS, b"\xff", "a kind that cannot be"),
        (KINDS + 1, b"\x00", "a kind that cannot be"),
        (KINDS + 1, b"\xff", "a kind that cannot be"),
        (KINDS + 2, b"B", "a kind that cannot be"),
        (KINDS + 2, b"\xff", "a kind that cannot be"),
        (STORED, b"\xff", "do not fill the file"),
        (COUNTS, b"\x02", "do not match"),
        (COUNTS, b"\x04", "do not match"),
        (COUNTS, b"\x00", "do not match"),
        (CODES, b"\x01", "a kind or a length"),
        (LENGTHS, b"\x07", "a kind or a length"),
        (LENGTHS + 9, b"\x02", "a kind or a length"),
        (PLACES, b"\x05", "not an order"),
        (PLACES, b"\x01\x01\x01", "not an order"),
        (KEYS + 21, b"\xff\x00\x00", "not in order"),
    ],
)
def test_columns_that_contradict_each_other_are_refused(at: int, value: bytes, words: str) -> None:
    columns, trailer = columns_of(written())
    assert len(columns) == 65
    changed = columns[:at] + value + columns[at + len(value) :]
    with pytest.raises(IntegrityError, match=words) as caught:
        parsed(changed, trailer)
    assert caught.value.code == "pack-index"


def test_a_block_over_the_limit_is_refused() -> None:
    columns, trailer = columns_of(written())
    large = pack._planes(array("I", [pack.MAX_PREIMAGE] * 3))
    with pytest.raises(IntegrityError, match="over the limit"):
        parsed(columns[:LENGTHS] + large + columns[PLACES:], trailer)


def test_an_index_of_another_frame_is_refused() -> None:
    _, trailer = columns_of(written())
    with pytest.raises(IntegrityError) as caught:
        pack.parse_index(b"junk", trailer)
    assert caught.value.code == "pack-index"


def test_the_pack_of_nothing_has_an_index() -> None:
    columns, trailer = columns_of(written(0))
    assert columns == b"\x00"
    assert parsed(columns, trailer).extents == []


def objects(preimage: bytes) -> list[tuple[bytes, bytes]]:
    return [(hashlib.sha256(preimage).digest(), preimage)]


def test_a_pack_holds_at_most_255_kinds() -> None:
    writer = PackWriter(MemoryBackend())
    for number in range(255):
        writer.extend(objects(b"pb1 k%d 0\x00" % number))
    writer.extend(objects(b"pb1 k7 1\x00x"))
    with pytest.raises(LimitError, match="255 kinds"):
        writer.extend(objects(b"pb1 other 0\x00"))


def test_a_pack_takes_preimages_alone() -> None:
    writer = PackWriter(MemoryBackend())
    with pytest.raises(IntegrityError):
        writer.extend(objects(b"pb1 blob 2\x00x"))
    with pytest.raises(LimitError):
        writer.extend(objects(b"pb1 blob 16777280\x00" + bytes(16_777_280)))


def test_the_layout_is_the_documented_one() -> None:
    data = written()
    assert data.startswith(b"PBPACK1\n\0\0\0\0PBB\n")
    stored, raw = struct.unpack_from("<II", data, 16)
    assert raw == 36
    opened = frames.decompress(data[24 : 24 + stored], raw)
    assert opened == b"pb1 blob 1\x000pb1 blob 1\x001pb1 blob 1\x002"
    at, objects, blocks, size, _ = struct.unpack_from("<QIIII", data, len(data) - TAIL)
    assert (at, objects, blocks) == (24 + stored, 3, 1)
    assert data[-40:-32] == b"PBINDEX\n"
    assert at + size + TAIL == len(data)
