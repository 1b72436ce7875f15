"""The summary agrees with the verdict that it stands beside."""

import msgspec

from probatum.records.base import UNSET
from probatum.verdicts import summary_of


def test_a_summary_repeats_the_worst_family(scene, fam):
    verdict = scene((fam("a", 5, 4), fam("b", 3, 3)), claim=("0.5", "0.95")).verdict()
    assert msgspec.to_builtins(summary_of(verdict)) == {
        "verdict": "FRAGILE",
        "rule": "R4",
        "requested": 8,
        "judged": 8,
        "passed": 7,
        "worst": "a",
        "worst_n": 5,
        "worst_passed": 4,
        "low": "0.4000",
        "shown": "0.3425",
    }


def test_it_shows_the_weakest_bound_of_all_families(scene, fam):
    verdict = scene((fam("a", 1, 1), fam("b", 60, 59))).verdict()
    summary = summary_of(verdict)
    assert (verdict.verdict, summary.worst, summary.low) == ("STABLE", "b", "0.9500")
    assert summary.shown == "0.0500"


def test_an_exhaustive_worst_family_leaves_the_bound_to_the_others(scene, fam):
    verdict = scene((fam("casing", 3, 3, possible=3), fam("typo", 59, 59))).verdict()
    summary = summary_of(verdict)
    assert (summary.worst, summary.worst_n, summary.shown) == ("casing", 3, "0.9504")


def test_only_exhaustive_families_show_nothing(scene, fam):
    summary = summary_of(scene((fam("casing", 3, 3, possible=3),)).verdict())
    assert (summary.worst, summary.shown) == ("casing", UNSET)


def test_nothing_judged(scene, runs_of):
    summary = summary_of(scene((runs_of("typo", "raised"),)).verdict())
    assert msgspec.to_builtins(summary) == {
        "verdict": "INSUFFICIENT",
        "rule": "R2",
        "requested": 1,
        "judged": 0,
        "passed": 0,
    }


def test_a_verdict_whose_worst_family_is_not_there_still_has_a_summary(scene, fam):
    verdict = msgspec.structs.replace(scene((fam("typo", 5, 5),)).verdict(), worst="other")
    summary = summary_of(verdict)
    assert (summary.worst, summary.worst_n, summary.low) == ("other", UNSET, UNSET)
