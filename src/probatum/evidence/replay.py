"""A stored session as it was: verdicts are shown as they were assigned, never made again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from probatum.evidence.rows import RESULTS, find_row, rows_of
from probatum.evidence.seals import signatures_of
from probatum.evidence.statements import read_statement
from probatum.evidence.vault import fetch
from probatum.records.base import StatementId
from probatum.records.case import Case
from probatum.records.session import Session
from probatum.records.statement import SessionPredicate
from probatum.records.target import Target
from probatum.records.verdict import Verdict
from probatum.verdicts import needed
from probatum.verdicts.statistics import ratio

if TYPE_CHECKING:
    from probatum.store import Store

DEFAULT_CONFIDENCE = "0.95"
"""One-sided confidence of every shown bound."""


class CaseLine(msgspec.Struct, frozen=True, kw_only=True):
    """One case of a session.

    Attributes:
        case: The case's own id.
        verdict: The verdict record, as stored.
        stability: What the shown bound is held against: the claim's
            stability, or the threshold that the case was judged by.
        confidence: Of the claim; 0.95 without one.
        needed: Passing perturbations a family needs to show `stability`; 0
            where no number of them is enough.
    """

    case: str
    verdict: Verdict
    stability: str
    confidence: str
    needed: int


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """A session, ready to be shown.

    Attributes:
        statement: The session id that people see.
        lines: One a case, sorted by case id.
        keys: Fingerprints of the keys whose signatures stand beside it; not
            verified here.
        total: Cases of the session, those that were not asked for included.
    """

    statement: StatementId
    predicate: SessionPredicate
    session: Session
    target: Target
    lines: tuple[CaseLine, ...]
    keys: tuple[str, ...]
    total: int


def replay(store: Store, statement: StatementId, *, case: str | None = None) -> Replay:
    """Return a session as it was stored.

    Args:
        store: Where its objects are.
        statement: The session's id.
        case: Only this case; all by default.

    Raises:
        NotFoundError: If there is no such session or case.
        IntegrityError: If an object that is needed is damaged.
    """
    predicate = read_statement(store, statement).predicate
    session = fetch(store, predicate.root, Session)
    rows = rows_of(store, session.results, RESULTS)
    wanted = rows if case is None else [find_row(store, session.results, RESULTS, case)]
    return Replay(
        statement=statement,
        predicate=predicate,
        session=session,
        target=fetch(store, session.target, Target),
        lines=tuple(_line(store, row.case, fetch(store, row.ids[0], Verdict)) for row in wanted),
        keys=tuple(
            signature.key.fingerprint
            for signature in signatures_of(store, statement)
            if signature.key is not None
        ),
        total=len(rows),
    )


def _line(store: Store, name: str, verdict: Verdict) -> CaseLine:
    policy = fetch(store, verdict.case, Case).policy
    if isinstance(policy.claim, msgspec.UnsetType):
        stability, confidence = policy.stable_threshold, DEFAULT_CONFIDENCE
    else:
        stability, confidence = policy.claim.stability, policy.claim.confidence
    return CaseLine(
        case=name,
        verdict=verdict,
        stability=stability,
        confidence=confidence,
        needed=needed(ratio(stability), ratio(confidence)) or 0,
    )
