"""Writing a pack: objects in, one durable file out, named by its own hash."""

from __future__ import annotations

import hashlib
from array import array
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from probatum.digest import Digest, split_preimage
from probatum.errors import LimitError
from probatum.store import frames
from probatum.store.backend import Backend
from probatum.store.pack import (
    BLOCK,
    BLOCK_MAGIC,
    BLOCK_RAW,
    HEADER,
    MAGIC,
    MAX_KINDS,
    MAX_PREIMAGE,
    TRAILER,
    TRAILER_MAGIC,
    spell,
)

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

AHEAD: Final = 3
"""Blocks that may wait for their compression."""


class PackWriter:
    """A pack that is being written; nobody sees it until `finish`.

    Blocks are compressed beside the thread that gathers them. Memory grows by
    the ids and a few blocks, not by the objects.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._file = backend.stage()
        self._hash = hashlib.sha256()
        self._size = 0
        self._ids: dict[bytes, None] = {}
        self._lengths = array("I")
        self._codes = bytearray()
        self._kinds: dict[bytes, int] = {}
        self._blocks: list[tuple[int, int]] = []
        self._pending: list[bytes] = []
        self._raw = 0
        self._beside: ThreadPoolExecutor | None = None
        self._coming: deque[tuple[Future[bytes], int, int]] = deque()
        self._write(HEADER.pack(MAGIC, 0))

    def extend(self, objects: Iterable[tuple[bytes, bytes]]) -> None:
        """Add objects in order, each unless the pack has it.

        Args:
            objects: Raw id and preimage of each. The ids are not computed
                again: the caller has hashed the preimages, or knows by a
                checksum that they are what was hashed.

        Raises:
            LimitError: If one is too large, or of one kind too many.
            IntegrityError: If one is no preimage.
        """
        # This loop sets the speed of sealing: few calls an object.
        ids, pending = self._ids, self._pending
        begin, code = b"\x00", 0
        for raw_id, preimage in objects:
            if raw_id in ids:
                continue
            length = len(preimage)
            if length >= BLOCK_RAW:
                self._make_room(length)
            if not preimage.startswith(begin):
                begin, code = self._kind(preimage)
            ids[raw_id] = None
            pending.append(preimage)
            self._lengths.append(length)
            self._codes.append(code)
            self._raw += length
            if self._raw >= BLOCK_RAW:
                self._flush()

    def finish(self) -> Digest:
        """Make the pack durable and return the sha256 of its bytes, which is its name."""
        if self._pending:
            self._flush()
        while self._coming:
            self._settle()
        at = self._size
        index, raw = spell(
            self._ids, self._lengths, bytes(self._codes), self._names(), self._blocks
        )
        self._write(index)
        trailer = (at, len(self._ids), len(self._blocks), len(index), raw, TRAILER_MAGIC)
        self._write(TRAILER.pack(*trailer))
        self._write(self._hash.digest())
        name = Digest(self._hash.hexdigest())
        # A file of that name holds the same bytes, unless it was damaged: then this one heals it.
        self._file.commit(f"pack/{name}.pbp", replace=True)
        return name

    def abort(self) -> None:
        """Drop what was written, unless it is finished."""
        if self._beside is not None:
            self._beside.shutdown(cancel_futures=True)
            self._beside = None
        self._file.abort()

    def _make_room(self, length: int) -> None:
        """Give a large object a block of its own, so that its neighbours stay cheap to read."""
        if length > MAX_PREIMAGE:
            raise LimitError(f"an object of {length} bytes is over the 16 MiB limit")
        if self._pending:
            self._flush()

    def _kind(self, preimage: bytes) -> tuple[bytes, int]:
        """Return how preimages of this one's kind begin, and the kind's place in the index."""
        kind = preimage[4:40].partition(b" ")[0]
        code = self._kinds.get(kind)
        if code is None:
            split_preimage(preimage)
            if len(self._kinds) == MAX_KINDS:
                raise LimitError(f"a pack holds at most {MAX_KINDS} kinds")
            code = self._kinds[kind] = len(self._kinds)
        return b"pb1 %b " % kind, code

    def _names(self) -> list[str]:
        return [kind.decode("ascii") for kind in self._kinds]

    def _flush(self) -> None:
        """Hand the block over for compression, and write those that are done with."""
        if self._beside is None:
            from concurrent.futures import ThreadPoolExecutor

            self._beside = ThreadPoolExecutor(1, "probatum-pack")
        raw = b"".join(self._pending)
        frame = self._beside.submit(frames.compress, raw)
        self._coming.append((frame, len(raw), len(self._pending)))
        self._pending.clear()
        self._raw = 0
        if len(self._coming) > AHEAD:
            self._settle()

    def _settle(self) -> None:
        """Write the oldest block that was handed over."""
        coming, raw, objects = self._coming.popleft()
        frame = coming.result()
        self._write(BLOCK.pack(BLOCK_MAGIC, len(frame), raw) + frame)
        self._blocks.append((len(frame), objects))

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._hash.update(data)
        self._size += len(data)
