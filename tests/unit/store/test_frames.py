from __future__ import annotations

import pytest
import zstandard

from probatum.errors import IntegrityError
from probatum.store import frames

RAW = b"to be or not to be " * 200


@pytest.mark.parametrize("raw", [b"", b"x", RAW, bytes(16 * 1024 * 1024)])
def test_a_frame_opens_to_what_went_in(raw: bytes) -> None:
    assert frames.decompress(frames.compress(raw), len(raw)) == raw


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"junk",
        frames.compress(RAW)[:-1],
        frames.compress(RAW)[:9],
        frames.compress(RAW) + b"x",
        frames.compress(RAW) + frames.compress(RAW),
        frames.compress(RAW + b"x"),
        zstandard.ZstdCompressor(write_content_size=False).compress(RAW),
        zstandard.ZstdCompressor(
            dict_data=zstandard.ZstdCompressionDict(b"to be or not to be" * 9, 1)
        ).compress(RAW)[:20],
    ],
    ids=["empty", "junk", "short", "header", "tail", "two", "size", "sizeless", "dictionary"],
)
def test_anything_but_one_whole_frame_of_that_size_is_refused(frame: bytes) -> None:
    with pytest.raises(IntegrityError) as caught:
        frames.decompress(frame, len(RAW))
    assert caught.value.code == "bad-frame"


def test_a_bomb_is_refused_by_its_header() -> None:
    bomb = zstandard.ZstdCompressor().compress(bytes(200_000_000))
    assert len(bomb) < 10_000
    with pytest.raises(IntegrityError, match="not what was recorded"):
        frames.decompress(bomb, 1000)


def test_a_wide_window_is_refused() -> None:
    shape = zstandard.ZstdCompressionParameters(window_log=24)
    compressor = zstandard.ZstdCompressor(compression_params=shape).compressobj(size=20_000_000)
    frame = compressor.compress(bytes(20_000_000)) + compressor.flush()
    assert zstandard.get_frame_parameters(frame).window_size > frames.MAX_WINDOW
    with pytest.raises(IntegrityError, match="not what was recorded"):
        frames.decompress(frame, 20_000_000)


@pytest.mark.parametrize("made", [frames.compress(b"other"), frames.compress(RAW[::-1])])
def test_a_compressor_that_errs_is_found_out(made: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    class Erring:
        def compress(self, raw: bytes) -> bytes:
            return made

    monkeypatch.setattr(frames._codecs, "compressor", Erring())
    with pytest.raises(IntegrityError):
        frames.compress(RAW)


def test_a_decompressor_that_returns_short_data_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Erring:
        def decompress(self, frame: bytes, *, allow_extra_data: bool) -> bytes:
            return RAW[:-1]

    frame = frames.compress(RAW)
    monkeypatch.setattr(frames._codecs, "decompressor", Erring())
    with pytest.raises(IntegrityError, match="short"):
        frames.decompress(frame, len(RAW))
