"""Comparing the runs of one case in two sessions."""

from collections.abc import Iterable
from typing import Literal

import msgspec

from probatum.digest import Digest
from probatum.evidence.inspect import text_of
from probatum.evidence.vault import Objects, fetch
from probatum.records.base import OutputId, VerdictId
from probatum.records.case import Case
from probatum.records.judgment import Judgment
from probatum.records.output import Output
from probatum.records.table import Row
from probatum.records.trials import Trial, Trials
from probatum.records.verdict import Verdict

RowChange = Literal[
    "same", "inputs-differ", "output-differs", "judgment-differs", "only-old", "only-new"
]
"""How a run differs; the first that applies, from the input onwards."""


class RunSide(msgspec.Struct, frozen=True, kw_only=True):
    """One of two runs that are compared.

    Attributes:
        output: The answer's id; empty on failure.
        failure: How the system failed; empty if it answered.
        text: The answer's text, where it was read and is text.
        results: What each invariant said; empty for runs that are the same.
    """

    output: str
    failure: str
    text: str = ""
    results: tuple[str, ...] = ()


class RowDiff(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs of one place, or one that has no counterpart.

    Attributes:
        declaration: Empty but for a perturbation.
        read: Whether texts were read.
    """

    arm: str
    declaration: str
    index: int
    repeat: int
    change: RowChange
    old: RunSide | None
    new: RunSide | None
    read: bool


def compare_runs(store: Objects, pair: tuple[Row, Row], *, texts: int) -> list[RowDiff]:
    """Compare all runs of one case; equal trials of equal cases are not read.

    Args:
        store: Where both sessions are.
        pair: The case's results rows, old and new.
        texts: Differing runs whose answers are read too: those that an
            invariant now fails first, then those whose results changed.
    """
    old, new = (fetch(store, VerdictId(row.ids[0]), Verdict) for row in pair)
    after = fetch(store, new.trials, Trials).rows
    before = after if old.trials == new.trials else fetch(store, old.trials, Trials).rows
    same_input = old.case == new.case or (
        fetch(store, old.case, Case).input == fetch(store, new.case, Case).input
    )
    rows = [
        _row(store, one, two, _change(one, two, same_input=same_input))
        for one, two in _pair(before, after)
    ]
    differing = [at for at, row in enumerate(rows) if row.change != "same"]
    for at in sorted(differing, key=lambda at: _weight(rows[at]))[:texts]:
        rows[at] = _with_texts(store, rows[at])
    return rows


def _weight(row: RowDiff) -> int:
    """Return how soon a run is worth reading: what broke, what changed, the rest."""
    old, new = (() if side is None else side.results for side in (row.old, row.new))
    stopped = bool(row.old and row.new and row.new.failure and not row.old.failure)
    if stopped or ("fail" in new and "fail" not in old):
        return 0
    return 1 if old != new else 2


def _pair(
    before: Iterable[Trial], after: Iterable[Trial]
) -> list[tuple[Trial | None, Trial | None]]:
    """Pair by perturbation and repeat, then by place in the declarations and repeat."""
    left = {_exact(row): row for row in before}
    pairs: list[tuple[Trial | None, Trial | None]] = []
    lone: list[Trial] = []
    for row in after:
        other = left.pop(_exact(row), None)
        if other is None:
            lone.append(row)
        pairs.append((other, row))
    places = {_place(row): row for row in left.values()}
    moved = {_exact(row): places.pop(_place(row), None) for row in lone}
    paired = [
        (moved.get(_exact(new)) if old is None and new is not None else old, new)
        for old, new in pairs
    ]
    return [*paired, *((row, None) for row in places.values())]


def _exact(row: Trial) -> tuple[object, ...]:
    return (row.arm, row.index if row.arm == "control" else row.perturbation, row.repeat)


def _place(row: Trial) -> tuple[object, ...]:
    return (row.arm, row.declaration, row.index, row.repeat)


def _change(old: Trial | None, new: Trial | None, *, same_input: bool) -> RowChange:
    if old is None:
        return "only-new"
    if new is None:
        return "only-old"
    differs = old.perturbation != new.perturbation
    if differs or (new.arm != "perturbation" and not same_input):
        return "inputs-differ"
    if (old.output, old.failure) != (new.output, new.failure):
        return "output-differs"
    return "same" if old.judgments == new.judgments else "judgment-differs"


def _row(store: Objects, old: Trial | None, new: Trial | None, change: RowChange) -> RowDiff:
    row = new or old
    assert row is not None
    results = change != "same"
    return RowDiff(
        arm=row.arm,
        declaration=row.declaration or "",
        index=row.index or 0,
        repeat=row.repeat,
        change=change,
        old=_run(store, old, results=results),
        new=_run(store, new, results=results),
        read=False,
    )


def _run(store: Objects, trial: Trial | None, *, results: bool) -> RunSide | None:
    if trial is None:
        return None
    judged = trial.judgments if results else ()
    return RunSide(
        output=trial.output or "",
        failure=trial.failure or "",
        results=tuple([fetch(store, item, Judgment).result for item in judged]),
    )


def _with_texts(store: Objects, row: RowDiff) -> RowDiff:
    def read(side: RunSide | None) -> RunSide | None:
        if side is None or not side.output:
            return side
        output = fetch(store, OutputId(Digest(side.output)), Output)
        return msgspec.structs.replace(side, text=text_of(store, output)[0])

    return msgspec.structs.replace(row, old=read(row.old), new=read(row.new), read=True)
