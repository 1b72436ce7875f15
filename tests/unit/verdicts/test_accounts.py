"""Every perturbation is counted once, in its family."""

import msgspec
import pytest

from probatum.canonical import MAX_INT
from probatum.records import codec
from probatum.records.base import UNSET


def tally(verdict):
    return {name: count for name, count in msgspec.to_builtins(verdict.tally).items() if count}


def test_each_fate_is_counted_once(scene, fam, runs_of):
    verdict = scene(
        (
            runs_of(
                "typo",
                *("pass", "pass", "fail", "unjudged", "empty", "truncated"),
                *("filtered", "filtered-by-system", "raised", "timeout", "-"),
                no_op=1,
                duplicate=2,
                invalid=3,
            ),
            fam("casing", 0, 0, requested=4, not_applicable="no-cased-letters"),
        )
    ).verdict()
    assert tally(verdict) == {
        "requested": 21,
        "no_op": 1,
        "duplicate": 2,
        "invalid": 3,
        "not_applicable": 4,
        "errored": 2,
        "truncated": 1,
        "refused": 2,
        "unjudged": 2,
        "missing": 1,
        "judged": 3,
        "passed": 2,
    }
    parts = tally(verdict)
    assert parts["requested"] == sum(parts.values()) - parts["requested"] - parts["passed"]


@pytest.mark.parametrize(
    ("repeats", "fate"),
    [
        (("pass", "pass"), "passed"),
        (("pass", "raised"), "passed"),
        (("empty", "pass"), "passed"),
        (("pass", "fail"), "judged"),
        (("raised", "fail"), "judged"),
        (("raised", "empty"), "errored"),
        (("empty", "raised"), "unjudged"),
        (("truncated", "raised"), "truncated"),
        (("filtered", "-"), "refused"),
        (("-", "raised"), "errored"),
        (("-", "pass"), "passed"),
        (("-", "-"), "missing"),
    ],
)
def test_repeats_of_one_perturbation_are_one(scene, runs_of, repeats, fate):
    verdict = scene((runs_of("typo", repeats),), repeats=2).verdict()
    counts = tally(verdict)
    assert counts.pop("requested") == 1
    if fate in ("passed", "judged"):
        assert counts.pop("judged") == 1
    assert counts == ({} if fate == "judged" else {fate: 1})


def test_declarations_of_a_family_are_pooled(scene, fam):
    verdict = scene((fam("typo", 5, 5, id="light"), fam("typo", 5, 4, id="heavy"))).verdict()
    (row,) = verdict.families
    assert (row.family, row.n, row.passed, row.low) == ("typo", 10, 9, "0.7000")


def test_families_stand_by_name(scene, fam):
    verdict = scene((fam("unicode", 2, 2), fam("casing", 2, 2), fam("typo", 2, 2))).verdict()
    assert [row.family for row in verdict.families] == ["casing", "typo", "unicode"]


@pytest.mark.parametrize(
    ("families", "worst"),
    [
        ((("b", 5, 5), ("a", 5, 4)), "a"),
        ((("a", 5, 5), ("b", 3, 3)), "b"),
        ((("b", 5, 5), ("a", 5, 5)), "a"),
        ((("a", 1, 1), ("b", 59, 58)), "b"),
    ],
)
def test_the_worst_family_has_the_lowest_bound_then_n_then_name(scene, fam, families, worst):
    verdict = scene(tuple(fam(*family) for family in families)).verdict()
    assert verdict.worst == worst


def test_a_family_without_a_judged_run_is_never_the_worst(scene, fam, runs_of):
    verdict = scene((runs_of("a", "raised"), fam("b", 5, 5))).verdict()
    assert verdict.worst == "b"
    assert scene((runs_of("a", "raised"),)).verdict().worst is UNSET


def test_what_a_sampled_family_stores(scene, fam):
    (row,) = scene((fam("typo", 59, 58),)).verdict().families
    assert msgspec.to_builtins(row) == {
        "family": "typo",
        "n": 59,
        "passed": 58,
        "low": "0.9491",
        "high": "1.0000",
        "shown": "0.9221",
    }


def test_what_an_exhaustive_family_stores(scene, fam):
    (row,) = scene((fam("casing", 3, 2, possible=3),)).verdict().families
    assert msgspec.to_builtins(row) == {
        "family": "casing",
        "n": 3,
        "passed": 2,
        "low": "0.0000",
        "high": "1.0000",
        "possible": 3,
    }


def test_a_family_is_exhaustive_when_all_its_declarations_are(scene, fam):
    both = (fam("casing", 2, 2, id="one", possible=2), fam("casing", 1, 1, id="two", possible=1))
    (row,) = scene(both).verdict().families
    assert (row.n, row.possible, row.shown) == (3, 3, UNSET)
    mixed = (fam("casing", 2, 2, id="one", possible=2), fam("casing", 1, 1, id="two"))
    (row,) = scene(mixed).verdict().families
    assert (row.n, row.possible, row.shown) == (3, UNSET, "0.3684")


def test_a_declaration_that_does_not_apply_leaves_its_family_exhaustive(scene, fam):
    both = (
        fam("casing", 2, 2, id="one", possible=2),
        fam("casing", 0, 0, id="two", requested=3, not_applicable="no-letters"),
    )
    (row,) = scene(both).verdict().families
    assert (row.n, row.possible, row.not_applicable) == (2, 2, UNSET)


def test_what_a_family_that_does_not_apply_stores(scene, fam):
    both = (
        fam("casing", 0, 0, id="one", requested=3, not_applicable="no-letters"),
        fam("casing", 0, 0, id="two", requested=3, not_applicable="other"),
    )
    (row,) = scene(both).verdict().families
    assert msgspec.to_builtins(row) == {
        "family": "casing",
        "n": 0,
        "passed": 0,
        "not_applicable": "no-letters",
    }


def test_an_exhaustive_family_without_a_judged_run(scene, runs_of):
    (row,) = scene((runs_of("casing", "raised", possible=1),)).verdict().families
    assert msgspec.to_builtins(row) == {"family": "casing", "n": 0, "passed": 0, "possible": 1}


def test_sums_stay_within_what_a_record_holds(scene, fam):
    huge = {"requested": MAX_INT, "no_op": MAX_INT, "duplicate": MAX_INT, "possible": MAX_INT}
    both = (fam("a", 1, 1, id="one", **huge), fam("a", 1, 1, id="two", **huge))
    verdict = scene(both).verdict()
    assert verdict.tally.requested == verdict.tally.no_op == verdict.tally.duplicate == MAX_INT
    assert verdict.families[0].possible == MAX_INT
    assert codec.decode("verdict", codec.encode(verdict)) == verdict


def test_a_plan_without_an_entry_requests_what_was_declared(scene, fam):
    made = scene((fam("typo", 5, 5), fam("casing", 3, 3, possible=3)))
    plan = msgspec.structs.replace(made.plan_case, accounting=())
    verdict = made.verdict(plan_case=plan)
    assert tally(verdict) == {"requested": 8, "judged": 8, "passed": 8}
    assert all(row.possible is UNSET for row in verdict.families)


def test_the_first_entry_of_a_declaration_counts(scene, fam):
    made = scene((fam("typo", 5, 5, no_op=2),))
    (entry,) = made.plan_case.accounting
    other = msgspec.structs.replace(entry, requested=100, no_op=95)
    stray = msgspec.structs.replace(entry, declaration="stray", requested=50)
    plan = msgspec.structs.replace(made.plan_case, accounting=(stray, entry, other))
    assert made.verdict(plan_case=plan).tally == made.verdict().tally


def test_the_first_of_two_declarations_with_one_id_counts(scene, fam):
    made = scene((fam("typo", 5, 5, id="same"),))
    twice = msgspec.structs.replace(
        made.case,
        perturbations=(
            *made.case.perturbations,
            msgspec.structs.replace(made.case.perturbations[0], family="other"),
        ),
    )
    verdict = made.verdict(case=twice)
    assert [row.family for row in verdict.families] == ["typo"]
    assert verdict.tally.requested == 5


def test_the_family_is_the_declaration_s_not_the_entry_s(scene, fam):
    made = scene((fam("typo", 5, 5),))
    (entry,) = made.plan_case.accounting
    plan = msgspec.structs.replace(
        made.plan_case, accounting=(msgspec.structs.replace(entry, family="casing"),)
    )
    assert [row.family for row in made.verdict(plan_case=plan).families] == ["typo"]
