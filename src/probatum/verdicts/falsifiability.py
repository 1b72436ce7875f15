"""Declared falsifiability: how much a suite risks by what it asserts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from probatum.verdicts.statistics import round_down


def case_declared(contributions: Sequence[Fraction]) -> Fraction:
    """Return the declared falsifiability of one case, in [0, 1].

    Args:
        contributions: What each invariant of the case contributes; values
            outside [0, 1] count as the nearer end.

    Returns:
        Their mean; 0 without any, since nothing asserted is nothing risked.
    """
    if not contributions:
        return Fraction(0)
    bounded = [min(max(one, Fraction(0)), Fraction(1)) for one in contributions]
    return sum(bounded, Fraction(0)) / len(bounded)


def mean_declared(cases: Iterable[Fraction]) -> str:
    """Return the declared falsifiability of a suite: the mean over its cases.

    Args:
        cases: One `case_declared` for each case.

    Returns:
        Four decimals, rounded down; ``0.0000`` without cases.
    """
    found = list(cases)
    return round_down(sum(found, Fraction(0)) / len(found)) if found else round_down(Fraction(0))
