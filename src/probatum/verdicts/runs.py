"""Reading the trials of a case: what was said of each answer, and how each run ended.

Stored trials may come from anyone. So a row counts only at a place that the
plan has, a judgment only for the answer and the invariant it names; anything
else is as if it were not there, and nothing here raises.
"""

from collections.abc import Container, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from probatum.records.base import UNSET, JudgmentId, OutputId, PerturbationId
from probatum.records.case import Case
from probatum.records.invariant import Invariant
from probatum.records.judgment import Judgment
from probatum.records.plan import PlanCase
from probatum.records.trials import Trial, Trials

Cell = Literal["pass", "fail", "unjudged", "blank", "truncated", "refused"]
"""What one invariant says of one answer.

The last three say that the answer cannot be judged by anything; ``unjudged``
that this invariant could not.
"""

Ended = Literal["pass", "fail", "unjudged", "truncated", "refused", "errored"]
"""How one run ended."""

OF_THE_ANSWER: Final[Mapping[str, Cell]] = {
    "empty": "blank",
    "not-text": "blank",
    "truncated": "truncated",
    "filtered": "refused",
    "refused": "refused",
}
"""Reasons of an unjudged judgment that lie with the answer, not with the invariant."""

_ENDED: Final[Mapping[Cell, Ended]] = {
    "unjudged": "unjudged",
    "blank": "unjudged",
    "truncated": "truncated",
    "refused": "refused",
}


class Roles(msgspec.Struct, frozen=True, gc=False):
    """Positions, in the case's list of invariants, of those in each role.

    Attributes:
        check: All of role ``check``.
        deciding: Those of severity above ``low``, which alone decide a run.
        critical: Those of severity ``critical``.
        expected: All of role ``expected``, whatever their severity.
    """

    check: tuple[int, ...]
    deciding: tuple[int, ...]
    critical: tuple[int, ...]
    expected: tuple[int, ...]


class Run(NamedTuple):
    """One run that was made.

    Attributes:
        output: The answer; None where the system itself failed.
        cells: What each invariant of the case says; empty without an answer.
    """

    ended: Ended
    output: OutputId | None
    cells: tuple[Cell, ...]


class Slot(msgspec.Struct, frozen=True, gc=False):
    """A planned perturbation, with its runs in the order of the trials."""

    declaration: str
    runs: list[Run]


class Runs(msgspec.Struct, frozen=True, gc=False):
    """All runs that count."""

    baseline: list[Run]
    control: list[Run]
    slots: list[Slot]

    def at_rest(self) -> list[Run]:
        """Return the runs without any perturbation."""
        return [*self.baseline, *self.control]

    def everywhere(self) -> list[Run]:
        """Return the runs of all arms."""
        found = self.at_rest()
        for slot in self.slots:
            found += slot.runs
        return found


def roles_of(case: Case, invariants: Sequence[Invariant]) -> Roles:
    """Sort the invariants of a case by what they are there for.

    Raises:
        ValueError: If `invariants` is not parallel to the case's.
    """
    check, deciding, critical, expected = [], [], [], []
    for at, (rule, invariant) in enumerate(zip(case.invariants, invariants, strict=True)):
        if rule.role == "expected":
            expected.append(at)
            continue
        check.append(at)
        if invariant.severity != "low":
            deciding.append(at)
        if invariant.severity == "critical":
            critical.append(at)
    return Roles(tuple(check), tuple(deciding), tuple(critical), tuple(expected))


def deciding_rules(case: Case, invariants: Sequence[Invariant]) -> tuple[int, ...]:
    """Return the positions of the invariants that decide whether a run passes."""
    return roles_of(case, invariants).deciding


def read_runs(
    case: Case,
    plan_case: PlanCase,
    trials: Trials,
    judgments: Mapping[JudgmentId, Judgment],
    roles: Roles,
    applying: Container[str],
    repeats: int,
    control: int,
) -> Runs:
    """Put every row of the trials that counts into its place.

    The first row at a place counts. Places of a perturbation that the plan
    names more than once are one slot: it is one perturbation.

    Args:
        case: Names the invariants.
        plan_case: Gives the places of perturbations.
        trials: The rows.
        judgments: At least those that the rows name.
        roles: Which invariants decide how a run ended.
        applying: Ids of the case's declarations that apply; a perturbation of
            any other has no place.
        repeats: Runs of every arm.
        control: Control runs.
    """
    runs = Runs([], [], [])
    places = _places(plan_case, applying, runs.slots)
    rules = [rule.invariant for rule in case.invariants]
    seen = set()
    # Most answers to a case are the same, and then the same is said of them.
    read: dict[object, Run] = {}
    for row in trials.rows:
        if row.repeat >= repeats or (row.output is UNSET) == (row.failure is UNSET):
            continue
        into = _destination(row, runs, places, control)
        place = (row.arm, row.declaration, row.index, row.repeat)
        if into is not None and place not in seen:
            seen.add(place)
            said = (row.output, row.failure, row.judgments)
            run = read.get(said)
            if run is None:
                run = read[said] = _read(row, rules, judgments, roles.deciding)
            into.append(run)
    return runs


def _places(
    plan_case: PlanCase, applying: Container[str], slots: list[Slot]
) -> dict[tuple[object, object], tuple[PerturbationId, Slot]]:
    places: dict[tuple[object, object], tuple[PerturbationId, Slot]] = {}
    by_id: dict[PerturbationId, Slot] = {}
    for planned in plan_case.perturbations:
        place = (planned.declaration, planned.index)
        if place in places or planned.declaration not in applying:
            continue
        slot = by_id.get(planned.perturbation)
        if slot is None:
            slot = by_id[planned.perturbation] = Slot(planned.declaration, [])
            slots.append(slot)
        places[place] = (planned.perturbation, slot)
    return places


def _destination(
    row: Trial,
    runs: Runs,
    places: Mapping[tuple[object, object], tuple[PerturbationId, Slot]],
    control: int,
) -> list[Run] | None:
    if row.arm == "perturbation":
        found = places.get((row.declaration, row.index))
        return found[1].runs if found is not None and found[0] == row.perturbation else None
    if row.declaration is not UNSET or row.perturbation is not UNSET:
        return None
    if row.arm == "baseline":
        return runs.baseline if row.index is UNSET else None
    return runs.control if row.index is not UNSET and row.index < control else None


def _read(
    row: Trial,
    rules: Sequence[str],
    judgments: Mapping[JudgmentId, Judgment],
    deciding: Sequence[int],
) -> Run:
    if row.output is UNSET:
        return Run("refused" if row.failure == "filtered" else "errored", None, ())
    output, named = row.output, row.judgments
    found: list[Cell] = []
    for at, rule in enumerate(rules):
        judgment = judgments.get(named[at]) if at < len(named) else None
        if judgment is None or judgment.subject != output or judgment.invariant != rule:
            found.append("unjudged")
        elif judgment.result != "unjudged":
            found.append(judgment.result)
        else:
            reason = judgment.reason
            found.append("unjudged" if reason is UNSET else OF_THE_ANSWER.get(reason, "unjudged"))
    return Run(_ended(found, deciding), output, tuple(found))


def _ended(cells: Sequence[Cell], deciding: Sequence[int]) -> Ended:
    """Combine: fail before unjudged before pass; the first unjudged one says why."""
    ended: Ended = "pass"
    for at in deciding:
        cell = cells[at]
        if cell == "fail":
            return "fail"
        if cell != "pass" and ended == "pass":
            ended = _ENDED[cell]
    return ended
