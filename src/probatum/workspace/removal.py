"""Taking a session out of a store: a notice in its place, and nothing deleted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from probatum.records import codec
from probatum.records.base import StatementId
from probatum.records.statement import (
    STATEMENT_TYPE,
    RemovalPredicate,
    RemovalStatement,
    Sha256,
    Subject,
)

if TYPE_CHECKING:
    from probatum.engine.pipeline import Signed
    from probatum.store import Store

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def remove(
    store: Store,
    session: StatementId,
    *,
    reason: str,
    clock: Callable[[], int],
    sign: Callable[[bytes], Signed] | None,
) -> StatementId:
    """Store, sign and publish a removal statement; see `Workspace.remove`."""
    seq, _ = store.chain()
    moment = _EPOCH + timedelta(microseconds=clock())
    notice = RemovalStatement(
        type_=STATEMENT_TYPE,
        subject=(Subject(name="session", digest=Sha256(sha256=session)),),
        predicate=RemovalPredicate(
            removes=session,
            seq=seq,
            store=store.id,
            reason=reason,
            time=moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        ),
    )
    statement = StatementId(store.put_record(notice))
    if sign is not None:
        signed = sign(codec.encode(notice))
        store.add_signature(statement, signed.fingerprint, signed.data)
    store.publish_session(statement)
    return statement
