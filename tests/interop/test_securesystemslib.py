"""securesystemslib verifies probatum's envelopes, and the other way round."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey
from securesystemslib.signer import Signature as TheirSignature

from probatum.signing import (
    PublicKey,
    State,
    TrustedKey,
    TrustStore,
    build_envelope,
    evaluate,
    pae,
    parse_envelope,
    sign,
)
from probatum.signing.keyfiles import generate_key

TYPE = "application/vnd.in-toto+json"
STATEMENT = '{"_type":"https://in-toto.io/Statement/v1","text":"é"}'.encode()


def their_key(key: PublicKey) -> SSlibKey:
    return SSlibKey(key.openssh(), "ed25519", "ed25519", {"public": key.raw.hex()})


def test_they_verify_ours() -> None:
    key, other = generate_key(), generate_key()
    data = build_envelope(STATEMENT, [sign(STATEMENT, key), sign(STATEMENT, other)])
    envelope = Envelope.from_dict(json.loads(data))
    assert envelope.payload == STATEMENT
    accepted = envelope.verify([their_key(key.public), their_key(other.public)], 2)
    assert len(accepted) == 2
    with pytest.raises(VerificationError):
        envelope.verify([their_key(generate_key().public)], 1)


def test_they_encode_what_is_signed_alike() -> None:
    for payload in (b"", STATEMENT, b"\0" * 300):
        assert Envelope(payload, TYPE, {}).pae() == pae(payload)
    assert Envelope(b"hello world", "http://example.com/HelloWorld", {}).pae() == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


def test_we_verify_theirs() -> None:
    signer = CryptoSigner.generate_ed25519()
    envelope = Envelope(STATEMENT, TYPE, {})
    envelope.sign(signer)
    key = PublicKey(bytes.fromhex(signer.public_key.keyval["public"]))
    data = json.dumps(envelope.to_dict(), indent=1).encode()
    read = parse_envelope(data)
    assert read.statement == STATEMENT
    trust = TrustStore(keys=(TrustedKey(name="them", key=key),))
    now = datetime(2026, 6, 1, tzinfo=UTC)
    report = evaluate(read.statement, read.signatures, trust, statement_type="session", now=now)
    assert (report.state, report.checks[0].name) == (State.TRUSTED, "them")
    alone = evaluate(read.statement, read.signatures, None, statement_type="session", now=now)
    assert (alone.state, alone.checks[0].reason) == (State.SIGNED_UNTRUSTED, "key-unknown")


def test_one_key_under_two_key_ids_counts_once() -> None:
    key = generate_key()
    envelope = Envelope(STATEMENT, TYPE, {})
    for name in ("a", "b"):
        public = SSlibKey(name, "ed25519", "ed25519", {"public": key.public.raw.hex()})
        sig = sign(STATEMENT, key).sig
        envelope.signatures[name] = TheirSignature(name, sig.hex())
        envelope.verify([public], 1)
    read = parse_envelope(json.dumps(envelope.to_dict()).encode())
    assert len(read.signatures) == 2
    trust = TrustStore(keys=(TrustedKey(name="one", key=key.public),))
    now = datetime(2026, 6, 1, tzinfo=UTC)
    report = evaluate(read.statement, read.signatures, trust, statement_type="session", now=now)
    assert report.counted == 1
