"""What a manifest says of a verdict."""

from __future__ import annotations

from probatum.records.base import UNSET
from probatum.records.table import Summary
from probatum.records.verdict import Verdict


def summary_of(verdict: Verdict) -> Summary:
    """Return the summary that a results table carries beside a verdict's id.

    Its `shown` is the lowest shown bound of any family that has one, which is
    the most that the case as a whole can claim; the worst family has none of
    its own when it is exhaustive.
    """
    worst = next((row for row in verdict.families if row.family == verdict.worst), None)
    shown = [row.shown for row in verdict.families if row.shown is not UNSET]
    return Summary(
        verdict=verdict.verdict,
        rule=verdict.rule,
        requested=verdict.tally.requested,
        judged=verdict.tally.judged,
        passed=verdict.tally.passed,
        worst=verdict.worst,
        worst_n=UNSET if worst is None else worst.n,
        worst_passed=UNSET if worst is None else worst.passed,
        low=UNSET if worst is None else worst.low,
        shown=min(shown) if shown else UNSET,
    )
