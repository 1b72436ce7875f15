"""The chain of a session: what was there when it was sealed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probatum.digest import short
from probatum.errors import ProbatumError
from probatum.evidence.findings import Finding, found
from probatum.evidence.vault import read_object
from probatum.records import codec
from probatum.records.base import StatementId
from probatum.records.statement import SessionPredicate

if TYPE_CHECKING:
    from probatum.store import Store


def check_chain(store: Store, statement: StatementId, predicate: SessionPredicate) -> list[Finding]:
    """Check that the sessions before this one are known and numbered lower.

    A predecessor that nobody has is a warning: it lies outside the closure,
    and a session that travelled alone has none of its predecessors at hand.
    So is one of this store whose ref is gone without a removal.
    """
    findings: list[Finding] = []
    if predicate.store != store.id:
        detail = f"made in store {predicate.store}"
        findings.append(found("foreign-origin", detail, object=statement, kind="statement"))
    if len(set(predicate.prev)) != len(predicate.prev):
        detail = "it names a predecessor twice"
        findings.append(found("sequence-mismatch", detail, object=statement, kind="statement"))
    known: list[int] = []
    for prev in predicate.prev:
        seq = _sequence(store, prev)
        if seq is not None:
            known.append(seq)
        lost = "is nowhere here" if seq is None else "is stored, but its ref is gone"
        if seq is not None and (predicate.store != store.id or store.is_published(prev)):
            continue
        if prev in store.removals():
            if seq is None:
                detail = f"its predecessor {short(prev)}"
                findings.append(found("session-removed", detail, object=prev, kind="statement"))
        else:
            detail = f"{short(prev)} is named as its predecessor and {lost}"
            findings.append(found("session-dropped", detail, object=prev, kind="statement"))
    complete = len(known) == len(predicate.prev)
    least = 1 + max(known, default=0)
    if predicate.seq < least or (complete and predicate.seq != least):
        detail = f"number {predicate.seq}, but its predecessors make it {least}"
        findings.append(found("sequence-mismatch", detail, object=statement, kind="statement"))
    return findings


def _sequence(store: Store, statement: StatementId) -> int | None:
    """Return a statement's sequence number, or none if it cannot be read here."""
    try:
        stored = read_object(store, statement)
        record = codec.decode(stored.kind, stored.payload)
    except ProbatumError:
        return None
    predicate = getattr(record, "predicate", None)
    return None if predicate is None else int(predicate.seq)
