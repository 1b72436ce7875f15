"""The noun `verdict`: what the trials of one case amount to, and by which rule."""

from typing import Literal

from probatum.records.base import (
    UNSET,
    CaseId,
    Count,
    Decimal4,
    Record,
    TrialsId,
    UnsetType,
    Value,
)

VerdictClass = Literal["STABLE", "FRAGILE", "CONSISTENTLY_WRONG", "INSUFFICIENT", "INVALID_EVAL"]
RuleId = Literal["R1", "R2", "R3", "R4", "R5", "R6"]


class FamilyRow(Value, frozen=True, kw_only=True):
    """One family's figures.

    Attributes:
        n: Distinct perturbations judged.
        passed: Those of them whose judged runs all passed.
        low: 2.5 % point of the bootstrap distribution, rounded down.
        high: 97.5 % point, rounded up.
        shown: One-sided 95 % Clopper-Pearson lower bound, rounded down;
            absent for an exhaustive family, which claims nothing.
        possible: Set for an exhaustive family: its number of members.
    """

    family: str
    n: Count
    passed: Count
    low: Decimal4 | UnsetType = UNSET
    high: Decimal4 | UnsetType = UNSET
    shown: Decimal4 | UnsetType = UNSET
    possible: Count | UnsetType = UNSET
    not_applicable: str | UnsetType = UNSET


class Tally(Value, frozen=True, kw_only=True):
    """What became of every perturbation that was asked for.

    Each perturbation is counted once. One that is planned is ``judged`` when
    at least one of its runs was; else it is counted under what stopped its
    first run.
    """

    requested: Count
    no_op: Count
    duplicate: Count
    invalid: Count
    not_applicable: Count
    errored: Count
    truncated: Count
    refused: Count
    unjudged: Count
    missing: Count
    judged: Count
    passed: Count


class AtRest(Value, frozen=True, kw_only=True):
    """The system with no perturbation at all: baseline and control runs.

    Attributes:
        n: Judged runs.
        passed: Those of them that passed.
        answers: Distinct outputs among all of them.
    """

    n: Count
    passed: Count
    answers: Count


class ClaimResult(Value, frozen=True, kw_only=True):
    """Whether a declared claim was reached, and what it takes.

    Attributes:
        needed: Passing perturbations that each family needs, none failing.
    """

    holds: bool
    needed: Count


class Verdict(Record, frozen=True, kw_only=True, tag="verdict"):
    """The verdict of one case.

    Attributes:
        rule: The first rule of the verdict table that applied.
        reason: Which clause of that rule, as a code.
        worst: The family with the lowest lower bound, then the lowest n,
            then the first name.
        traits: Facts that stand beside the verdict and never change it,
            sorted.
    """

    case: CaseId
    trials: TrialsId
    verdict: VerdictClass
    rule: RuleId
    reason: str
    families: tuple[FamilyRow, ...]
    tally: Tally
    at_rest: AtRest
    traits: tuple[str, ...]
    worst: str | UnsetType = UNSET
    claim: ClaimResult | UnsetType = UNSET
