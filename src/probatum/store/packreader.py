"""Reading a pack: one object at a time, or all of them in the order they lie."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

from probatum.digest import Digest
from probatum.errors import IntegrityError
from probatum.store import frames
from probatum.store.backend import Backend
from probatum.store.pack import (
    BLOCK,
    BLOCK_MAGIC,
    HEADER,
    MAGIC,
    MAX_BLOCK,
    TAIL,
    Extent,
    Index,
    parse_index,
    parse_trailer,
    split,
)

CACHED_BLOCKS: Final = 16
CACHED_SIZE: Final = 1024 * 1024
"""Blocks that open to more than this are not kept."""


class PackReader:
    """A pack in a store, opened when it is first asked for something.

    No file stays open between reads: a store may have more packs than a
    process may have open files.

    Args:
        backend: Where the store is kept.
        name: The pack's name without its extension: the sha256 it should have.
    """

    def __init__(self, backend: Backend, name: Digest) -> None:
        self._backend = backend
        self.name = name
        self.path = f"pack/{name}.pbp"
        self._index: Index | None = None
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._last: tuple[int, bytes] = (-1, b"")
        self._lock = threading.Lock()

    @property
    def index(self) -> Index:
        """The pack's index.

        Raises:
            IntegrityError: If it is damaged, or the pack is gone.
        """
        if self._index is None:
            self._index = self._load()
        return self._index

    def find(self, raw_id: bytes) -> list[bytes]:
        """Return what the index gives for an id, not yet hashed: hardly ever two.

        Raises:
            IntegrityError: If index or block is damaged.
        """
        return [self._take(place) for place in self.index.find(raw_id)]

    def matching(self, prefix: str) -> list[Digest]:
        """Return the ids that begin with `prefix`, of objects that are whole."""
        low, high = bytes.fromhex(prefix.ljust(64, "0")), bytes.fromhex(prefix.ljust(64, "f"))
        found = map(self._take, self.index.between(low, high))
        ids = [hashlib.sha256(preimage).hexdigest() for preimage in found]
        return [Digest(name) for name in ids if name.startswith(prefix)]

    def holds(self, raw_id: bytes) -> bool:
        """Tell whether the index gives anything for an id."""
        return bool(self.index.find(raw_id))

    def chunk(self, extent: Extent) -> bytes:
        """Return a block's stored bytes, its header included."""
        return self._read(extent.offset, BLOCK.size + extent.stored)

    def _take(self, place: int) -> bytes:
        index = self.index
        block = index.block_of(place)
        start, end = index.span(place, block)
        last, raw = self._last
        if last != block:
            raw = self._open(block)
        return raw[start:end]

    def _open(self, block: int) -> bytes:
        with self._lock:
            raw = self._cache.pop(block, None)
            if raw is None:
                extent = self.index.extents[block]
                raw = open_block(self.chunk(extent), extent)
            if len(raw) <= CACHED_SIZE:
                self._cache[block] = raw
                self._last = (block, raw)
            if len(self._cache) > CACHED_BLOCKS:
                self._cache.popitem(last=False)
        return raw

    def _load(self) -> Index:
        size = self._backend.size(self.path)
        if size is None:
            raise IntegrityError(f"{self.path}: gone", code="pack-gone")
        if self._read(0, HEADER.size) != HEADER.pack(MAGIC, 0):
            raise IntegrityError(f"{self.path}: not a pack", code="pack-header")
        trailer = parse_trailer(self._read(max(0, size - TAIL), TAIL), size)
        return parse_index(self._read(trailer.at, size - TAIL - trailer.at), trailer)

    def _read(self, offset: int, size: int) -> bytes:
        data = self._backend.read_at(self.path, offset, size)
        if data is None:
            raise IntegrityError(f"{self.path}: gone", code="pack-gone")
        return data


def open_block(chunk: bytes, extent: Extent) -> bytes:
    """Return what a block opens to.

    Args:
        chunk: Its stored bytes, header included.
        extent: What the index says of it.

    Raises:
        IntegrityError: ``pack-block`` if header, index and frame disagree.
    """
    if chunk[: BLOCK.size] != BLOCK.pack(BLOCK_MAGIC, extent.stored, extent.raw):
        raise IntegrityError("block header does not match the index", code="pack-block")
    try:
        return frames.decompress(chunk[BLOCK.size :], extent.raw)
    except IntegrityError as error:
        raise IntegrityError(f"block is damaged: {error}", code="pack-block") from None


def salvage(backend: Backend, path: str) -> Iterator[tuple[int, bytes]]:
    """Read a pack without its index, block after block, as far as it can be read.

    A block that does not open is passed over; reading ends where no block
    header stands.

    Yields:
        The offset of the block and an object's preimage.
    """
    offset = HEADER.size
    while True:
        header = backend.read_at(path, offset, BLOCK.size)
        if header is None or len(header) < BLOCK.size:
            return
        magic, stored, raw = BLOCK.unpack(header)
        if magic != BLOCK_MAGIC or raw > MAX_BLOCK:
            return
        frame = backend.read_at(path, offset + BLOCK.size, min(stored, MAX_BLOCK)) or b""
        try:
            preimages = split(frames.decompress(frame, raw))
        except IntegrityError:
            preimages = []
        for preimage in preimages:
            yield offset, preimage
        offset += BLOCK.size + stored


def verify_name(backend: Backend, name: Digest) -> bool:
    """Tell whether the whole of a pack hashes to its name and to its checksum."""
    path = f"pack/{name}.pbp"
    size = backend.size(path) or 0
    hasher = hashlib.sha256()
    for at in range(0, max(0, size - 32), 1 << 20):
        hasher.update(backend.read_at(path, at, min(1 << 20, size - 32 - at)) or b"")
    stated = hasher.digest()
    end = backend.read_at(path, max(0, size - 32), 32) or b""
    hasher.update(end)
    return end == stated and hasher.hexdigest() == name
