"""Reading a pack: one object at a time, or all of them in the order they lie."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, NamedTuple

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

CACHE: Final = 24 * 1024 * 1024
"""Bytes of opened blocks that are kept for all packs of a store together."""

CACHED_BLOCK: Final = 2 * 1024 * 1024
"""A block that opens to more than this is not kept."""


class Opened(NamedTuple):
    """A block of a pack: the places of its objects, and the raw bytes before the first."""

    pack: Digest
    first: int
    stop: int
    base: int
    raw: bytes


class BlockCache:
    """The opened blocks that were last of use.

    Attributes:
        last: The one that was used last, which the next read most often needs.
    """

    def __init__(self, limit: int = CACHE) -> None:
        self.last = Opened(Digest(""), 0, 0, 0, b"")
        self._limit = limit
        self._size = 0
        self._blocks: OrderedDict[tuple[Digest, int], Opened] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, pack: Digest, block: int) -> Opened | None:
        """Return a block that is kept."""
        with self._lock:
            opened = self._blocks.get((pack, block))
            if opened is not None:
                self._blocks.move_to_end((pack, block))
                self.last = opened
            return opened

    def keep(self, block: int, opened: Opened) -> None:
        """Keep a block, and let go of those that were not used for longest."""
        if len(opened.raw) > CACHED_BLOCK:
            return
        with self._lock:
            if self._blocks.setdefault((opened.pack, block), opened) is opened:
                self._size += len(opened.raw)
            self.last = opened
            while self._size > self._limit:
                _, old = self._blocks.popitem(last=False)
                self._size -= len(old.raw)


class PackReader:
    """A pack in a store, opened when it is first asked for something.

    No file stays open between reads: a store may have more packs than a
    process may have open files.

    Args:
        backend: Where the store is kept.
        name: The pack's name without its extension: the sha256 it should have.
        cache: Shared with the other packs of the store.
    """

    def __init__(self, backend: Backend, name: Digest, cache: BlockCache | None = None) -> None:
        self._backend = backend
        self._cache = cache or BlockCache()
        self.name = name
        self.path = f"pack/{name}.pbp"
        self._index: Index | None = None

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
        index = self._index or self.index
        return [self.take(place) for place in index.find(raw_id)]

    def matching(self, prefix: str) -> list[Digest]:
        """Return the ids that begin with `prefix`, of objects that are whole."""
        low, high = bytes.fromhex(prefix.ljust(64, "0")), bytes.fromhex(prefix.ljust(64, "f"))
        found = map(self.take, self.index.between(low, high))
        ids = [hashlib.sha256(preimage).hexdigest() for preimage in found]
        return [Digest(name) for name in ids if name.startswith(prefix)]

    def holds(self, raw_id: bytes) -> bool:
        """Tell whether the index gives anything for an id."""
        return bool(self.index.find(raw_id))

    def take(self, place: int) -> bytes:
        """Return the bytes that lie at a place in pack order."""
        span = self._cache.last
        if span.pack != self.name or not span.first <= place < span.stop:
            span = self._open(self.index.block_of(place))
        starts = self.index.starts
        return span.raw[starts[place] - span.base : starts[place + 1] - span.base]

    def chunk(self, extent: Extent) -> bytes:
        """Return a block's stored bytes, its header included."""
        return self._read(extent.offset, BLOCK.size + extent.stored)

    def _open(self, block: int) -> Opened:
        opened = self._cache.get(self.name, block)
        if opened is None:
            extent = self.index.extents[block]
            raw = open_block(self.chunk(extent), extent)
            base = self.index.starts[extent.first]
            opened = Opened(self.name, extent.first, extent.first + extent.objects, base, raw)
            self._cache.keep(block, opened)
        return opened

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
