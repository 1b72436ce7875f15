"""The noun `table`: a long list, cut so that unchanged parts keep their ids.

Rows are grouped by the leading hex digits of the SHA-256 of their case id. A
group of more than 1,000 rows is split by one more digit. Adding a case
therefore changes one table, whatever the number of cases.
"""

import hashlib
from collections.abc import Iterable
from typing import Final

from probatum.digest import Digest
from probatum.records.base import UNSET, Count, Decimal4, Record, UnsetType, Value

MAX_ROWS: Final = 1_000

CASES: Final = ("case",)
PLAN_CASES: Final = ("plan-case",)
RESULTS: Final = ("verdict", "executions")
"""The kinds of the ids in the rows of a spec's, a plan's and a session's tables."""


class Summary(Value, frozen=True, kw_only=True):
    """What a manifest says of a case, so that two manifests can be compared alone.

    Attributes:
        rule: The rule of the verdict table that decided.
        worst: The family with the lowest bound, if any was judged.
        worst_n: Distinct perturbations judged in that family.
        worst_passed: Those of them that passed.
        low: Lower end of the worst family's bootstrap interval.
        shown: One-sided 95 % lower bound; absent where nothing is claimed.
    """

    verdict: str
    rule: str
    requested: Count
    judged: Count
    passed: Count
    worst: str | UnsetType = UNSET
    worst_n: Count | UnsetType = UNSET
    worst_passed: Count | UnsetType = UNSET
    low: Decimal4 | UnsetType = UNSET
    shown: Decimal4 | UnsetType = UNSET


class Row(Value, frozen=True, kw_only=True):
    """One case's entry.

    Attributes:
        case: The case's own id, as authored.
        ids: One object id for each of the table's kinds.
    """

    case: str
    ids: tuple[Digest, ...]
    summary: Summary | UnsetType = UNSET


class Table(Record, frozen=True, kw_only=True, tag="table"):
    """Up to 1,000 rows, sorted by case id.

    Attributes:
        kinds: What the ids of each row are, such as `RESULTS`.
        prefix: Leading hex digits shared by the hashes of all case ids in it.
    """

    kinds: tuple[str, ...]
    prefix: str
    rows: tuple[Row, ...]


def build(kinds: tuple[str, ...], rows: Iterable[Row]) -> list[Table]:
    """Cut rows into tables; the result depends on the set of rows alone.

    Args:
        kinds: The kinds of the ids in each row.
        rows: Rows with distinct case ids, in any order.

    Returns:
        Tables by ascending prefix; one empty table for no rows.
    """
    keyed = [(hashlib.sha256(row.case.encode()).hexdigest(), row) for row in rows]
    return list(_split(kinds, "", keyed))


def _split(kinds: tuple[str, ...], prefix: str, keyed: list[tuple[str, Row]]) -> Iterable[Table]:
    if len(keyed) <= MAX_ROWS:
        ordered = sorted((row for _, row in keyed), key=lambda row: row.case)
        yield Table(kinds=kinds, prefix=prefix, rows=tuple(ordered))
        return
    groups: dict[str, list[tuple[str, Row]]] = {}
    for key, row in keyed:
        groups.setdefault(key[len(prefix)], []).append((key, row))
    for digit in sorted(groups):
        yield from _split(kinds, prefix + digit, groups[digit])
