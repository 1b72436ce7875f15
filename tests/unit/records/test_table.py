"""Cutting long lists so that unchanged parts keep their ids."""

from __future__ import annotations

import hashlib
import random

from probatum.digest import Digest
from probatum.records import codec
from probatum.records.table import MAX_ROWS, Row, build


def rows(count: int) -> list[Row]:
    return [Row(case=f"case-{n}", ids=(Digest(f"{n:064x}"),)) for n in range(count)]


def test_no_rows_are_one_empty_table() -> None:
    (table,) = build(("case",), [])
    assert (table.prefix, table.rows) == ("", ())


def test_a_thousand_rows_are_one_table_and_one_more_are_sixteen() -> None:
    (whole,) = build(("case",), rows(MAX_ROWS))
    assert [row.case for row in whole.rows] == sorted(row.case for row in rows(MAX_ROWS))
    parts = build(("case",), rows(MAX_ROWS + 1))
    assert [part.prefix for part in parts] == list("0123456789abcdef")
    assert sum(len(part.rows) for part in parts) == MAX_ROWS + 1
    for part in parts:
        for row in part.rows:
            assert hashlib.sha256(row.case.encode()).hexdigest().startswith(part.prefix)


def test_order_does_not_matter() -> None:
    shuffled = rows(3000)
    random.Random(1).shuffle(shuffled)
    assert build(("case",), shuffled) == build(("case",), rows(3000))


def test_one_more_case_changes_one_table() -> None:
    before = {codec.identify(table) for table in build(("case",), rows(3000))}
    after = {codec.identify(table) for table in build(("case",), rows(3001))}
    assert len(after - before) == 1
    assert len(before - after) == 1


def test_a_crowded_group_is_split_again() -> None:
    prefixes = {len(table.prefix) for table in build(("case",), rows(16_200))}
    assert prefixes <= {1, 2}
    assert 2 in prefixes
