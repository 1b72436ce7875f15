"""Comparing two sessions, or two manifest files with no store at hand.

Cases are paired by their id, runs by perturbation and repeat, whatever the
plan ids are: adding a case or running a part of a spec unpairs nothing. Equal
ids mean equal subtrees, which are not read at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from probatum.errors import ExitCode, IntegrityError
from probatum.evidence.diffrows import RowDiff, compare_runs
from probatum.evidence.manifest import Manifest
from probatum.evidence.rows import result_rows
from probatum.evidence.statements import read_statement
from probatum.evidence.vault import Counting, Objects, fetch
from probatum.records.base import UNSET, StatementId
from probatum.records.session import Environment, Session
from probatum.records.statement import SessionPredicate
from probatum.records.table import Row, Summary
from probatum.records.target import Target
from probatum.verdicts import Downgrade, downgrade, exit_code_of_downgrades

if TYPE_CHECKING:
    from probatum.store import Store

DEFAULT_TEXTS: Final = 3

Change = Literal["same", "changed", "improved", "regression", "evidence-lost", "vanished", "added"]
"""What became of a case.

``same``: the very same verdict record. ``changed``: another record of the
same class. ``vanished``, which is lost evidence too: only in the old session.
``added``: only in the new one.
"""


class CaseDiff(msgspec.Struct, frozen=True, kw_only=True):
    """One case, before and after.

    Attributes:
        old: What the old session says of it; none if it has no such case.
        new: Likewise.
        rows: Runs by how they differ, with counts, sorted; empty when the
            case is the same or `needs_evidence`.
        differing: The runs that differ, in the new session's order.
        needs_evidence: Whether only summaries could be compared.
    """

    case: str
    change: Change
    old: Summary | None
    new: Summary | None
    rows: tuple[tuple[str, int], ...]
    differing: tuple[RowDiff, ...]
    needs_evidence: bool


_LOST: Final[dict[str, Downgrade]] = {
    "regression": "regression",
    "evidence-lost": "evidence-lost",
    "vanished": "evidence-lost",
}


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two sessions.

    Attributes:
        statement: The session id that people see.
        target: The system; none where only a manifest is at hand.
        environment: Likewise.
    """

    statement: str
    predicate: SessionPredicate
    target: Target | None = None
    environment: Environment | None = None


class SessionDiff(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a comparison.

    Attributes:
        cases: Sorted by case id; those that are the same included.
        skipped: Cases that were not read, because their ids are equal.
        objects_read: Objects that were read.
        same_plan: Whether both were made from the same plan.
        same_target: Whether the same system answered.
        same_environment: Whether the fingerprints of both machines are equal.
        evidence: Whether runs could be compared, not summaries alone.
    """

    old: Side
    new: Side
    cases: tuple[CaseDiff, ...]
    skipped: int
    objects_read: int
    same_plan: bool
    same_target: bool
    same_environment: bool
    evidence: bool

    @property
    def counts(self) -> dict[str, int]:
        """Return how many cases changed in which way."""
        found: dict[str, int] = {}
        for case in self.cases:
            found[case.change] = found.get(case.change, 0) + 1
        return found

    @property
    def exit_codes(self) -> tuple[ExitCode, ...]:
        """Every code that applies: 5 for a regression, 4 for lost evidence, else 0."""
        lost = {_LOST.get(case.change) for case in self.cases} - {None}
        codes = sorted((exit_code_of_downgrades([kind]) for kind in lost), reverse=True)
        return tuple(codes) or (ExitCode.OK,)

    @property
    def exit_code(self) -> ExitCode:
        """What the process answers: a regression outranks lost evidence."""
        return self.exit_codes[0]


def diff_sessions(
    store: Store, old: StatementId, new: StatementId, *, texts: int = DEFAULT_TEXTS
) -> SessionDiff:
    """Compare two sessions of a store.

    Args:
        store: Where their objects are.
        old: Session that the other is held against.
        new: The other.
        texts: Differing runs a case whose answers and results are read too.

    Raises:
        NotFoundError: If there is no such session.
        IntegrityError: If an object that is needed is damaged, or the two
            sum up one and the same verdict differently.
    """
    reader = Counting(store)
    sides = (_side(reader, old), _side(reader, new))
    before, after = (result_rows(reader, side.predicate) for side in sides)

    def drill(pair: tuple[Row, Row]) -> list[RowDiff]:
        return compare_runs(reader, pair, texts=texts)

    return _compare(sides, (before, after), drill, reader)


def diff_manifests(old: Manifest, new: Manifest) -> SessionDiff:
    """Compare two manifests: verdict classes, bounds and ids; the rest needs evidence.

    Raises:
        IntegrityError: If the two sum up one and the same verdict differently.
    """
    sides = (
        Side(statement=old.statement_id, predicate=old.statement.predicate),
        Side(statement=new.statement_id, predicate=new.statement.predicate),
    )
    return _compare(sides, (old.rows, new.rows), None, None)


def _side(store: Objects, statement: StatementId) -> Side:
    predicate = read_statement(store, statement).predicate
    return Side(
        statement=statement,
        predicate=predicate,
        target=fetch(store, predicate.target, Target),
        environment=fetch(store, predicate.root, Session).environment,
    )


def _compare(
    sides: tuple[Side, Side],
    rows: tuple[Sequence[Row], Sequence[Row]],
    drill: Callable[[tuple[Row, Row]], list[RowDiff]] | None,
    reader: Counting | None,
) -> SessionDiff:
    before, after = ({row.case: row for row in side} for side in rows)
    cases = []
    skipped = 0
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        change = _change(old, new)
        runs: list[RowDiff] = []
        if change == "same":
            skipped += 1
        elif drill is not None and old is not None and new is not None:
            runs = drill((old, new))
        cases.append(_case_diff(name, change, old, new, runs, blind=drill is None))
    one, two = (side.predicate for side in sides)
    return SessionDiff(
        old=sides[0],
        new=sides[1],
        cases=tuple(cases),
        skipped=skipped,
        objects_read=reader.read if reader else 0,
        same_plan=one.plan == two.plan,
        same_target=one.target == two.target,
        same_environment=one.environment == two.environment,
        evidence=drill is not None,
    )


def _change(old: Row | None, new: Row | None) -> Change:
    if old is None:
        return "added"
    if new is None:
        return "vanished"
    if old.ids[:1] == new.ids[:1]:
        if old.summary != new.summary:
            raise IntegrityError(
                f"the verdict of case {old.case!r} is summed up in two ways",
                code="summary-mismatch",
                hint="one of the two was edited; verify both",
            )
        return "same"
    before, after = _class(old) or "", _class(new) or ""
    if before == after:
        return "changed"
    return downgrade(before, after) or "improved"


def _case_diff(
    name: str,
    change: Change,
    old: Row | None,
    new: Row | None,
    runs: list[RowDiff],
    *,
    blind: bool,
) -> CaseDiff:
    return CaseDiff(
        case=name,
        change=change,
        old=_summary(old),
        new=_summary(new),
        rows=tuple(sorted(Counter(run.change for run in runs).items())),
        differing=tuple(run for run in runs if run.change != "same"),
        needs_evidence=blind and change != "same" and old is not None and new is not None,
    )


def _summary(row: Row | None) -> Summary | None:
    return None if row is None or row.summary is UNSET else row.summary


def _class(row: Row) -> str | None:
    summary = _summary(row)
    return summary.verdict if summary else None
