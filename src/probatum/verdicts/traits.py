"""Traits: facts that stand beside a verdict and never change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from probatum.verdicts.accounts import Family
from probatum.verdicts.runs import Run, Runs

TRAITS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "breaking": "the system itself failed in at least one run: it raised, hung or exited",
        "fails-at-rest": "at least one baseline or control run failed or broke",
        "failure-diffuse": "two or more families, and more than half of them, have a failure",
        "failure-targeted": "exactly one of two or more families has a failure",
        "flaky-at-rest": "of the baseline and control runs some passed and some did not",
        "flaky-under-pressure": "repeats of one perturbation disagree",
        "refusing": "at least one answer was refused or filtered",
        "truncating": "at least one answer was cut short",
    }
)
"""Every trait there is, with what it says; the codes are what is stored."""

_BY_END: Final = {"errored": "breaking", "refused": "refusing", "truncated": "truncating"}


def traits_of(runs: Runs, everywhere: Sequence[Run], families: Sequence[Family]) -> tuple[str, ...]:
    """Return the codes of the traits that a case shows, sorted.

    Args:
        runs: The runs by arm.
        everywhere: The runs of all arms.
        families: The families, with their counts settled.
    """
    found = {_BY_END[end] for end in {run.ended for run in everywhere} if end in _BY_END}
    at_rest = runs.at_rest()
    if any(run.ended == "fail" or run.output is None for run in at_rest):
        found.add("fails-at-rest")
        if any(run.ended == "pass" for run in at_rest):
            found.add("flaky-at-rest")
    for slot in runs.slots:
        if len(slot.runs) > 1 and {"pass", "fail"} <= {run.ended for run in slot.runs}:
            found.add("flaky-under-pressure")
    judged = sum(1 for family in families if family.n)
    failing = sum(1 for family in families if family.passed < family.n)
    if failing == 1 and judged > 1:
        found.add("failure-targeted")
    elif failing > 1 and 2 * failing > judged:
        found.add("failure-diffuse")
    return tuple(sorted(found))
