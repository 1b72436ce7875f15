"""Statements of a store: reading one, and listing sessions in the order of the chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from probatum.digest import short
from probatum.errors import IntegrityError, ProbatumError
from probatum.evidence.vault import Objects, read_object
from probatum.records import codec
from probatum.records.base import StatementId
from probatum.records.statement import RemovalStatement, SessionPredicate, SessionStatement

if TYPE_CHECKING:
    from probatum.store import Store


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """A session as its statement tells it.

    Attributes:
        statement: The session id that people see.
        imported: Whether it was made in another store.
    """

    statement: StatementId
    predicate: SessionPredicate
    imported: bool


class Damaged(msgspec.Struct, frozen=True, kw_only=True):
    """A session whose statement cannot be read."""

    statement: StatementId
    error: str


def read_statement(store: Objects, statement: StatementId) -> SessionStatement:
    """Return a session's statement.

    Raises:
        NotFoundError: If it is not there.
        IntegrityError: If it is not a session's statement, or damaged.
    """
    stored = read_object(store, statement)
    return decode_statement(statement, stored.kind, stored.payload)


def decode_statement(statement: StatementId, kind: str, payload: bytes) -> SessionStatement:
    """Return the statement that an object holds.

    Raises:
        IntegrityError: If it holds anything else.
    """
    record = codec.decode(kind, payload) if kind == "statement" else None
    if isinstance(record, SessionStatement):
        return record
    what = "a removal" if isinstance(record, RemovalStatement) else f"a {kind}"
    raise IntegrityError(f"{short(statement)} is {what}, not a session", code="wrong-kind")


def heads(store: Store, limit: int | None = None) -> tuple[list[Head], list[Damaged]]:
    """Return the sessions of the store, newest first, and those that cannot be read.

    The order is that of ``latest``: sequence number, claimed end, id; never
    file times. Removed sessions are left out.

    Args:
        store: Where to look.
        limit: Newest sessions at most; all by default.
    """
    read: list[Head] = []
    damaged: list[Damaged] = []
    for statement in reversed(store.sessions()):
        if limit is not None and len(read) >= limit:
            break
        try:
            predicate = read_statement(store, statement).predicate
        except ProbatumError as error:
            damaged.append(Damaged(statement=statement, error=str(error)))
            continue
        imported = predicate.store != store.id
        read.append(Head(statement=statement, predicate=predicate, imported=imported))
    return read, damaged
