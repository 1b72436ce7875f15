"""Comparing the runs of one case in two sessions."""

from collections.abc import Iterable
from typing import Literal

import msgspec

from probatum.evidence.inspect import text_of
from probatum.evidence.vault import Objects, fetch
from probatum.records.base import UNSET, OutputId, VerdictId
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
        results: What each invariant said, where it was read.
    """

    output: str
    failure: str
    text: str = ""
    results: tuple[str, ...] = ()


class RowDiff(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs of one place, or one that has no counterpart.

    Attributes:
        declaration: Empty but for a perturbation.
        read: Whether texts and results were read.
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
        texts: Differing runs whose answers and results are read too.
    """
    old, new = (fetch(store, VerdictId(row.ids[0]), Verdict) for row in pair)
    after = fetch(store, new.trials, Trials).rows
    before = after if old.trials == new.trials else fetch(store, old.trials, Trials).rows
    same_input = old.case == new.case or (
        fetch(store, old.case, Case).input == fetch(store, new.case, Case).input
    )
    found: list[RowDiff] = []
    for one, two in _pair(before, after):
        change = _change(one, two, same_input=same_input)
        read = change != "same" and texts > 0
        texts -= read
        found.append(_row(store, one, two, change, read=read))
    return found


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


def _row(
    store: Objects, old: Trial | None, new: Trial | None, change: RowChange, *, read: bool
) -> RowDiff:
    row = new or old
    assert row is not None
    return RowDiff(
        arm=row.arm,
        declaration=row.declaration or "",
        index=row.index or 0,
        repeat=row.repeat,
        change=change,
        old=_run(store, old, read=read),
        new=_run(store, new, read=read),
        read=read,
    )


def _run(store: Objects, trial: Trial | None, *, read: bool) -> RunSide | None:
    if trial is None:
        return None
    failure = trial.failure or ""
    if trial.output is UNSET or not read:
        return RunSide(output=trial.output or "", failure=failure)
    return RunSide(
        output=trial.output,
        failure=failure,
        text=_text(store, trial.output),
        results=tuple(fetch(store, item, Judgment).result for item in trial.judgments),
    )


def _text(store: Objects, output: OutputId) -> str:
    return text_of(store, fetch(store, output, Output))[0]
