"""Who signed, how often, and when: tricks against trust."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from probatum import canonical
from probatum.digest import object_id
from probatum.errors import KeyFault
from probatum.signing import (
    KeyState,
    PublicKey,
    Signature,
    SignatureReport,
    State,
    TrustedKey,
    TrustRule,
    TrustStore,
    encode_signature,
    evaluate,
    parse_envelope,
    read_signature,
    sign,
)
from probatum.signing.keyfiles import PrivateKey
from probatum.signing.trustfile import parse_trust

Make = Callable[[int], PrivateKey]
Judge = Callable[..., SignatureReport]

L = 2**252 + 27742317777372353535851937790883648493
P = 2**255 - 19
ORDER_8 = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)
WEAK = [
    (y | sign_bit << 255).to_bytes(32, "little")
    for y in (0, 1, P - 1, ORDER_8, P - ORDER_8, P, P + 1, P + 18)
    for sign_bit in (0, 1)
]


def openssh(raw: bytes) -> str:
    blob = b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + raw
    return "ssh-ed25519 " + base64.b64encode(blob).decode()


@pytest.fixture
def judge(statement: bytes, now: datetime) -> Judge:
    def run(
        signatures: Sequence[Signature], trust: TrustStore | None, at: datetime = now
    ) -> SignatureReport:
        return evaluate(statement, signatures, trust, statement_type="removal", now=at)

    return run


@pytest.fixture
def trust(key: Make) -> TrustStore:
    return TrustStore(keys=(TrustedKey(name="me", key=key(1).public),))


def test_the_key_behind_a_signature(
    judge: Judge, trust: TrustStore, key: Make, statement: bytes
) -> None:
    mine, theirs = sign(statement, key(1)).sig, sign(statement, key(2)).sig
    me, them = key(1).public, key(2).public
    for keyid, sig, state in [
        (them.openssh(), theirs, State.SIGNED_UNTRUSTED),
        (them.fingerprint, theirs, State.SIGNED_UNTRUSTED),
        (me.openssh(), theirs, State.INVALID),
        (me.fingerprint, theirs, State.INVALID),
        ("", mine, State.TRUSTED),
        (them.openssh(), mine, State.TRUSTED),
        (them.fingerprint, mine, State.TRUSTED),
        ("SHA256:whatever", mine, State.TRUSTED),
    ]:
        assert judge([Signature(sig=sig, keyid=keyid)], trust).state is state, keyid


def test_a_file_that_names_a_trusted_key_on_anothers_signature_is_invalid(
    judge: Judge, trust: TrustStore, key: Make, statement: bytes
) -> None:
    sid = object_id("statement", statement)
    forged = Signature(sig=sign(statement, key(2)).sig, key=key(1).public)
    report = judge([read_signature(encode_signature(sid, forged), sid)], trust)
    assert report.state is State.INVALID
    assert report.checks[0].name == "me"


def test_two_of_two_cannot_be_had_from_one_key(judge: Judge, key: Make, statement: bytes) -> None:
    trust = TrustStore(
        keys=tuple(TrustedKey(name=f"k{n}", key=key(n).public) for n in (1, 2)),
        rules=(TrustRule(type="removal", threshold=2),),
    )
    one, two = sign(statement, key(1)), sign(statement, key(2))
    bad = Signature(sig=sign(b"else", key(2)).sig, key=key(2).public)
    for signatures in [
        [one, one],
        [Signature(sig=one.sig, keyid=name) for name in ("a", "b")],
        [Signature(sig=one.sig, keyid=key(2).public.openssh()), one],
        [Signature(sig=one.sig, keyid=key(n).public.fingerprint) for n in (1, 2)],
        [one, bad],
    ]:
        report = judge(signatures, trust)
        assert (report.state, report.counted) == (State.SIGNED_UNTRUSTED, 1)
        assert len(report.invalid) == (1 if bad in signatures else 0)
    assert judge([one, two], trust).state is State.TRUSTED
    three = judge([one, bad, two], trust)
    assert three.state is State.TRUSTED
    assert [check.name for check in three.invalid] == ["k2"]
    assert not three


def test_one_key_cannot_be_entered_twice(key: Make) -> None:
    text = key(1).public.openssh()
    raw = key(1).public.raw
    for twin in (text, text + " other comment", "  " + text.replace(" ", "\t"), openssh(raw)):
        entries = [{"name": "a", "key": text}, {"name": "b", "key": twin}]
        with pytest.raises(KeyFault, match="are the same key"):
            parse_trust(json.dumps({"format": "probatum-trust/1", "keys": entries}).encode())
    # With the other sign bit it is another key, or none; never the same one.
    flipped = raw[:31] + bytes([raw[31] ^ 128])
    assert PublicKey(flipped) != key(1).public


@pytest.mark.parametrize("raw", [*WEAK, bytes(32), b"\xff" * 32])
def test_weak_keys_get_in_nowhere(
    judge: Judge, trust: TrustStore, statement: bytes, key: Make, raw: bytes
) -> None:
    entry = {"name": "weak", "key": openssh(raw)}
    with pytest.raises(KeyFault, match=r"small order|not canonically") as caught:
        parse_trust(json.dumps({"format": "probatum-trust/1", "keys": [entry]}).encode())
    assert caught.value.code == "bad-trust"
    forged = (1).to_bytes(32, "little") + bytes(32)
    sid = object_id("statement", statement)
    file = canonical.decode(encode_signature(sid, sign(statement, key(1))))
    file |= {"key": openssh(raw), "sig": base64.b64encode(forged).decode()}
    signature = read_signature(canonical.encode(file), sid)
    assert judge([signature], None).state is State.INVALID
    hinted = Signature(sig=forged, keyid=openssh(raw))
    for known in (None, trust):
        assert judge([hinted], known).state is State.INVALID


def test_the_primitive_alone_would_take_a_forgery() -> None:
    identity = (1).to_bytes(32, "little")
    Ed25519PublicKey.from_public_bytes(identity).verify(identity + bytes(32), b"anything")
    with pytest.raises(KeyFault):
        PublicKey(identity)


def test_other_spellings_of_a_signature_are_invalid(
    judge: Judge, trust: TrustStore, key: Make, statement: bytes
) -> None:
    sig = sign(statement, key(1)).sig
    scalar = int.from_bytes(sig[32:], "little")
    twins = [sig[:32] + (scalar + n * L).to_bytes(32, "little") for n in (1, 2, 8)]
    for bad in (*twins, sig[:63], sig + b"\0", b"", sig + sig):
        for given in (Signature(sig=bad, key=key(1).public), Signature(sig=bad)):
            for known in (trust, None):
                assert judge([given], known).state is State.INVALID
    assert judge([Signature(sig=sig)], trust)


YEARS = timedelta(days=3652)
MINUTES = timedelta(minutes=5)


@pytest.mark.parametrize(
    ("offset", "state"),
    [
        (-YEARS, State.SIGNED_UNTRUSTED),
        (-MINUTES, State.TRUSTED),
        (timedelta(0), State.TRUSTED),
        (MINUTES, State.TRUSTED),
        (YEARS, State.EXPIRED_TIME_UNPROVEN),
    ],
)
@pytest.mark.parametrize("claimed", ["1999-01-01", "2026-01-31", "2099-01-01"])
def test_the_claimed_time_never_matters(
    key: Make, statement: bytes, offset: timedelta, state: State, claimed: str
) -> None:
    dated = statement.replace(b"2026-01-31", claimed.encode())
    start = datetime(2026, 1, 1, tzinfo=UTC)
    trust = TrustStore(
        keys=(
            TrustedKey(
                name="me",
                key=key(1).public,
                valid_after=start,
                valid_before=start + timedelta(days=60),
            ),
        )
    )
    report = evaluate(
        dated,
        [sign(dated, key(1))],
        trust,
        statement_type="removal",
        now=datetime(2026, 1, 31, tzinfo=UTC) + offset,
    )
    assert report.state is state


@pytest.mark.parametrize("state", [KeyState.RETIRED, KeyState.REVOKED])
def test_backdating_does_not_revive_a_key(
    judge: Judge, key: Make, statement: bytes, state: KeyState
) -> None:
    revoked_from = datetime(2026, 5, 1, tzinfo=UTC) if state is KeyState.REVOKED else None
    entry = TrustedKey(name="old", key=key(1).public, state=state, revoked_from=revoked_from)
    report = judge([sign(statement, key(1))], TrustStore(keys=(entry,)))
    assert not report.trusted
    assert report.invalid == ()


def test_an_envelope_brings_no_trust(judge: Judge, key: Make, statement: bytes) -> None:
    value = {
        "payload": base64.b64encode(statement).decode(),
        "payloadType": "application/vnd.in-toto+json",
        "signatures": [
            {
                "keyid": key(2).public.openssh(),
                "sig": base64.b64encode(sign(statement, key(2)).sig).decode(),
                "trusted": True,
            }
        ],
        "trust": {"keys": [{"name": "x", "key": key(2).public.openssh()}]},
    }
    read = parse_envelope(json.dumps(value).encode())
    assert judge(read.signatures, None).state is State.SIGNED_UNTRUSTED
