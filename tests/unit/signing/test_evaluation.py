"""The six states, one signature at a time and together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from probatum.errors import LimitError
from probatum.signing import (
    KeyState,
    Signature,
    SignatureReport,
    State,
    TimeProof,
    TrustedKey,
    TrustRule,
    TrustStore,
    evaluate,
    sign,
)
from probatum.signing.keyfiles import PrivateKey

Make = Callable[[int], PrivateKey]

STATEMENT = b'{"end":"2025-03-01T00:00:00.000Z"}'
START = datetime(2025, 1, 1, tzinfo=UTC)
END = datetime(2026, 1, 1, tzinfo=UTC)
INSIDE = datetime(2025, 6, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
SKEW = timedelta(minutes=5)


def judge(
    signatures: Sequence[Signature],
    trust: TrustStore | None,
    now: datetime = INSIDE,
    seen: Sequence[datetime] = (),
    kind: str = "session",
) -> SignatureReport:
    proofs = [TimeProof(signature=one.digest, time=time) for one in signatures for time in seen]
    return evaluate(STATEMENT, signatures, trust, statement_type=kind, now=now, proofs=proofs)


def store(key: Make, *seeds: int, threshold: int = 1, **fields: Any) -> TrustStore:
    keys = tuple(TrustedKey(name=f"k{n}", key=key(n).public, **fields) for n in seeds)
    return TrustStore(keys=keys, rules=(TrustRule(type="session", threshold=threshold),))


def test_unsigned(key: Make) -> None:
    for trust in (None, store(key, 1)):
        report = judge([], trust)
        assert report.state is State.UNSIGNED
        assert not report
        assert report.checks == report.invalid == ()


def test_trusted(key: Make) -> None:
    report = judge([sign(STATEMENT, key(1))], store(key, 1))
    assert report
    assert (report.state, report.threshold, report.counted) == (State.TRUSTED, 1, 1)
    (check,) = report.checks
    assert (check.reason, check.name, check.key) == ("", "k1", key(1).public)


def test_signed_by_somebody(key: Make) -> None:
    for trust in (None, store(key, 2)):
        report = judge([sign(STATEMENT, key(1))], trust)
        assert report.state is State.SIGNED_UNTRUSTED
        assert report.checks[0].reason == "key-not-trusted"
        assert report.checks[0].key == key(1).public
        assert not report
        assert report.invalid == ()


def test_invalid_alone(key: Make) -> None:
    other = sign(b"{}", key(1))
    for trust in (None, store(key, 1)):
        report = judge([other, Signature(sig=b"", problem="torn")], trust)
        assert report.state is State.INVALID
        assert [check.reason for check in report.checks] == [
            "does-not-verify",
            "bad-signature-file",
        ]
        assert report.invalid == report.checks
    assert report.checks[0].name == "k1"
    assert report.checks[1].detail == "torn"


def test_invalid_beside_good_is_reported_and_takes_nothing(key: Make) -> None:
    report = judge([sign(b"{}", key(2)), sign(STATEMENT, key(1))], store(key, 1, 2))
    assert report.state is State.TRUSTED
    assert report.trusted
    assert not report
    assert [check.name for check in report.invalid] == ["k2"]
    untrusted = judge([sign(b"{}", key(2)), sign(STATEMENT, key(1))], None)
    assert untrusted.state is State.SIGNED_UNTRUSTED
    assert len(untrusted.invalid) == 1


@pytest.mark.parametrize(
    ("now", "seen", "state", "reason"),
    [
        (INSIDE, None, State.TRUSTED, ""),
        (START, None, State.TRUSTED, ""),
        (START - SECOND, None, State.TRUSTED, "clock-skew"),
        (START - SKEW, None, State.TRUSTED, "clock-skew"),
        (START - SKEW - SECOND, None, State.SIGNED_UNTRUSTED, "key-not-yet-valid"),
        (END - SECOND, None, State.TRUSTED, ""),
        (END, None, State.TRUSTED, "clock-skew"),
        (END + SKEW - SECOND, None, State.TRUSTED, "clock-skew"),
        (END + SKEW, None, State.EXPIRED_TIME_UNPROVEN, "key-expired"),
        (END + SKEW, INSIDE, State.TRUSTED_RETIRED, "key-expired"),
        (END + SKEW, START, State.TRUSTED_RETIRED, "key-expired"),
        (END + SKEW, START - SECOND, State.EXPIRED_TIME_UNPROVEN, "key-expired"),
        (END + SKEW, END - SECOND, State.TRUSTED_RETIRED, "key-expired"),
        (END + SKEW, END, State.EXPIRED_TIME_UNPROVEN, "key-expired"),
        (START - timedelta(days=3652), INSIDE, State.SIGNED_UNTRUSTED, "key-not-yet-valid"),
    ],
)
def test_the_window_of_a_key(
    key: Make, now: datetime, seen: datetime | None, state: State, reason: str
) -> None:
    trust = store(key, 1, valid_after=START, valid_before=END)
    report = judge([sign(STATEMENT, key(1))], trust, now, [seen] if seen else [])
    assert (report.state, report.checks[0].state, report.checks[0].reason) == (
        state,
        state,
        reason,
    )
    assert report.checks[0].proven == (seen if state is State.TRUSTED_RETIRED else None)


@pytest.mark.parametrize(
    ("seen", "state"),
    [
        ([], State.EXPIRED_TIME_UNPROVEN),
        ([INSIDE], State.TRUSTED_RETIRED),
        ([END, INSIDE, START - SECOND, INSIDE + SECOND], State.TRUSTED_RETIRED),
        ([END + SKEW], State.EXPIRED_TIME_UNPROVEN),
    ],
)
def test_a_retired_key_needs_a_proof(key: Make, seen: list[datetime], state: State) -> None:
    trust = store(key, 1, state=KeyState.RETIRED, valid_after=START, valid_before=END)
    report = judge([sign(STATEMENT, key(1))], trust, INSIDE + timedelta(days=1), seen)
    assert report.state is state
    assert report.checks[0].reason == "key-retired"
    if state is State.TRUSTED_RETIRED:
        assert report
        assert report.checks[0].proven == min(time for time in seen if START <= time < END)


@pytest.mark.parametrize(
    ("revoked_from", "seen", "state", "reason"),
    [
        (None, [], State.SIGNED_UNTRUSTED, "key-revoked"),
        (None, [INSIDE], State.SIGNED_UNTRUSTED, "key-revoked"),
        (INSIDE, [], State.SIGNED_UNTRUSTED, "key-revoked"),
        (INSIDE, [INSIDE], State.SIGNED_UNTRUSTED, "key-revoked"),
        (INSIDE, [INSIDE - SECOND], State.TRUSTED_RETIRED, "revoked-later"),
        (INSIDE, [START - SECOND], State.SIGNED_UNTRUSTED, "key-revoked"),
        (END, [INSIDE + SKEW + SECOND], State.SIGNED_UNTRUSTED, "key-revoked"),
    ],
)
def test_a_revoked_key(
    key: Make, revoked_from: datetime | None, seen: list[datetime], state: State, reason: str
) -> None:
    trust = store(key, 1, state=KeyState.REVOKED, revoked_from=revoked_from, valid_after=START)
    report = judge([sign(STATEMENT, key(1))], trust, INSIDE, seen)
    assert (report.state, report.checks[0].reason) == (state, reason)
    assert report.invalid == ()


def test_a_proof_of_another_signature_proves_nothing(key: Make) -> None:
    trust = store(key, 1, state=KeyState.RETIRED)
    proof = TimeProof(signature="0" * 64, time=INSIDE, source="elsewhere")
    report = evaluate(
        STATEMENT,
        [sign(STATEMENT, key(1))],
        trust,
        statement_type="session",
        now=INSIDE,
        proofs=[proof],
    )
    assert report.state is State.EXPIRED_TIME_UNPROVEN


def test_scopes_and_rules(key: Make) -> None:
    keys = (
        TrustedKey(name="a", key=key(1).public, scopes=("session",)),
        TrustedKey(name="b", key=key(2).public),
    )
    trust = TrustStore(keys=keys, rules=(TrustRule(type="session", keys=("a",)),))
    both = [sign(STATEMENT, key(1)), sign(STATEMENT, key(2))]
    session = judge(both, trust)
    assert [check.reason for check in session.checks] == ["", "key-not-in-rule"]
    assert session.state is State.TRUSTED
    plan = judge(both, trust, kind="plan")
    assert [check.reason for check in plan.checks] == ["key-out-of-scope", ""]
    assert judge(both[:1], trust, kind="plan").state is State.SIGNED_UNTRUSTED


def test_thresholds_count_keys(key: Make) -> None:
    trust = store(key, 1, 2, threshold=2)
    one, two = sign(STATEMENT, key(1)), sign(STATEMENT, key(2))
    assert judge([one, two], trust).state is State.TRUSTED
    twice = judge([one, one, Signature(sig=one.sig)], trust)
    assert (twice.state, twice.counted, twice.threshold) == (State.SIGNED_UNTRUSTED, 1, 2)


def test_the_best_state_that_enough_keys_support(key: Make) -> None:
    trust = TrustStore(
        keys=(
            TrustedKey(name="a", key=key(1).public),
            TrustedKey(name="r", key=key(2).public, state=KeyState.RETIRED),
            TrustedKey(name="x", key=key(3).public, valid_before=START),
        ),
        rules=(TrustRule(type="session", threshold=2),),
    )
    active, retired, expired = (sign(STATEMENT, key(n)) for n in (1, 2, 3))
    proof = [TimeProof(signature=retired.digest, time=INSIDE)]

    def state(*signatures: Signature) -> State:
        return evaluate(
            STATEMENT, signatures, trust, statement_type="session", now=INSIDE, proofs=proof
        ).state

    assert state(active, retired) is State.TRUSTED_RETIRED
    assert state(active, expired) is State.EXPIRED_TIME_UNPROVEN
    assert state(retired, expired) is State.EXPIRED_TIME_UNPROVEN
    assert state(active) is State.SIGNED_UNTRUSTED


def test_more_signatures_than_the_limit(key: Make) -> None:
    one = sign(STATEMENT, key(1))
    assert judge([one] * 16, store(key, 1)).state is State.TRUSTED
    with pytest.raises(LimitError, match="17 signatures"):
        judge([one] * 17, store(key, 1))


def test_the_trust_file_is_named(key: Make) -> None:
    trust = TrustStore(keys=store(key, 1).keys, digest="ab")
    assert judge([], trust).trust == "ab"
    assert judge([], None).trust == ""


def test_the_furthest_windows_do_not_overflow(key: Make) -> None:
    trust = store(
        key,
        1,
        valid_after=datetime(1, 1, 1, tzinfo=UTC),
        valid_before=datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC),
    )
    assert judge([sign(STATEMENT, key(1))], trust).state is State.TRUSTED


def test_hints_of_an_envelope(key: Make) -> None:
    mine, hers = key(1).public, key(2).public
    good = sign(STATEMENT, key(2)).sig
    trust = store(key, 1, 2)

    def check(keyid: str, sig: bytes, trusted: TrustStore | None) -> tuple[State, str, str]:
        (only,) = judge([Signature(sig=sig, keyid=keyid)], trusted).checks
        return only.state, only.reason, only.name

    for keyid in (hers.openssh(), hers.fingerprint, mine.openssh(), mine.fingerprint, "?", ""):
        assert check(keyid, good, trust) == (State.TRUSTED, "", "k2")
    assert check(hers.openssh(), good, None) == (State.SIGNED_UNTRUSTED, "key-not-trusted", "")
    assert check(hers.fingerprint, good, None) == (State.SIGNED_UNTRUSTED, "key-unknown", "")
    assert check(mine.openssh(), good, None) == (State.INVALID, "does-not-verify", "")
    assert check(mine.fingerprint, good, store(key, 1)) == (State.INVALID, "does-not-verify", "k1")
    assert check("", bytes(63), None) == (State.INVALID, "does-not-verify", "")
    assert check("", b"\xff" * 64, None) == (State.INVALID, "does-not-verify", "")
