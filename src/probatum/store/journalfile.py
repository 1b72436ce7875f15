r"""How a journal is spelled, and what of it can be believed after a crash.

::

    "PBJRNL1\n"
    frame*      "PBJF" length:u32 synced:u64 crc32:u32 body

``synced`` says how many bytes of the file were known to be durable when the
frame was written. A crash may lose or mangle only what lies behind the last
sync, so a frame that cannot be read is dropped with all that follows, unless
a later frame proves that it had been acknowledged: then the file is damaged.
The checksum covers the frame's own offset, so that a journal kept as an
object inside a journal is never taken for frames of it. All numbers are
little-endian.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final, Protocol

from probatum.errors import IntegrityError
from probatum.records.codec import MAX_SIZE

MAGIC: Final = b"PBJRNL1\n"
BATCH: Final = 64 * 1024
"""Bytes that a journal gathers before it writes them as one frame."""

MAX_BODY: Final = BATCH + MAX_SIZE + 128
MAX_HEADER: Final = 1024 * 1024
_FRAME: Final = struct.Struct("<4sIQI")
_MARK: Final = b"PBJF"
_WINDOW: Final = 4 * 1024 * 1024

START: Final = _FRAME.size
"""Bytes before a frame's body."""


class Readable(Protocol):
    """A file that is read at will."""

    @property
    def size(self) -> int:
        """Bytes in the file."""
        ...

    def read_at(self, offset: int, size: int) -> bytes:
        """Return up to `size` bytes; fewer only at the end."""
        ...


def frame(body: bytes, *, at: int, synced: int) -> bytes:
    """Return a frame that will lie at offset `at`."""
    return _FRAME.pack(_MARK, len(body), synced, _checksum(body, at, synced)) + body


def frames_of(file: Readable) -> Iterator[tuple[int, bytes]]:
    """Yield the offset and content of each body, up to the first that is torn.

    Raises:
        IntegrityError: ``journal-damaged`` if this is no journal, or if
            something that was acknowledged cannot be read.
    """
    if file.read_at(0, len(MAGIC)) != MAGIC:
        raise IntegrityError("not a journal", code="journal-damaged")
    at = len(MAGIC)
    while at < file.size:
        found = _frame_at(file, at)
        if found is None:
            _refuse_lost(file, at)
            return
        body, _ = found
        yield at + START, body
        at += START + len(body)


def body_at(file: Readable, at: int) -> bytes:
    """Return the body that begins at offset `at`, its checksum compared once more.

    Raises:
        IntegrityError: ``journal-damaged`` if it is not what was written.
    """
    found = _frame_at(file, at - START)
    if found is None:
        raise IntegrityError(f"journal is damaged at byte {at}", code="journal-damaged")
    return found[0]


def _frame_at(file: Readable, at: int) -> tuple[bytes, int] | None:
    head = file.read_at(at, START)
    if len(head) < START:
        return None
    mark, length, synced, checksum = _FRAME.unpack(head)
    if mark != _MARK or length > MAX_BODY:
        return None
    body = file.read_at(at + START, length)
    if len(body) < length or _checksum(body, at, synced) != checksum:
        return None
    return body, synced


def _refuse_lost(file: Readable, torn: int) -> None:
    """Raise if a frame behind `torn` shows that what lies there had been durable."""
    at = torn + 1
    while at < file.size:
        window = file.read_at(at, _WINDOW)
        hit = window.find(_MARK)
        while hit >= 0:
            found = _frame_at(file, at + hit)
            if found is not None and found[1] > torn:
                raise IntegrityError(
                    f"journal is damaged at byte {torn}",
                    code="journal-damaged",
                    hint="what lies before that byte can still be read by hand; run again",
                )
            hit = window.find(_MARK, hit + 1)
        at += max(1, len(window) - len(_MARK) + 1)


def _checksum(body: bytes, at: int, synced: int) -> int:
    return zlib.crc32(body, zlib.crc32(struct.pack("<QQI", at, synced, len(body))))
