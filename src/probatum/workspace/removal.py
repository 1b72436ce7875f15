"""Taking a session out of a store: a notice in its place, and nothing deleted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from probatum.engine.assemble import timestamp
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
    notice = RemovalStatement(
        type_=STATEMENT_TYPE,
        subject=(Subject(name="session", digest=Sha256(sha256=session)),),
        predicate=RemovalPredicate(
            removes=session,
            seq=seq,
            store=store.id,
            reason=reason,
            time=timestamp(clock()),
        ),
    )
    statement = StatementId(store.put_record(notice))
    if sign is not None:
        signed = sign(codec.encode(notice))
        store.add_signature(statement, signed.fingerprint, signed.data)
    store.publish_session(statement)
    return statement
