"""Signing under arbitrary input: only our errors, and nothing forged."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from probatum.canonical import foreign_json
from probatum.digest import Digest, object_id
from probatum.errors import IntegrityError, KeyFault, LimitError, ProbatumError
from probatum.signing import (
    KeyState,
    PublicKey,
    Signature,
    State,
    TimeProof,
    TrustedKey,
    TrustRule,
    TrustStore,
    build_envelope,
    encode_signature,
    evaluate,
    pae,
    parse_envelope,
    parse_public_key,
    read_signature,
    sign,
)
from probatum.signing.allowed_signers import import_allowed_signers
from probatum.signing.keyfiles import PrivateKey, load_private_key
from probatum.signing.trust import STATEMENT_TYPES
from probatum.signing.trustfile import encode_trust, parse_trust

KEYS = [PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32)) for n in range(6)]
TEXTS = [key.public.openssh() for key in KEYS]
BASE = datetime(2026, 1, 1, tzinfo=UTC)

seconds = st.integers(-10_000_000, 10_000_000).map(lambda n: BASE + timedelta(seconds=n))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=12,
)


def shaped(fields: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[bytes]:
    """JSON objects whose fields are sometimes right and sometimes anything."""
    mixed = {name: right | json_values for name, right in fields.items()}
    return st.fixed_dictionaries({}, optional=mixed).map(lambda v: json.dumps(v).encode())


base64_text = st.binary(max_size=80).map(lambda b: base64.b64encode(b).decode())
envelopes = shaped(
    {
        "payload": base64_text,
        "payloadType": st.just("application/vnd.in-toto+json"),
        "signatures": st.lists(
            st.fixed_dictionaries(
                {"sig": base64_text},
                optional={"keyid": st.sampled_from(TEXTS) | st.text(max_size=9)},
            ),
            max_size=3,
        ),
    }
)
entries = st.fixed_dictionaries(
    {"name": st.text(max_size=5), "key": st.sampled_from(TEXTS) | st.text(max_size=30)},
    optional={
        "state": st.sampled_from(["active", "retired", "revoked", "?"]),
        "valid_after": st.sampled_from(["2026-01-01T00:00:00Z", "2026", "\ud800"]),
        "scopes": json_values,
    },
)
trust_files = shaped(
    {
        "format": st.just("probatum-trust/1"),
        "version": st.integers(0, 3),
        "keys": st.lists(entries | json_values, max_size=3),
        "rules": st.lists(
            st.fixed_dictionaries({"type": st.sampled_from(STATEMENT_TYPES)}) | json_values,
            max_size=2,
        ),
    }
)


def attempt(action: Callable[[], Any]) -> tuple[Any, ProbatumError | None]:
    try:
        return action(), None
    except ProbatumError as error:
        return None, error


@given(st.binary(max_size=200) | envelopes)
def test_any_bytes_as_an_envelope(data: bytes) -> None:
    envelope, error = attempt(lambda: parse_envelope(data))
    if error is not None:
        assert isinstance(error, IntegrityError | LimitError)
        assert "\n" not in str(error)
        return
    report = evaluate(
        envelope.statement, envelope.signatures, None, statement_type="session", now=BASE
    )
    assert not report.trusted


@given(st.binary(max_size=200) | trust_files)
def test_any_bytes_as_a_trust_file(data: bytes) -> None:
    trust, error = attempt(lambda: parse_trust(data))
    if error is not None:
        assert error.code == "bad-trust"
        assert str(error).encode().isascii() or str(error).isprintable()
        return
    again = parse_trust(encode_trust(trust))
    assert (again.keys, again.rules, again.version) == (trust.keys, trust.rules, trust.version)


@given(st.binary(max_size=300) | shaped({"format": st.text(), "key": st.sampled_from(TEXTS)}))
def test_any_bytes_as_a_signature_file(data: bytes) -> None:
    signature = read_signature(data, Digest("0" * 64))
    assert signature.problem
    report = evaluate(b"{}", [signature], None, statement_type="session", now=BASE)
    assert report.state is State.INVALID


option = st.sampled_from(
    ["cert-authority", 'namespaces="probatum"', 'valid-after="20260101"', 'valid-before="9"', "x"]
)
line = st.builds(
    " ".join,
    st.lists(st.sampled_from([*TEXTS, "a", "*", '"b c"', "#"]) | option | st.text(max_size=8)),
)


@given(st.binary(max_size=200) | st.lists(line, max_size=4).map(lambda x: "\n".join(x).encode()))
def test_any_bytes_as_allowed_signers(data: bytes) -> None:
    got, error = attempt(lambda: import_allowed_signers(TrustStore(), data, zone=UTC))
    if error is not None:
        assert error.code == "bad-trust"
        return
    assert got.trust.keys == tuple(sorted(got.added, key=lambda entry: entry.name))


@given(st.text(max_size=120) | st.binary(max_size=60).map(lambda b: f"ssh-ed25519 {b!r}"))
def test_any_text_as_a_public_key(text: str) -> None:
    with pytest.raises(KeyFault):
        parse_public_key(text)


@given(st.binary(min_size=32, max_size=32))
def test_a_key_is_itself_or_refused(raw: bytes) -> None:
    try:
        key = PublicKey(raw)
    except KeyFault:
        return
    assert parse_public_key(key.openssh("x")) == key


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_damage_to_a_private_key(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged"
    whole = KEYS[1].openssh()
    start = data.draw(st.integers(0, len(whole)))
    inserted = data.draw(st.binary(max_size=8))
    removed = data.draw(st.integers(0, 60))
    path.write_bytes(whole[:start] + inserted + whole[start + removed :])
    path.chmod(0o600)
    key, error = attempt(lambda: load_private_key(path))
    if error is not None:
        assert error.code in ("bad-key", "key-type", "passphrase-missing")
        return
    assert key.public.verify(key.sign(b"m"), b"m")


@given(st.binary(max_size=300), st.lists(st.sampled_from(KEYS), max_size=5))
def test_what_is_built_is_read(statement: bytes, signers: list[PrivateKey]) -> None:
    signatures = [sign(statement, signer) for signer in signers]
    data = build_envelope(statement, signatures)
    assert data == build_envelope(statement, signatures[::-1])
    envelope = parse_envelope(data)
    assert envelope.statement == statement
    report = evaluate(statement, envelope.signatures, None, statement_type="session", now=BASE)
    assert {check.key for check in report.checks} == {signer.public for signer in signers}
    assert report.invalid == ()
    assert isinstance(foreign_json(data), dict)


@given(st.binary(max_size=50), st.binary(max_size=50), st.sampled_from(KEYS))
def test_a_signature_is_for_one_statement(one: bytes, other: bytes, signer: PrivateKey) -> None:
    assume(one != other)
    signature = sign(one, signer)
    assert signer.public.verify(signature.sig, pae(one))
    assert not signer.public.verify(signature.sig, pae(other))
    sid = object_id("statement", one)
    assert read_signature(encode_signature(sid, signature), sid) == signature
    assert read_signature(encode_signature(sid, signature), object_id("statement", other)).problem


keys_of_trust = st.lists(
    st.builds(
        TrustedKey,
        name=st.sampled_from("abcdef"),
        key=st.sampled_from([key.public for key in KEYS]),
        state=st.sampled_from(KeyState),
        valid_after=st.none() | seconds,
        valid_before=st.none() | seconds,
        revoked_from=st.none(),
        scopes=st.just(()) | st.just(("session",)) | st.just(("plan",)),
    ),
    min_size=1,
    max_size=6,
    unique_by=(lambda entry: entry.name, lambda entry: entry.key),
)


@given(keys_of_trust, st.integers(1, 3), st.lists(st.sampled_from(KEYS), max_size=6), st.data())
def test_trust_needs_distinct_active_keys(
    entries: list[TrustedKey], threshold: int, signers: list[PrivateKey], data: Any
) -> None:
    try:
        trust = TrustStore(
            keys=tuple(entries), rules=(TrustRule(type="session", threshold=threshold),)
        )
    except KeyFault:
        return
    now = data.draw(seconds)
    signatures: list[Signature] = [sign(b"{}", signer) for signer in signers]
    proofs = [
        TimeProof(signature=signature.digest, time=data.draw(seconds)) for signature in signatures
    ]
    plain = evaluate(b"{}", signatures, trust, statement_type="session", now=now)
    proven = evaluate(b"{}", signatures, trust, statement_type="session", now=now, proofs=proofs)
    able = {
        entry.key
        for entry in entries
        if entry.key in {signer.public for signer in signers}
        and entry.state is KeyState.ACTIVE
        and (not entry.scopes or "session" in entry.scopes)
    }
    if plain.trusted:
        assert len(able) >= threshold
        assert plain.state is State.TRUSTED
        assert proven.state is State.TRUSTED
    assert proven.counted >= plain.counted
    assert plain.state is not State.INVALID
    shuffled = data.draw(st.permutations(signatures))
    again = evaluate(b"{}", shuffled, trust, statement_type="session", now=now)
    assert (again.state, again.counted) == (plain.state, plain.counted)


@given(st.binary(max_size=40), st.text(max_size=20))
def test_pae_can_be_taken_apart_in_one_way(payload: bytes, kind: str) -> None:
    assume(all(not 0xD800 <= ord(char) <= 0xDFFF for char in kind))
    head, size, rest = pae(payload, kind).split(b" ", 2)
    assert head == b"DSSEv1"
    assert rest[: int(size)] == kind.encode()
    assert rest[int(size) + 1 :] == b"%d %b" % (len(payload), payload)
