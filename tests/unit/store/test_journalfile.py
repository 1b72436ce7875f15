from __future__ import annotations

import pytest

from probatum.errors import IntegrityError
from probatum.store.journalfile import MAGIC, MAX_BODY, START, frame, frames_of
from probatum.store.memory import MemoryBackend, MemoryLog


def log_of(data: bytes) -> MemoryLog:
    return MemoryLog(MemoryBackend(), "tmp/x", data)


def journal(*bodies: bytes, durable: bool = True) -> bytes:
    """Return a journal in which every frame was durable before the next, or none was."""
    data = MAGIC
    for body in bodies:
        data += frame(body, at=len(data), synced=len(data) if durable else 0)
    return data


def bodies_of(data: bytes) -> list[bytes]:
    return [body for _, body in frames_of(log_of(data))]


BODIES = (b"header", b"first", b"", b"second" * 99, b"last")


def test_frames_come_back_with_their_places() -> None:
    data = journal(*BODIES)
    assert bodies_of(data) == list(BODIES)
    for at, body in frames_of(log_of(data)):
        assert data[at : at + len(body)] == body


def test_a_journal_cut_anywhere_keeps_its_whole_frames() -> None:
    data = journal(*BODIES)
    for size in range(len(MAGIC), len(data)):
        found = bodies_of(data[:size])
        assert found == list(BODIES[: len(found)])
        assert len(journal(*BODIES[: len(found) + 1])) > size


@pytest.mark.parametrize("size", range(len(MAGIC)))
def test_what_does_not_begin_like_a_journal_is_none(size: int) -> None:
    with pytest.raises(IntegrityError, match="not a journal"):
        bodies_of(MAGIC[:size])


def test_every_flipped_byte_of_what_was_durable_is_noticed() -> None:
    data = journal(*BODIES)
    last = len(journal(*BODIES[:-1]))
    for at in range(len(data)):
        changed = data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :]
        if at < last:
            with pytest.raises(IntegrityError) as caught:
                bodies_of(changed)
            assert caught.value.code == "journal-damaged"
        else:
            assert bodies_of(changed) == list(BODIES[:-1])


def test_what_was_never_durable_may_be_mangled_by_a_crash() -> None:
    data = journal(*BODIES, durable=False)
    start = len(journal(b"header"))
    for at in range(start, len(data)):
        changed = data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :]
        found = bodies_of(changed)
        assert found == list(BODIES[: len(found)])
        assert 1 <= len(found) < len(BODIES)


def test_zeros_at_the_end_are_a_torn_tail() -> None:
    assert bodies_of(journal(*BODIES) + bytes(10_000)) == list(BODIES)


def test_damage_is_proved_across_a_large_gap() -> None:
    body = bytes(range(256)) * 40_000
    data = journal(b"header", body, b"after")
    changed = data.replace(body, body[:-1] + b"x")
    with pytest.raises(IntegrityError, match=f"byte {len(journal(b'header'))}"):
        bodies_of(changed)


def test_a_journal_inside_a_journal_is_only_content() -> None:
    inner = journal(b"header", b"a", b"b")
    data = journal(b"header", b"x" * 10, durable=False)
    torn = data + frame(inner, at=len(data), synced=0)[:-1] + b"?"
    assert bodies_of(torn) == [b"header", b"x" * 10]


def test_a_frame_that_claims_too_much_is_not_read() -> None:
    data = journal(b"header")
    claim = b"PBJF" + (MAX_BODY + 1).to_bytes(4, "little") + bytes(12)
    assert bodies_of(data + claim + bytes(START)) == [b"header"]
