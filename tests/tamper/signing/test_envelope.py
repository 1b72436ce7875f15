"""Envelopes and signature files, changed in every way an attacker can."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from probatum import canonical
from probatum.digest import object_id
from probatum.errors import IntegrityError, LimitError, ProbatumError
from probatum.records import codec
from probatum.signing import (
    Signature,
    SignatureReport,
    State,
    TrustedKey,
    TrustStore,
    build_envelope,
    encode_signature,
    evaluate,
    parse_envelope,
    read_signature,
    sign,
)
from probatum.signing.keyfiles import PrivateKey

Make = Callable[[int], PrivateKey]
Open = Callable[[bytes], SignatureReport]


@pytest.fixture
def trust(key: Make) -> TrustStore:
    return TrustStore(keys=(TrustedKey(name="me", key=key(1).public),))


@pytest.fixture
def envelope(key: Make, statement: bytes) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(build_envelope(statement, [sign(statement, key(1))]))
    return value


@pytest.fixture
def opened(trust: TrustStore, now: datetime) -> Open:
    def run(data: bytes) -> SignatureReport:
        read = parse_envelope(data)
        return evaluate(read.statement, read.signatures, trust, statement_type="removal", now=now)

    return run


def test_the_untouched_envelope_is_trusted(opened: Open, envelope: dict[str, Any]) -> None:
    assert opened(json.dumps(envelope).encode())


def test_an_edited_payload_is_invalid(
    opened: Open, envelope: dict[str, Any], statement: bytes
) -> None:
    edited = statement.replace(b"superseded", b"deprecated")
    envelope["payload"] = base64.b64encode(edited).decode()
    report = opened(json.dumps(envelope).encode())
    assert report.state is State.INVALID
    assert report.checks[0].reason == "does-not-verify"
    # The key id spells the key, so no trust file is needed to notice.
    read = parse_envelope(json.dumps(envelope).encode())
    alone = evaluate(
        read.statement,
        read.signatures,
        None,
        statement_type="removal",
        now=datetime(2026, 6, 1, tzinfo=UTC),
    )
    assert alone.state is State.INVALID


def test_another_payload_type_is_refused(opened: Open, envelope: dict[str, Any]) -> None:
    envelope["payloadType"] = "application/vnd.in-toto+JSON"
    with pytest.raises(IntegrityError) as caught:
        opened(json.dumps(envelope).encode())
    assert caught.value.code == "payload-type"


def test_a_signature_over_another_type_is_invalid(
    opened: Open, envelope: dict[str, Any], key: Make, statement: bytes
) -> None:
    from probatum.signing import pae

    other = key(1).sign(pae(statement, "application/json"))
    envelope["signatures"][0]["sig"] = base64.b64encode(other).decode()
    assert opened(json.dumps(envelope).encode()).state is State.INVALID


@pytest.mark.parametrize("field", ["payload", "sig"])
@pytest.mark.parametrize(
    "spelling",
    [
        lambda text: text + "\n",
        lambda text: text[:4] + "\n" + text[4:],
        lambda text: text[:4] + " " + text[4:],
        lambda text: text.rstrip("="),
        lambda text: text + "=",
        lambda text: text + "====",
        lambda text: "=" + text,
        lambda text: text[:8] + "%2B" + text[8:],
        lambda text: text.rstrip("=")[:-1] + chr(ord(text.rstrip("=")[-1]) + 1) + "==",
    ],
)
def test_other_spellings_of_base64_are_refused(
    opened: Open, key: Make, field: str, spelling: Callable[[str], str]
) -> None:
    # 64 bytes and 100 bytes both leave two bytes for padding.
    payload = b"x" * 100
    signature = base64.b64encode(sign(payload, key(1)).sig).decode()
    value = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": "application/vnd.in-toto+json",
        "signatures": [{"sig": signature}],
    }
    assert opened(json.dumps(value).encode())
    if field == "payload":
        value["payload"] = spelling(str(value["payload"]))
    else:
        value["signatures"] = [{"sig": spelling(signature)}]
    with pytest.raises(IntegrityError) as caught:
        opened(json.dumps(value).encode())
    assert caught.value.code == "bad-envelope"


def test_url_safe_base64_is_taken(opened: Open, envelope: dict[str, Any], key: Make) -> None:
    payload = b'{"a":"\xc3\xbf\xc3\xbe~~~???"}'
    sig = sign(payload, key(1)).sig
    envelope["payload"] = base64.urlsafe_b64encode(payload).decode()
    envelope["signatures"] = [{"sig": base64.urlsafe_b64encode(sig).decode()}]
    assert base64.b64encode(payload).decode() != envelope["payload"]
    assert opened(json.dumps(envelope).encode())


@pytest.mark.parametrize("name", ["payload", "payloadType", "signatures"])
@pytest.mark.parametrize("first", [True, False])
def test_a_key_that_stands_twice_is_refused(
    opened: Open, envelope: dict[str, Any], name: str, first: bool
) -> None:
    text = json.dumps(envelope)
    twin = f'"{name}":{json.dumps(envelope[name])}'
    data = "{" + twin + "," + text[1:] if first else text[:-1] + "," + twin + "}"
    with pytest.raises(IntegrityError, match="duplicate key"):
        opened(data.encode())


def test_unknown_fields_are_of_no_account(opened: Open, envelope: dict[str, Any]) -> None:
    envelope["mediaType"] = "x"
    envelope["signatures"][0]["cert"] = {"a": [None, 1.5]}
    assert opened(json.dumps(envelope, indent=4).encode())


def test_seventeen_signatures_are_refused(opened: Open, envelope: dict[str, Any]) -> None:
    envelope["signatures"] *= 16
    assert opened(json.dumps(envelope).encode()).counted == 1
    envelope["signatures"].append(envelope["signatures"][0])
    with pytest.raises(LimitError):
        opened(json.dumps(envelope).encode())


def test_no_changed_byte_of_an_envelope_changes_what_is_vouched_for(
    opened: Open, envelope: dict[str, Any], statement: bytes
) -> None:
    data = canonical.encode(envelope)
    for place in range(len(data)):
        for bit in (1, 32, 128):
            changed = data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :]
            try:
                report = opened(changed)
            except ProbatumError:
                continue
            assert not report or parse_envelope(changed).statement == statement


def test_no_changed_byte_of_a_signature_file_is_taken(
    key: Make, statement: bytes, trust: TrustStore, now: datetime
) -> None:
    sid = object_id("statement", statement)
    data = encode_signature(sid, sign(statement, key(1)))

    def report(changed: bytes) -> SignatureReport:
        return evaluate(
            statement,
            [read_signature(changed, sid)],
            trust,
            statement_type="removal",
            now=now,
        )

    assert report(data)
    for place in range(len(data)):
        for bit in (1, 32, 128):
            changed = data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :]
            assert report(changed).state in (State.INVALID, State.SIGNED_UNTRUSTED)
            assert report(changed).invalid
    for size in range(len(data)):
        assert report(data[:size]).state is State.INVALID
    for tail in (b"\n", b"{}", b"\0", data):
        assert report(data + tail).state is State.INVALID


def test_a_signature_file_of_another_statement_is_invalid(
    key: Make, statement: bytes, trust: TrustStore, now: datetime
) -> None:
    other = statement.replace(b"superseded", b"deprecated")
    moved = encode_signature(object_id("statement", statement), sign(other, key(1)))
    plain = encode_signature(object_id("statement", other), sign(other, key(1)))
    for data in (moved, plain):
        signature = read_signature(data, object_id("statement", statement))
        report = evaluate(statement, [signature], trust, statement_type="removal", now=now)
        assert report.state is State.INVALID


def subject(**digest: str) -> dict[str, Any]:
    return {"name": "statement", "digest": digest}


@pytest.mark.parametrize(
    "change",
    [
        {"subject": []},
        {"subject": [subject(sha256="a" * 64), subject(sha256="a" * 64)]},
        {"subject": [subject(sha256="a" * 64, sha1="b" * 40)]},
        {"subject": [subject(sha256="a" * 64, md5="b" * 32)]},
        {"subject": [subject(sha256="A" * 64)]},
        {"subject": [subject(sha256="a" * 63)]},
        {"subject": [subject(sha1="a" * 40)]},
        {"predicateType": "urn:probatum:attestation:removal:v2"},
        {"predicateType": "urn:probatum:attestation:session:v1"},
        {"predicateType": "https://in-toto.io/attestation/test-result/v0.1"},
        {"_type": "https://in-toto.io/Statement/v0.1"},
        {"extra": 1},
    ],
)
def test_well_signed_statements_of_another_shape_are_refused(
    opened: Open, key: Make, statement: bytes, change: dict[str, Any]
) -> None:
    payload = canonical.encode({**json.loads(statement), **change})
    data = build_envelope(payload, [sign(payload, key(1))])
    assert opened(data)
    with pytest.raises(IntegrityError) as caught:
        codec.decode("statement", parse_envelope(data).statement)
    assert caught.value.code == "bad-record"


def test_a_well_signed_statement_that_is_not_canonical_is_refused(
    opened: Open, key: Make, statement: bytes
) -> None:
    for payload in (
        json.dumps(json.loads(statement)).encode(),
        statement + b"\n",
        statement.replace(b"superseded", b"\\u0073uperseded"),
    ):
        data = build_envelope(payload, [sign(payload, key(1))])
        assert opened(data)
        with pytest.raises(IntegrityError) as caught:
            codec.decode("statement", parse_envelope(data).statement)
        assert caught.value.code in ("non-canonical", "bad-record")


def test_what_is_parsed_is_what_was_signed(opened: Open, key: Make, statement: bytes) -> None:
    data = build_envelope(statement, [sign(statement, key(1))])
    assert codec.encode(codec.decode("statement", parse_envelope(data).statement)) == statement
    assert opened(data)
    assert Signature(sig=b"").problem == ""
