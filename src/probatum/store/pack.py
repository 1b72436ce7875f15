r"""What a pack is: its parts, its index, and how the index is spelled.

::

    "PBPACK1\n" flags:u32            flags are 0
    block*        "PBB\n" stored:u32 raw:u32 frame
    index         one frame of columns
    trailer       at:u64 objects:u32 blocks:u32 stored:u32 raw:u32 "PBINDEX\n"
    sha256        of everything before

A block opens to the preimages of its objects, one after the other, so each
object repeats its kind and size inside the pack, an id is one hash over one
slice, and an index that is lost can be made again by reading the blocks. All
numbers are little-endian. The columns are, in this order:

- ``kinds:u8`` names, each ``length:u8`` and ASCII text;
- for each block: stored size of its frame, number of objects (u32 each);
- for each object in pack order: index of its kind (u8), length of its
  preimage (u32);
- for each object in ascending order of id: its place in pack order (u32), and
  the first eight bytes of its id, as one number (u64).

A column of numbers is written as planes, first all lowest bytes: that keeps
the bytes that hardly vary together. Eight bytes of an id find an object; only
the hash of what is read there says whether it is the one. Whole ids would
double the cost of an index that is derived in any case.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Final, Literal, NamedTuple

import msgspec

from probatum.digest import KIND
from probatum.errors import IntegrityError
from probatum.records.codec import MAX_SIZE
from probatum.store import frames

MAGIC: Final = b"PBPACK1\n"
HEADER: Final = struct.Struct("<8sI")
BLOCK: Final = struct.Struct("<4sII")
BLOCK_MAGIC: Final = b"PBB\n"
TRAILER: Final = struct.Struct("<QIIII8s")
TRAILER_MAGIC: Final = b"PBINDEX\n"
TAIL: Final = TRAILER.size + 32
"""Bytes of trailer and checksum at the end of a pack."""

BLOCK_RAW: Final = 192 * 1024
"""A block ends with the object that fills it to this many bytes."""

MAX_PREIMAGE: Final = MAX_SIZE + 64
MAX_BLOCK: Final = BLOCK_RAW + MAX_PREIMAGE
"""Most bytes that a block opens to."""

MAX_KINDS: Final = 255


class Extent(msgspec.Struct, frozen=True, gc=False):
    """Where a block lies and what it holds.

    Attributes:
        offset: Of its header, in bytes from the start of the file.
        stored: Size of its frame.
        raw: Bytes that it opens to.
        first: Place in pack order of its first object.
        objects: Number of its objects.
    """

    offset: int
    stored: int
    raw: int
    first: int
    objects: int


class Trailer(NamedTuple):
    """The numbers that find everything else.

    Attributes:
        at: Where the index begins.
        objects: Number of objects.
        blocks: Number of blocks.
        stored: Size of the frame of columns.
        raw: Bytes that it opens to.
    """

    at: int
    objects: int
    blocks: int
    stored: int
    raw: int


def damaged(message: str) -> IntegrityError:
    """Return the error for an index that contradicts itself or its file."""
    return IntegrityError(f"pack index: {message}", code="pack-index")


class Index:
    """The index of a pack, consistent in itself and with the size of its file.

    Attributes:
        keys: The first eight bytes of each id as a number, ascending.
        places: For each of `keys` the object's place in pack order.
        lengths: For each object in pack order the length of its preimage.
        codes: For each object in pack order the index of its kind.
        kinds: Kind names.
        starts: For each object in pack order, and for the end, the number of
            raw bytes before it.
        extents: One for each block.
    """

    __slots__ = ("_firsts", "codes", "extents", "keys", "kinds", "lengths", "places", "starts")

    def __init__(
        self,
        *,
        keys: array[int],
        places: array[int],
        lengths: array[int],
        codes: bytes,
        kinds: tuple[str, ...],
        blocks: Iterable[tuple[int, int]],
    ) -> None:
        self.keys = keys
        self.places = places
        self.lengths = lengths
        self.codes = codes
        self.kinds = kinds
        self.starts = array("Q", accumulate(lengths, initial=0))
        self.extents: list[Extent] = []
        offset, first = HEADER.size, 0
        for stored, count in blocks:
            if not 0 < count <= len(lengths) - first:
                raise damaged("blocks and objects do not match")
            raw = self.starts[first + count] - self.starts[first]
            if raw > MAX_BLOCK:
                raise damaged(f"a block of {raw} bytes is over the limit")
            self.extents.append(Extent(offset, stored, raw, first, count))
            offset += BLOCK.size + stored
            first += count
        if first != len(lengths):
            raise damaged("blocks and objects do not match")
        self._firsts = [extent.first for extent in self.extents]

    def find(self, raw_id: bytes) -> list[int]:
        """Return the places of the objects that may have this id: hardly ever two."""
        keys, key = self.keys, key_of(raw_id)
        first = bisect_left(keys, key)
        return self.places[first : bisect_right(keys, key, first)].tolist()

    def between(self, low: bytes, high: bytes) -> list[int]:
        """Return the places of the objects whose ids begin from `low` to `high`."""
        first, last = bisect_left(self.keys, key_of(low)), bisect_right(self.keys, key_of(high))
        return self.places[first:last].tolist()

    def block_of(self, place: int) -> int:
        """Return the number of the block that holds a place."""
        return bisect_right(self._firsts, place) - 1

    def in_pack_order(self) -> array[int]:
        """Return the keys in pack order."""
        ordered = array("Q", bytes(8 * len(self.keys)))
        for key, place in zip(self.keys, self.places, strict=True):
            ordered[place] = key
        return ordered


def key_of(raw_id: bytes) -> int:
    """Return the number under which an id is found in an index."""
    return int.from_bytes(raw_id[:8], "big")


def spell(
    ids: Iterable[bytes],
    lengths: array[int],
    codes: bytes,
    kinds: Iterable[str],
    blocks: Sequence[tuple[int, int]],
) -> tuple[bytes, int]:
    """Return the frame of an index for objects given in pack order, and the size it opens to."""
    keys = array("Q", b"".join([raw_id[:8] for raw_id in ids]))
    if sys.byteorder == "little":  # pragma: no branch
        keys.byteswap()
    order = sorted(range(len(keys)), key=keys.__getitem__)
    names = [kind.encode("ascii") for kind in kinds]
    columns = b"".join(
        (
            bytes([len(names)]),
            *(bytes([len(name)]) + name for name in names),
            _planes(array("I", [stored for stored, _ in blocks])),
            _planes(array("I", [count for _, count in blocks])),
            codes,
            _planes(lengths),
            _planes(array("I", order)),
            _planes(array("Q", map(keys.__getitem__, order))),
        )
    )
    return frames.compress(columns), len(columns)


def split(raw: bytes) -> list[bytes]:
    """Cut concatenated preimages apart by their own headers.

    Raises:
        IntegrityError: If it does not begin with a header everywhere one is due.
    """
    found: list[bytes] = []
    at = 0
    while at < len(raw):
        nul = raw.find(b"\x00", at, at + 64)
        size = raw[at:nul].rpartition(b" ")[2] if nul >= 0 else b""
        if not size.isdigit() or len(size) > 8:
            raise IntegrityError("an object has no header", code="bad-header")
        end = nul + 1 + int(size)
        if end > len(raw):
            raise IntegrityError("an object is cut short", code="bad-header")
        found.append(raw[at:end])
        at = end
    return found


def parse_trailer(tail: bytes, size: int) -> Trailer:
    """Read the end of a pack of `size` bytes.

    Raises:
        IntegrityError: ``pack-truncated`` if it is not the end of a pack,
            ``pack-index`` if its numbers do not fit the file.
    """
    if len(tail) != TAIL or size < HEADER.size + TAIL:
        raise IntegrityError("pack is cut short", code="pack-truncated")
    *numbers, magic = TRAILER.unpack(tail[: TRAILER.size])
    if magic != TRAILER_MAGIC:
        raise IntegrityError("pack has no trailer", code="pack-truncated")
    trailer = Trailer(*numbers)
    if trailer.at + trailer.stored + TAIL != size:
        raise damaged("its parts do not add up to the file")
    # Every column has a fixed width but the kind names, which one byte each counts. Five of the
    # eight planes of keys are random and do not compress, so a small frame holds few objects.
    floor = 1 + 8 * trailer.blocks + 17 * trailer.objects
    if (
        not floor <= trailer.raw <= floor + MAX_KINDS * 33
        or trailer.blocks > trailer.objects
        or trailer.objects > trailer.stored // 4
    ):
        raise damaged("its counts do not match its size")
    return trailer


def parse_index(frame: bytes, trailer: Trailer) -> Index:
    """Read the columns, and make sure that they describe the file.

    Args:
        frame: Everything between the blocks and the trailer.
        trailer: As read from the same file.

    Raises:
        IntegrityError: ``pack-index``.
    """
    count = trailer.objects
    try:
        columns = frames.decompress(frame, trailer.raw)
    except IntegrityError as error:
        raise damaged(str(error)) from None
    kinds, at = _kinds(columns)
    if len(columns) != at + 8 * trailer.blocks + 17 * count:
        raise damaged("its columns have the wrong size")
    stored, at = _column("I", columns, at, trailer.blocks)
    counts, at = _column("I", columns, at, trailer.blocks)
    codes = columns[at : at + count]
    lengths, at = _column("I", columns, at + count, count)
    places, at = _column("I", columns, at, count)
    keys, at = _column("Q", columns, at, count)
    if any(left > right for left, right in pairwise(keys)):
        raise damaged("its ids are not in order")
    if count and (max(codes) >= len(kinds) or max(lengths) > MAX_PREIMAGE or min(lengths) < 8):
        raise damaged("it names a kind or a length that cannot be")
    if count and (max(places) >= count or len(set(places)) != count):
        raise damaged("its order is not an order")
    if HEADER.size + BLOCK.size * trailer.blocks + sum(stored) != trailer.at:
        raise damaged("its blocks do not fill the file")
    return Index(
        keys=keys,
        places=places,
        lengths=lengths,
        codes=codes,
        kinds=kinds,
        blocks=zip(stored, counts, strict=True),
    )


def _kinds(columns: bytes) -> tuple[tuple[str, ...], int]:
    names: list[str] = []
    at = 1
    for _ in range(columns[0]):
        end = at + 1 + columns[at] if at < len(columns) else at
        name = columns[at + 1 : end].decode("ascii", "replace")
        if not KIND.fullmatch(name):
            raise damaged("it names a kind that cannot be")
        names.append(name)
        at = end
    return tuple(names), at


def _planes(column: array[int]) -> bytes:
    if sys.byteorder == "big":  # pragma: no cover
        column = column[:]
        column.byteswap()
    data = column.tobytes()
    return b"".join([data[plane :: column.itemsize] for plane in range(column.itemsize)])


def _column(code: Literal["I", "Q"], columns: bytes, at: int, count: int) -> tuple[array[int], int]:
    column = array(code)
    width = column.itemsize
    data = bytearray(width * count)
    for plane in range(width):
        data[plane::width] = columns[at + plane * count : at + (plane + 1) * count]
    column.frombytes(data)
    if sys.byteorder == "big":  # pragma: no cover
        column.byteswap()
    return column, at + width * count
