"""The verdict table: six rules in order, of which the first that applies decides.

Each rule is a function from the facts of a case to the code of the clause that
applies, or to nothing. ``RULES`` is the table itself.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from probatum.records.base import UNSET
from probatum.records.case import Policy
from probatum.records.verdict import ClaimResult, RuleId, VerdictClass
from probatum.verdicts.accounts import Accounts, Family
from probatum.verdicts.runs import Cell, Roles, Run, Runs
from probatum.verdicts.statistics import is_less, needed, ratio, reaches


class Facts(msgspec.Struct, frozen=True, gc=False):
    """Everything that the rules look at.

    Attributes:
        answers: The cells of every answer, in all arms.
        worst: The worst family, if any was judged.
        claim: Whether the declared claim is reached; None without a claim.
    """

    policy: Policy
    roles: Roles
    runs: Runs
    answers: Sequence[tuple[Cell, ...]]
    accounts: Accounts
    worst: Family | None
    claim: ClaimResult | None


class Decision(msgspec.Struct, frozen=True, gc=False):
    """A verdict, the rule that decided, and the clause of it as a code."""

    verdict: VerdictClass
    rule: RuleId
    reason: str


REASONS: Final[Mapping[RuleId, tuple[str, ...]]] = {
    "R1": (
        "no-invariant",
        "only-low-severity",
        "invariant-never-ran",
        "contradicts-expected",
        "mostly-invalid",
    ),
    "R2": (
        "baseline-missing",
        "baseline-failed",
        "baseline-unjudged",
        "too-few-judged",
        "family-unjudged",
    ),
    "R3": ("expected-violated",),
    "R4": ("critical-failed", "failed-at-rest", "broke-at-rest", "below-threshold"),
    "R5": ("critical-unjudged", "claim-not-reached", "claim-without-family"),
    "R6": ("held",),
}
"""Every code that a stored reason can be, by rule, in the order in which they are tried."""


def decide(facts: Facts) -> Decision:
    """Return the decision of the first rule that applies."""
    for rule, verdict, clause in RULES:
        reason = clause(facts)
        if reason is not None:
            return Decision(verdict, rule, reason)
    return Decision("STABLE", "R6", "held")


def claim_result(policy: Policy, families: Sequence[Family]) -> ClaimResult | None:
    """Tell whether a declared claim holds.

    Each family that applies and is not exhaustive must reach it, and there
    must be one: a claim that nothing could contradict is not shown.
    """
    if policy.claim is UNSET:
        return None
    stability, confidence = ratio(policy.claim.stability), ratio(policy.claim.confidence)
    claiming = [family for family in families if family.claims()]
    return ClaimResult(
        holds=bool(claiming)
        and all(
            family.n > 0 and reaches(family.n, family.passed, stability, confidence)
            for family in claiming
        ),
        needed=needed(stability, confidence) or 0,
    )


def _invalid(facts: Facts) -> str | None:
    roles, accounts = facts.roles, facts.accounts
    if not roles.check:
        return "no-invariant"
    if not roles.deciding:
        return "only-low-severity"
    columns = list(zip(*facts.answers, strict=True))
    if columns:
        if any(_never_ran(columns[at]) for at in roles.deciding):
            return "invariant-never-ran"
        if (
            roles.expected
            and any(run.output is not None for run in facts.runs.baseline)
            and all(_only(columns[at], "pass") for at in roles.expected)
            and any(_only(columns[at], "fail") for at in roles.deciding)
        ):
            return "contradicts-expected"
    return "mostly-invalid" if 2 * accounts.invalid > accounts.requested else None


def _insufficient_runs(facts: Facts) -> str | None:
    baseline, accounts = facts.runs.baseline, facts.accounts
    if not any(run.ended in ("pass", "fail") for run in baseline):
        return _why_no_baseline(baseline)
    if accounts.judged < facts.policy.min_perturbations:
        return "too-few-judged"
    if any(family.applies and not family.n for family in accounts.families):
        return "family-unjudged"
    return None


def _why_no_baseline(baseline: Sequence[Run]) -> str:
    if not baseline:
        return "baseline-missing"
    answered = any(run.output is not None for run in baseline)
    return "baseline-unjudged" if answered else "baseline-failed"


def _consistently_wrong(facts: Facts) -> str | None:
    expected = facts.roles.expected
    if expected and all(any(cells[at] == "fail" for at in expected) for cells in facts.answers):
        return "expected-violated"
    return None


def _fragile(facts: Facts) -> str | None:
    if any(cells[at] == "fail" for at in facts.roles.critical for cells in facts.answers):
        return "critical-failed"
    at_rest = facts.runs.at_rest()
    if any(run.ended == "fail" for run in at_rest):
        return "failed-at-rest"
    if any(run.output is None for run in at_rest):
        return "broke-at-rest"
    figures = None if facts.worst is None else facts.worst.figures()
    if figures is not None and is_less(figures.low, ratio(facts.policy.stable_threshold)):
        return "below-threshold"
    return None


def _insufficient_evidence(facts: Facts) -> str | None:
    for at in facts.roles.critical:
        if any(cells[at] not in ("pass", "fail") for cells in facts.answers):
            return "critical-unjudged"
    if facts.claim is None or facts.claim.holds:
        return None
    claiming = any(family.claims() for family in facts.accounts.families)
    return "claim-not-reached" if claiming else "claim-without-family"


RULES: Final[Sequence[tuple[RuleId, VerdictClass, Callable[[Facts], str | None]]]] = (
    ("R1", "INVALID_EVAL", _invalid),
    ("R2", "INSUFFICIENT", _insufficient_runs),
    ("R3", "CONSISTENTLY_WRONG", _consistently_wrong),
    ("R4", "FRAGILE", _fragile),
    ("R5", "INSUFFICIENT", _insufficient_evidence),
)
"""Rule, verdict and test, in the order in which they are tried; R6 is what is left."""


def _never_ran(column: Sequence[Cell]) -> bool:
    """Tell whether an invariant ran on no answer, though some could have been judged."""
    return "unjudged" in column and "pass" not in column and "fail" not in column


def _only(column: Sequence[Cell], cell: Cell) -> bool:
    return all(found == cell for found in column)
