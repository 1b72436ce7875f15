"""Statements small enough to be made by hand, for tests of the store alone."""

from __future__ import annotations

from typing import Any

from probatum.digest import Digest, object_id
from probatum.records import codec
from probatum.records.base import PlanId, SessionId, SpecId, StatementId, TargetId
from probatum.records.statement import (
    STATEMENT_TYPE,
    RemovalPredicate,
    RemovalStatement,
    SessionPredicate,
    SessionStatement,
    Sha256,
    Subject,
)
from probatum.store import Store

HEX = "0123456789abcdef" * 4
ROOT = object_id("session", b"root")


def session_statement(
    store: str, seq: int = 1, *, prev: tuple[Digest, ...] = (), **fields: Any
) -> SessionStatement:
    """Return a statement about a session that holds nothing."""
    predicate: dict[str, Any] = {
        "root": SessionId(ROOT),
        "store": store,
        "seq": seq,
        "prev": tuple(map(StatementId, prev)),
        "producer": "run",
        "name": "faq",
        "spec": SpecId(ROOT),
        "plan": PlanId(ROOT),
        "target": TargetId(ROOT),
        "verdict": "STABLE",
        "falsifiability": "0.3800",
        "complete": True,
        "start": "2026-01-01T00:00:00.000Z",
        "end": "2026-01-01T00:00:09.000Z",
        "tool": "probatum 0",
        "environment": HEX,
        "invocation": "{}",
        "objects": (),
        "merkle_root": HEX,
    }
    return SessionStatement(
        type_=STATEMENT_TYPE,
        subject=(Subject(name="inventory", digest=Sha256(sha256=HEX)),),
        predicate=SessionPredicate(**(predicate | fields)),
    )


def publish(store: Store, seq: int = 1, **fields: Any) -> StatementId:
    """Store and publish a session of `store`, or of another one given as `origin`."""
    statement = session_statement(fields.pop("origin", store.id), seq, **fields)
    name = StatementId(store.put("statement", codec.encode(statement)))
    store.publish_session(name)
    return name


def remove(store: Store, target: Digest, *, origin: str | None = None) -> StatementId:
    """Store and publish the removal of a session."""
    statement = RemovalStatement(
        type_=STATEMENT_TYPE,
        subject=(Subject(name="statement", digest=Sha256(sha256=HEX)),),
        predicate=RemovalPredicate(
            removes=StatementId(target),
            seq=1,
            store=origin or store.id,
            reason="a test",
            time="2026-01-02T00:00:00.000Z",
        ),
    )
    name = StatementId(store.put("statement", codec.encode(statement)))
    store.publish_session(name)
    return name
