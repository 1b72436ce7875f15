"""Manifest files: a signed statement that travels without its evidence.

A file is a DSSE envelope over the statement. Above 1,000 cases the statement
names its results tables instead of carrying rows, and the file is JSON Lines:
the envelope, then one table a line. Two files are enough to compare verdicts,
bounds and ids on a machine that has no store.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from probatum.digest import Digest, object_id, short
from probatum.errors import IntegrityError, LimitError
from probatum.evidence.rows import checked_case_rows, checked_rows
from probatum.evidence.seals import signatures_of
from probatum.evidence.statements import decode_statement
from probatum.evidence.vault import read_object
from probatum.records import codec
from probatum.records.base import UNSET, StatementId
from probatum.records.statement import SessionPredicate, SessionStatement
from probatum.records.table import RESULTS, Row, Table
from probatum.signing import (
    Signature,
    SignatureReport,
    TrustStore,
    build_envelope,
    evaluate,
    parse_envelope,
)

if TYPE_CHECKING:
    from probatum.store import Store

MAX_FILE: Final = 1 << 30
"""Largest manifest file that is read, in bytes."""

MAX_LINE: Final = 24 * 1024 * 1024
"""Longest line of a manifest file, in bytes."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A manifest file's content; its signatures are not verified by reading it.

    Attributes:
        statement_id: The session id that people see.
        payload: The statement's bytes, which the signatures are over.
        rows: The case table, sorted by case id.
        tables: Payloads of the results tables, where the statement names them.
    """

    statement_id: StatementId
    payload: bytes
    statement: SessionStatement
    signatures: tuple[Signature, ...]
    rows: tuple[Row, ...]
    tables: tuple[bytes, ...]


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    kind: Literal["table"]
    value: msgspec.Raw


_decoder = msgspec.json.Decoder(_Line)


def build_manifest(store: Store, statement: StatementId) -> bytes:
    """Return the manifest file of a session; the same session gives the same bytes.

    Raises:
        NotFoundError: If there is no such session.
        IntegrityError: If an object or a signature file that is needed is damaged.
    """
    stored = read_object(store, statement)
    predicate = decode_statement(statement, stored.kind, stored.payload).predicate
    signatures = signatures_of(store, statement)
    broken = next((item.problem for item in signatures if item.problem), None)
    if broken is not None:
        raise IntegrityError(f"a signature of {short(statement)} is damaged: {broken}")
    lines = [build_envelope(stored.payload, signatures)]
    for table_id in predicate.tables or ():
        table = read_object(store, table_id)
        lines.append(b'{"id":"%b","kind":"table","value":%b}' % (table_id.encode(), table.payload))
    return b"\n".join(lines) + b"\n"


def read_manifest(data: bytes) -> Manifest:
    """Read a manifest file and check that it is whole.

    Raises:
        LimitError: If it, or a line of it, is too large.
        IntegrityError: If it is no manifest, or its tables are not those that
            its statement names.
    """
    if len(data) > MAX_FILE:
        raise LimitError(f"a manifest of {len(data)} bytes is over the limit of {MAX_FILE}")
    first, *rest = _lines(data)
    envelope = parse_envelope(first)
    statement_id = StatementId(object_id("statement", envelope.statement))
    statement = decode_statement(statement_id, "statement", envelope.statement)
    tables = [_table(number, line) for number, line in enumerate(rest, start=2)]
    wanted = statement.predicate.tables or ()
    if tuple(table_id for table_id, _, _ in tables) != wanted:
        raise IntegrityError(
            f"manifest carries {len(tables)} tables that are not the {len(wanted)} it names",
            code="bad-manifest",
        )
    return Manifest(
        statement_id=statement_id,
        payload=envelope.statement,
        statement=statement,
        signatures=envelope.signatures,
        rows=tuple(_rows(statement.predicate, [table for _, _, table in tables])),
        tables=tuple(payload for _, payload, _ in tables),
    )


def check_manifest(
    manifest: Manifest, trust: TrustStore | None, *, now: datetime
) -> SignatureReport:
    """Say what a manifest's signatures are worth."""
    return evaluate(manifest.payload, manifest.signatures, trust, statement_type="session", now=now)


def _lines(data: bytes) -> list[bytes]:
    """Return a file's lines; a single document may be spread over several."""
    if not data.strip():
        raise IntegrityError("manifest is empty", code="bad-manifest")
    lines = data.split(b"\n")
    if any(len(line) > MAX_LINE for line in lines):
        raise LimitError(f"manifest has a line over the limit of {MAX_LINE} bytes")
    kept = [line for line in lines if line.strip()]
    return kept if kept[0].rstrip().endswith(b"}") else [data]


def _table(number: int, line: bytes) -> tuple[Digest, bytes, Table]:
    try:
        parsed = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise IntegrityError(f"manifest, line {number}: {error}", code="bad-manifest") from None
    payload = bytes(parsed.value)
    if object_id("table", payload) != parsed.id:
        raise IntegrityError(
            f"manifest, line {number}: the table is not what its id says", code="bad-manifest"
        )
    table = codec.decode("table", payload)
    assert isinstance(table, Table)
    return Digest(parsed.id), payload, table


def _rows(predicate: SessionPredicate, tables: list[Table]) -> list[Row]:
    if predicate.cases is not UNSET:
        return checked_case_rows(predicate.cases)
    return checked_case_rows([row for table in tables for row in checked_rows(table, RESULTS)])
