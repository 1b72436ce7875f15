"""One case over sessions: how its verdict came to be what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from probatum.errors import NotFoundError, ProbatumError
from probatum.evidence.rows import find_row, unknown_case
from probatum.evidence.statements import Damaged, Head, heads
from probatum.evidence.vault import fetch
from probatum.records.base import UNSET, StatementId, UnsetType
from probatum.records.table import RESULTS, Row, Summary
from probatum.records.target import Target
from probatum.verdicts import downgrade

if TYPE_CHECKING:
    from probatum.store import Store


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """The case in one session.

    Attributes:
        model: The system's name, as recorded; empty if it cannot be read.
        change: ``regression``, ``evidence-lost`` or ``improved`` against the
            next older session that has the case, else empty.
        same: Whether the very same verdict record stands in that session.
    """

    statement: StatementId
    seq: int
    end: str
    name: str
    model: str
    complete: bool
    summary: Summary | UnsetType
    change: str
    same: bool
    imported: bool


class History(msgspec.Struct, frozen=True, kw_only=True):
    """A case over sessions, newest first.

    Attributes:
        sessions: How many sessions were looked into.
        damaged: Sessions that cannot be read.
    """

    case: str
    points: tuple[Point, ...]
    sessions: int
    damaged: tuple[Damaged, ...]


def history(store: Store, case: str, *, limit: int | None = None) -> History:
    """Follow one case over the sessions of a store.

    Args:
        store: Where to look.
        case: The case's own id, as authored.
        limit: Newest sessions with this case at most; all by default.

    Raises:
        NotFoundError: If no readable session has the case.
    """
    read, damaged = heads(store)
    names: list[str] = []
    hits: list[tuple[Head, Row]] = []
    looked = 0
    for head in read:
        if limit is not None and len(hits) > limit:
            break
        looked += 1
        try:
            hits.append((head, _row(store, head, case)))
        except ProbatumError as error:
            if isinstance(error, NotFoundError) and error.code == "unknown-case":
                names += error.candidates
            else:
                damaged.append(Damaged(statement=head.statement, error=str(error)))
    if not hits:
        raise unknown_case(case, sorted(set(names)))
    older = [*hits[1:], None]
    points = [_point(store, hit, before) for hit, before in zip(hits, older, strict=True)]
    return History(case=case, points=tuple(points[:limit]), sessions=looked, damaged=tuple(damaged))


def _row(store: Store, head: Head, case: str) -> Row:
    predicate = head.predicate
    if predicate.cases is UNSET:
        return find_row(store, predicate.tables or (), RESULTS, case)
    for row in predicate.cases:
        if row.case == case:
            return row
    raise unknown_case(case, [row.case for row in predicate.cases])


def _point(store: Store, hit: tuple[Head, Row], before: tuple[Head, Row] | None) -> Point:
    head, row = hit
    predicate = head.predicate
    try:
        model = fetch(store, predicate.target, Target).model
    except ProbatumError:
        model = ""
    return Point(
        statement=head.statement,
        seq=predicate.seq,
        end=predicate.end,
        name=predicate.name,
        model=model,
        complete=predicate.complete,
        summary=row.summary,
        change=_change(row, before[1]) if before else "",
        same=before is not None and before[1].ids[:1] == row.ids[:1],
        imported=head.imported,
    )


def _change(row: Row, before: Row) -> str:
    """Return what going from one verdict class to the other means, or empty text."""
    if row.summary is UNSET or before.summary is UNSET:
        return ""
    old, new = before.summary.verdict, row.summary.verdict
    return "" if old == new else downgrade(old, new) or "improved"
