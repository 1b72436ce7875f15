"""The rows of a session's case table, wherever they stand."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from probatum.errors import IntegrityError, NotFoundError
from probatum.evidence.vault import Objects, fetch
from probatum.records.base import UNSET, TableId
from probatum.records.statement import SessionPredicate
from probatum.records.table import RESULTS, Row, Table


def rows_of(store: Objects, tables: Sequence[TableId], kinds: tuple[str, ...]) -> list[Row]:
    """Return all rows of some tables, sorted by case id.

    Raises:
        IntegrityError: If a table holds other kinds than asked for.
    """
    rows = [row for table in tables for row in checked_rows(fetch(store, table, Table), kinds)]
    rows.sort(key=_case)
    return rows


def checked_rows(table: Table, kinds: tuple[str, ...]) -> tuple[Row, ...]:
    """Return a table's rows, each of which holds an id of every kind.

    Raises:
        IntegrityError: If the table holds other kinds than asked for.
    """
    if table.kinds != kinds or any(len(row.ids) != len(kinds) for row in table.rows):
        raise IntegrityError(f"a table does not hold {' and '.join(kinds)}", code="bad-table")
    return table.rows


def result_rows(store: Objects, predicate: SessionPredicate) -> list[Row]:
    """Return the results rows of a session: from the statement, or from its tables."""
    if predicate.cases is not UNSET:
        return checked_case_rows(predicate.cases)
    return rows_of(store, predicate.tables or (), RESULTS)


def checked_case_rows(rows: Sequence[Row]) -> list[Row]:
    """Return rows that a statement carries itself, sorted by case id.

    Raises:
        IntegrityError: If one does not name a verdict and executions.
    """
    if any(len(row.ids) != len(RESULTS) for row in rows):
        raise IntegrityError("a case table does not hold verdict and executions", code="bad-table")
    return sorted(rows, key=_case)


def find_row(store: Objects, tables: Sequence[TableId], kinds: tuple[str, ...], case: str) -> Row:
    """Return one case's row, reading only the tables that can hold it, as far as is possible.

    Raises:
        NotFoundError: If there is no such case; similar names are candidates.
    """
    key = hashlib.sha256(case.encode("utf-8", "surrogatepass")).hexdigest()
    names: list[str] = []
    for table_id in tables:
        table = fetch(store, table_id, Table)
        names += [row.case for row in table.rows]
        if not key.startswith(table.prefix):
            continue
        for row in checked_rows(table, kinds):
            if row.case == case:
                return row
    raise unknown_case(case, names)


def unknown_case(case: str, names: Sequence[str]) -> NotFoundError:
    """Return the error for a case that a session does not have."""
    import difflib

    near = difflib.get_close_matches(case, names, n=3)
    candidates = near or sorted(names)[:10]
    hint = f"did you mean {near[0]!r}?" if near else f"its cases: {', '.join(candidates)}"
    return NotFoundError(
        f"no case is called {case[:80]!r}", code="unknown-case", candidates=candidates, hint=hint
    )


def _case(row: Row) -> str:
    return row.case
