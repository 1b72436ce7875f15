"""Envelopes: built the same every time, read strictly and no more than that."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from probatum import canonical
from probatum.errors import IntegrityError, LimitError
from probatum.signing import Signature, build_envelope, parse_envelope, sign
from probatum.signing import envelope as module
from probatum.signing.keyfiles import PrivateKey

Make = Callable[[int], PrivateKey]

STATEMENT = b'{"a":"\xc3\xa9"}'


def test_an_envelope_comes_back(key: Make) -> None:
    first, second = sign(STATEMENT, key(1)), sign(STATEMENT, key(2))
    data = build_envelope(STATEMENT, [first, second])
    assert data == build_envelope(STATEMENT, [second, first, second])
    assert canonical.decode(data)["payloadType"] == "application/vnd.in-toto+json"
    envelope = parse_envelope(data)
    assert envelope.statement == STATEMENT
    assert {item.sig for item in envelope.signatures} == {first.sig, second.sig}
    assert {item.keyid for item in envelope.signatures} == {
        key(1).public.openssh(),
        key(2).public.openssh(),
    }
    assert build_envelope(envelope.statement, envelope.signatures) == data


def test_an_unsigned_statement_has_an_envelope() -> None:
    assert parse_envelope(build_envelope(STATEMENT, [])).signatures == ()


def test_limits_of_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LimitError, match="17 signatures"):
        build_envelope(STATEMENT, [Signature(sig=bytes([n])) for n in range(17)])
    monkeypatch.setattr(module, "MAX_ENVELOPE", 100)
    with pytest.raises(LimitError, match="16 MiB"):
        build_envelope(bytes(100), [])


def test_limits_of_reading() -> None:
    with pytest.raises(LimitError, match="16 MiB"):
        parse_envelope(b" " * (16 * 1024 * 1024 + 1))
    with pytest.raises(LimitError, match="17 signatures"):
        parse_envelope(envelope(signatures=[{"sig": "AA=="}] * 17))
    with pytest.raises(LimitError, match="64 levels"):
        parse_envelope(b'{"a":' + b"[" * 100 + b"]" * 100 + b"}")
    with pytest.raises(LimitError, match="64 levels"):
        parse_envelope(b'{"a":' + b"[" * 200_000)


def envelope(**fields: Any) -> bytes:
    value = {"payload": "e30=", "payloadType": "application/vnd.in-toto+json", "signatures": []}
    value.update(fields)
    return json.dumps({name: item for name, item in value.items() if item is not None}).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"{",
        b"\xff",
        "\ufeff{}".encode(),
        "{}".encode("utf-16"),
        b'{"payload":NaN}',
        b'{"payload":' + b"9" * 5000 + b"}",
        envelope(payload=None),
        envelope(payload=5),
        envelope(payload="e30"),
        envelope(payload="e30=\n"),
        envelope(payload="\ud800"),
        envelope(signatures=None),
        envelope(signatures={}),
        envelope(signatures=["AA=="]),
        envelope(signatures=[{}]),
        envelope(signatures=[{"sig": "AA"}]),
        envelope(signatures=[{"sig": "AA==", "keyid": None}]),
        envelope(payloadType=7),
    ],
)
def test_what_is_no_envelope(data: bytes) -> None:
    with pytest.raises(IntegrityError, match="not a DSSE envelope") as caught:
        parse_envelope(data)
    assert caught.value.code == "bad-envelope"


def test_what_is_tolerated() -> None:
    data = b" \r\n" + envelope(more={"x": None}, signatures=[{"sig": "AA==", "cert": "c"}]) + b"\n"
    read = parse_envelope(data)
    assert read.statement == b"{}"
    assert read.signatures == (Signature(sig=b"\0"),)


@pytest.mark.parametrize("kind", ["", "text/plain", "application/vnd.in-toto+json ", "x\x1b[2J"])
def test_other_payload_types_are_refused(kind: str) -> None:
    with pytest.raises(IntegrityError, match="envelope holds") as caught:
        parse_envelope(envelope(payloadType=kind))
    assert caught.value.code == "payload-type"
    assert "\x1b" not in str(caught.value)
