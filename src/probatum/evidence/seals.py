"""Signatures, trust and claimed times of a statement."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from probatum.errors import IntegrityError, LimitError
from probatum.evidence.findings import Finding, found
from probatum.evidence.session import Tallies
from probatum.records.base import UNSET, StatementId
from probatum.records.statement import SessionPredicate
from probatum.signing import (
    Signature,
    SignatureCheck,
    SignatureReport,
    State,
    TimeProof,
    TrustStore,
    evaluate,
    read_signature,
)

if TYPE_CHECKING:
    from probatum.store import Store

SKEW: Final = timedelta(minutes=5)
"""How far clocks of honest machines may be apart."""

_MICROSECOND: Final = timedelta(microseconds=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def signatures_of(store: Store, statement: StatementId) -> list[Signature]:
    """Return the detached signatures beside a statement, not verified."""
    return [read_signature(data, statement) for data in store.signatures(statement)]


def check_signatures(
    store: Store,
    statement: StatementId,
    payload: bytes,
    trust: TrustStore | None,
    now: datetime,
    proofs: Sequence[TimeProof] = (),
) -> tuple[SignatureReport, list[Finding]]:
    """Say what a statement's signatures are worth."""
    try:
        signatures = signatures_of(store, statement)
        report = evaluate(
            payload, signatures, trust, statement_type="session", now=now, proofs=proofs
        )
    except (LimitError, IntegrityError) as error:
        report = SignatureReport(state=State.INVALID, checks=(), threshold=1, counted=0, trust="")
        return report, [_about("signature-invalid", str(error), statement)]
    return report, list(_findings(report, statement, given=trust is not None))


def _findings(report: SignatureReport, statement: StatementId, *, given: bool) -> list[Finding]:
    findings = [
        _about("signature-invalid", _describe(check), statement) for check in report.invalid
    ]
    if not report.checks:
        return [_about("unsigned", "", statement)]
    if not given:
        findings.append(_about("trust-not-given", "", statement))
    elif report.state is State.TRUSTED_RETIRED:
        findings.append(_about("key-retired", _all(report), statement))
    elif report.state is State.EXPIRED_TIME_UNPROVEN:
        findings.append(_about("key-out-of-time", _all(report), statement))
    elif report.state is State.SIGNED_UNTRUSTED:
        if report.counted:
            detail = f"{report.counted} of {report.threshold} keys"
            findings.append(_about("threshold-not-met", detail, statement))
        else:
            findings.append(_about("key-not-trusted", _all(report), statement))
    return findings


def _about(finding: str, detail: str, statement: StatementId) -> Finding:
    return found(finding, detail, object=statement, kind="statement")


def _all(report: SignatureReport) -> str:
    return "; ".join(_describe(check) for check in report.checks)


def _describe(check: SignatureCheck) -> str:
    key = check.key.fingerprint if check.key else "unknown key"
    name = f"{check.name} " if check.name else ""
    detail = f": {check.detail}" if check.detail else ""
    return f"{name}{key} {check.reason}{detail}".rstrip()


def check_times(predicate: SessionPredicate, tallies: Tallies, now: datetime) -> list[Finding]:
    """Check that claimed times are possible; nothing here proves one."""
    findings = [found("time-claimed")]
    root = predicate.root
    try:
        start = datetime.fromisoformat(predicate.start)
        end = datetime.fromisoformat(predicate.end)
    except ValueError as error:
        return [found("time-order", f"not a time: {error}", object=root, kind="session")]
    if end < start:
        detail = f"it ends at {predicate.end}, before it starts at {predicate.start}"
        return [found("time-order", detail, object=root, kind="session")]
    first, last = _micros(start), _micros(end)
    skew = SKEW // _MICROSECOND
    if last > _micros(now) + skew:
        detail = f"it claims to end at {predicate.end}"
        findings.append(found("time-in-future", detail, object=root, kind="session"))
    early = 0 <= tallies.first_us < first - skew
    late = tallies.last_us > last + skew
    if (early or late) and predicate.continues is UNSET:
        detail = "runs start before it" if early else "runs end after it"
        findings.append(found("time-outside-session", detail, object=root, kind="session"))
    return findings


def _micros(time: datetime) -> int:
    return (time - _EPOCH) // _MICROSECOND
