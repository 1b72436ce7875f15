"""A stored session as it was: verdicts are shown as they were assigned, never made again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from probatum.evidence.rows import find_row, rows_of
from probatum.evidence.seals import signatures_of
from probatum.evidence.statements import decode_statement
from probatum.evidence.vault import fetch, read_object
from probatum.records.base import StatementId, UnsetType, VerdictId
from probatum.records.session import Session
from probatum.records.statement import SessionPredicate
from probatum.records.table import RESULTS, Row, Summary
from probatum.records.target import Target
from probatum.records.verdict import Verdict
from probatum.signing import SignatureReport, TimeProof, TrustStore, evaluate

if TYPE_CHECKING:
    from probatum.store import Store


class CaseLine(msgspec.Struct, frozen=True, kw_only=True):
    """One case of a session, as stored.

    Attributes:
        case: The case's own id.
        summary: What the results table says of it.
    """

    case: str
    id: VerdictId
    summary: Summary | UnsetType
    verdict: Verdict


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """A session, ready to be shown.

    Attributes:
        statement: The session id that people see.
        lines: One a case, sorted by case id.
        keys: Fingerprints of the keys whose signatures stand beside it.
        signatures: What the signatures are worth; none if not checked.
    """

    statement: StatementId
    predicate: SessionPredicate
    session: Session
    target: Target
    lines: tuple[CaseLine, ...]
    keys: tuple[str, ...]
    signatures: SignatureReport | None


def replay(
    store: Store,
    statement: StatementId,
    *,
    case: str | None = None,
    trust: TrustStore | None = None,
    now: datetime | None = None,
    proofs: Sequence[TimeProof] = (),
) -> Replay:
    """Return a session as it was stored.

    Args:
        store: Where its objects are.
        statement: The session's id.
        case: Only this case; all by default.
        trust: Whose signatures count; none if no trust file is at hand.
        now: The present time, with a time zone; without it signatures are
            not checked.
        proofs: Proofs of the signatures' ages.

    Raises:
        NotFoundError: If there is no such session or case.
        IntegrityError: If an object that is needed is damaged.
    """
    stored = read_object(store, statement)
    predicate = decode_statement(statement, stored.kind, stored.payload).predicate
    session = fetch(store, predicate.root, Session)
    if case is None:
        rows = rows_of(store, session.results, RESULTS)
    else:
        rows = [find_row(store, session.results, RESULTS, case)]
    signatures = signatures_of(store, statement)
    report = None
    if now is not None:
        report = evaluate(
            stored.payload, signatures, trust, statement_type="session", now=now, proofs=proofs
        )
    return Replay(
        statement=statement,
        predicate=predicate,
        session=session,
        target=fetch(store, session.target, Target),
        lines=tuple([_line(store, row) for row in rows]),
        keys=tuple([item.key.fingerprint for item in signatures if item.key is not None]),
        signatures=report,
    )


def _line(store: Store, row: Row) -> CaseLine:
    verdict_id = VerdictId(row.ids[0])
    return CaseLine(
        case=row.case,
        id=verdict_id,
        summary=row.summary,
        verdict=fetch(store, verdict_id, Verdict),
    )
