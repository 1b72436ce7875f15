"""The list of sessions: cheap, from statements and the names of signature files."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from probatum.errors import IntegrityError, LimitError, ProbatumError
from probatum.evidence.rows import result_rows
from probatum.evidence.statements import Damaged, heads
from probatum.records.base import UNSET, StatementId

if TYPE_CHECKING:
    from probatum.store import Store


class LogEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One session in the list.

    Attributes:
        end: Claimed, by the runner's clock.
        cases: How many there are; -1 if their tables cannot be read.
        classes: Verdict classes with their counts, sorted by name.
        signatures: How many signatures stand beside it; not verified; -1 if
            they cannot be read.
        imported: Whether it was made in another store.
    """

    statement: StatementId
    seq: int
    end: str
    name: str
    producer: str
    verdict: str
    falsifiability: str
    complete: bool
    cases: int
    classes: tuple[tuple[str, int], ...]
    signatures: int
    imported: bool


class Log(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions, newest first, and those that cannot be read."""

    entries: tuple[LogEntry, ...]
    damaged: tuple[Damaged, ...]


def log(store: Store, *, limit: int | None = None) -> Log:
    """List the sessions of a store.

    Args:
        store: Where to look.
        limit: Newest sessions at most; all by default.
    """
    read, damaged = heads(store, limit)
    entries = []
    for head in read:
        predicate = head.predicate
        try:
            rows = result_rows(store, predicate)
        except ProbatumError:
            rows = []
        classes = Counter(row.summary.verdict for row in rows if row.summary is not UNSET)
        entries.append(
            LogEntry(
                statement=head.statement,
                seq=predicate.seq,
                end=predicate.end,
                name=predicate.name,
                producer=predicate.producer,
                verdict=predicate.verdict,
                falsifiability=predicate.falsifiability,
                complete=predicate.complete,
                cases=len(rows) or -1,
                classes=tuple(sorted(classes.items())),
                signatures=_signatures(store, head.statement),
                imported=head.imported,
            )
        )
    return Log(entries=tuple(entries), damaged=tuple(damaged))


def _signatures(store: Store, statement: StatementId) -> int:
    try:
        return len(store.signatures(statement))
    except (LimitError, IntegrityError):
        return -1
