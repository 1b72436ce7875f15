"""The only place that touches zstandard, because its defaults are traps.

``max_output_size`` is ignored when a frame states its size; bytes and second
frames after the first are accepted in silence; the streaming readers return
short data on truncation without an error. So a frame is opened only after its
own header agrees with the size that was recorded for it, in one call that
refuses anything behind it.
"""

from __future__ import annotations

import threading
from typing import Final

import zstandard

from probatum.errors import IntegrityError

_SHAPE: Final = zstandard.ZstdCompressionParameters(
    window_log=21,
    chain_log=16,
    hash_log=17,
    search_log=1,
    min_match=6,
    strategy=zstandard.STRATEGY_DFAST,
)
"""Level 3 but for the least match: four bytes of one id match four of another by chance alone."""

MAX_WINDOW: Final = 8 * 1024 * 1024
"""Largest window, in bytes, that a frame may ask its reader to hold."""


class _Codecs(threading.local):
    """One compressor and one decompressor a thread; neither may be shared."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(compression_params=_SHAPE)
        self.decompressor = zstandard.ZstdDecompressor()


_codecs = _Codecs()


def compress(raw: bytes) -> bytes:
    """Return one frame that states its content size and opens to `raw` again.

    The frame is opened and compared before it is handed out: a bit that flips
    in memory, or a fault of the encoder, is found while the data still exists.

    Raises:
        IntegrityError: If the frame does not open to `raw`.
    """
    frame = _codecs.compressor.compress(raw)
    if decompress(frame, len(raw)) != raw:
        raise IntegrityError("compressed data does not open to what went in", code="bad-frame")
    return frame


def decompress(frame: bytes, size: int) -> bytes:
    """Open exactly one frame of exactly `size` bytes.

    The caller has compared `size` with its own limit: this much is allocated.

    Raises:
        IntegrityError: If `frame` is anything but one whole frame of that size.
    """
    try:
        stated = zstandard.get_frame_parameters(frame)
        if stated.content_size != size or stated.window_size > MAX_WINDOW or stated.dict_id:
            raise IntegrityError("compressed frame is not what was recorded", code="bad-frame")
        raw = _codecs.decompressor.decompress(frame, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise IntegrityError(f"compressed frame is damaged: {error}", code="bad-frame") from None
    if len(raw) != size:
        raise IntegrityError("compressed frame is short", code="bad-frame")
    return raw
