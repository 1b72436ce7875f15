"""Accounting: what became of every perturbation that a case asked for, by family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from probatum.canonical import MAX_INT
from probatum.records.base import UNSET
from probatum.records.case import Case
from probatum.records.plan import Accounting, PlanCase
from probatum.records.verdict import FamilyRow, Tally
from probatum.verdicts.runs import Run, Slot
from probatum.verdicts.statistics import Figures, figures, is_less

_JUDGED: Final = ("pass", "fail")


class Family:
    """The pooled declarations of one family name.

    Attributes:
        n: Distinct perturbations judged.
        passed: Those of them that passed.
        possible: Members of its exhaustive declarations.
        exhaustive: Whether every declaration that applies is exhaustive.
        applies: Whether any declaration does.
        why_not: Why the first that does not apply cannot.
    """

    __slots__ = ("applies", "exhaustive", "n", "name", "passed", "possible", "why_not")

    def __init__(self, name: str) -> None:
        self.name = name
        self.n = self.passed = self.possible = 0
        self.applies = False
        self.exhaustive = True
        self.why_not = ""

    def figures(self) -> Figures | None:
        """Return the figures of its pass count, if anything was judged."""
        return figures(self.n, self.passed) if self.n else None

    def claims(self) -> bool:
        """Tell whether it can show a claim: its members are a sample, not all there are."""
        return self.applies and not self.exhaustive

    def row(self) -> FamilyRow:
        """Return what is stored of it."""
        if not self.applies:
            return FamilyRow(family=self.name, n=0, passed=0, not_applicable=self.why_not)
        possible = min(self.possible, MAX_INT) if self.exhaustive else UNSET
        found = self.figures()
        if found is None:
            return FamilyRow(family=self.name, n=0, passed=0, possible=possible)
        return FamilyRow(
            family=self.name,
            n=self.n,
            passed=self.passed,
            low=found.low_text,
            high=found.high_text,
            shown=UNSET if self.exhaustive else found.shown,
            possible=possible,
        )


class Accounts:
    """Every perturbation that a case asked for, counted once.

    Only the case's own declarations count, each with the first entry that the
    plan has for it. Those that do not apply have no perturbations.

    Attributes:
        families: By name, sorted.
        applying: The family of each declaration that applies.
        judged: Distinct perturbations judged, over all families.
    """

    def __init__(self, case: Case, plan_case: PlanCase) -> None:
        self.requested = self.invalid = self.judged = 0
        self.applying: dict[str, Family] = {}
        self._no_op = self._duplicate = self._not_applicable = 0
        self._fates: dict[str, int] = {}
        by_name: dict[str, Family] = {}
        entries: dict[str, Accounting] = {}
        for entry in reversed(plan_case.accounting):
            entries[entry.declaration] = entry
        seen = set()
        for declaration in case.perturbations:
            if declaration.id not in seen:
                seen.add(declaration.id)
                family = by_name.get(declaration.family)
                if family is None:
                    family = by_name[declaration.family] = Family(declaration.family)
                self._declare(declaration.id, family, declaration.count, entries)
        self.families = [by_name[name] for name in sorted(by_name)]

    def _declare(
        self, declaration: str, family: Family, count: int, entries: dict[str, Accounting]
    ) -> None:
        entry = entries.get(declaration)
        if entry is not None and entry.not_applicable is not UNSET:
            self.requested += entry.requested
            self._not_applicable += entry.requested
            family.why_not = family.why_not or entry.not_applicable
            return
        self.applying[declaration] = family
        family.applies = True
        if entry is None:
            self.requested += count
            family.exhaustive = False
            return
        self.requested += entry.requested
        self._no_op += entry.no_op
        self._duplicate += entry.duplicate
        self.invalid += entry.invalid
        if entry.possible is UNSET:
            family.exhaustive = False
        else:
            family.possible += entry.possible

    def settle(self, slots: Iterable[Slot]) -> None:
        """Count the planned perturbations under what became of them."""
        fates = self._fates
        for (declaration, fate), count in Counter(
            [(slot.declaration, _fate(slot.runs)) for slot in slots]
        ).items():
            fates[fate] = fates.get(fate, 0) + count
            if fate in _JUDGED:
                family = self.applying[declaration]
                family.n += count
                family.passed += count if fate == "pass" else 0
                self.judged += count

    def worst(self) -> Family | None:
        """Return the family with the lowest bound, then the lowest n, then the first name."""
        worst: Family | None = None
        for family in self.families:
            if family.n and (worst is None or _is_worse(family, worst)):
                worst = family
        return worst

    def tally(self) -> Tally:
        """Return what is stored of it; sums stay within what a record can hold."""
        fate = self._fates.get
        return Tally(
            requested=min(self.requested, MAX_INT),
            no_op=min(self._no_op, MAX_INT),
            duplicate=min(self._duplicate, MAX_INT),
            invalid=min(self.invalid, MAX_INT),
            not_applicable=min(self._not_applicable, MAX_INT),
            errored=fate("errored", 0),
            truncated=fate("truncated", 0),
            refused=fate("refused", 0),
            unjudged=fate("unjudged", 0),
            missing=fate("missing", 0),
            judged=self.judged,
            passed=fate("pass", 0),
        )


def _is_worse(family: Family, other: Family) -> bool:
    """Compare two judged families of which `other` has the earlier name."""
    low, other_low = figures(family.n, family.passed).low, figures(other.n, other.passed).low
    return is_less(low, other_low) or (family.n < other.n and not is_less(other_low, low))


def _fate(runs: list[Run]) -> str:
    """Return what became of one perturbation.

    It is judged when at least one of its runs is, and passes when all the
    judged ones do; else it is what stopped its first run.
    """
    if len(runs) == 1:
        return runs[0].ended
    if not runs:
        return "missing"
    ends = [run.ended for run in runs]
    if "fail" in ends:
        return "fail"
    return "pass" if "pass" in ends else ends[0]
