"""The rules, clause by clause, and which of them comes first."""

import pytest

from probatum.verdicts.table import REASONS, RULES

LOW = ("check", "low")
HIGH = ("check", "high")
CRITICAL = ("check", "critical")
EXPECTED = ("expected", "high")


@pytest.fixture
def decided(scene, fam):
    """Resolve a scene and give back verdict, rule and reason."""

    def decide(*families, **rest):
        verdict = scene(families or (fam("typo", 5, 5),), **rest).verdict()
        return verdict.verdict, verdict.rule, verdict.reason

    return decide


def test_nothing_applies(decided):
    assert decided() == ("STABLE", "R6", "held")


def test_the_rules_are_tried_in_order():
    assert [rule for rule, _, _ in RULES] == ["R1", "R2", "R3", "R4", "R5"]
    assert list(REASONS) == ["R1", "R2", "R3", "R4", "R5", "R6"]
    codes = [code for codes in REASONS.values() for code in codes]
    assert len(set(codes)) == len(codes)


class TestR1:
    def test_no_invariant(self, decided):
        assert decided(kinds=()) == ("INVALID_EVAL", "R1", "no-invariant")

    def test_an_expectation_is_no_invariant(self, decided):
        assert decided(kinds=(EXPECTED,)) == ("INVALID_EVAL", "R1", "no-invariant")

    def test_only_low_severity(self, decided):
        assert decided(kinds=(LOW, EXPECTED)) == ("INVALID_EVAL", "R1", "only-low-severity")

    def test_an_invariant_that_ran_on_no_answer(self, decided, runs_of):
        each = {0: "pass", 1: "unjudged"}
        found = decided(runs_of("typo", each, each), baseline=each, kinds=(HIGH, HIGH))
        assert found == ("INVALID_EVAL", "R1", "invariant-never-ran")

    def test_one_answer_is_enough(self, decided, runs_of):
        each = {0: "pass", 1: "unjudged"}
        found = decided(runs_of("typo", each, each), baseline="pass", kinds=(HIGH, HIGH))
        assert found == ("INSUFFICIENT", "R2", "too-few-judged")

    def test_a_low_one_may_run_on_none(self, decided, runs_of):
        each = {0: "pass", 1: "unjudged"}
        found = decided(runs_of("typo", each, each), baseline=each, kinds=(HIGH, LOW))
        assert found == ("STABLE", "R6", "held")

    @pytest.mark.parametrize("word", ["empty", "not-text", "truncated", "filtered", "refused"])
    def test_answers_that_nothing_can_judge_are_no_fault_of_an_invariant(
        self, decided, runs_of, word
    ):
        found = decided(runs_of("typo", word, word), baseline=word)
        assert found == ("INSUFFICIENT", "R2", "baseline-unjudged")

    def test_one_judgeable_answer_shows_that_it_never_ran(self, decided, runs_of):
        found = decided(runs_of("typo", "empty", "unjudged"), baseline="empty")
        assert found == ("INVALID_EVAL", "R1", "invariant-never-ran")

    def test_an_invariant_that_contradicts_the_expectation(self, decided, runs_of):
        each = {0: "fail", 1: "pass"}
        found = decided(runs_of("typo", each, each), baseline=each, kinds=(HIGH, EXPECTED))
        assert found == ("INVALID_EVAL", "R1", "contradicts-expected")

    def test_every_expectation_must_hold_on_every_answer(self, decided, runs_of):
        each, other = {0: "fail", 1: "pass", 2: "pass"}, {0: "fail", 1: "pass", 2: "fail"}
        found = decided(
            runs_of("typo", each, other), baseline=each, kinds=(HIGH, EXPECTED, EXPECTED)
        )
        assert found == ("FRAGILE", "R4", "failed-at-rest")

    def test_an_unjudged_expectation_does_not_hold(self, decided, runs_of):
        each, other = {0: "fail", 1: "pass"}, {0: "fail", 1: "unjudged"}
        found = decided(runs_of("typo", each, other), baseline=each, kinds=(HIGH, EXPECTED))
        assert found == ("FRAGILE", "R4", "failed-at-rest")

    def test_one_pass_is_no_contradiction(self, decided, runs_of):
        bad, good = {0: "fail", 1: "pass"}, {0: "pass", 1: "pass"}
        found = decided(runs_of("typo", bad, good), baseline=bad, kinds=(HIGH, EXPECTED))
        assert found == ("FRAGILE", "R4", "failed-at-rest")

    def test_a_contradiction_needs_a_baseline_answer(self, decided, runs_of):
        each = {0: "fail", 1: "pass"}
        found = decided(runs_of("typo", each, each), baseline="raised", kinds=(HIGH, EXPECTED))
        assert found == ("INSUFFICIENT", "R2", "baseline-failed")

    def test_more_than_half_invalid(self, decided, fam):
        assert decided(fam("typo", 4, 4, invalid=5)) == ("INVALID_EVAL", "R1", "mostly-invalid")

    def test_half_invalid(self, decided, fam):
        assert decided(fam("typo", 4, 4, invalid=4)) == ("STABLE", "R6", "held")


class TestR2:
    def test_baseline_without_a_row(self, decided):
        assert decided(baseline="-") == ("INSUFFICIENT", "R2", "baseline-missing")

    @pytest.mark.parametrize("failure", ["raised", "timeout", "malformed", "exited", "too-large"])
    def test_baseline_that_broke(self, decided, failure):
        assert decided(baseline=failure) == ("INSUFFICIENT", "R2", "baseline-failed")

    def test_a_case_without_any_answer(self, decided, runs_of):
        found = decided(runs_of("typo", "raised", "raised"), baseline="raised")
        assert found == ("INSUFFICIENT", "R2", "baseline-failed")

    def test_baseline_that_nothing_judged(self, decided):
        assert decided(baseline="unjudged") == ("INSUFFICIENT", "R2", "baseline-unjudged")

    def test_a_control_run_does_not_stand_in(self, decided):
        found = decided(baseline="raised", control=("pass", "pass"))
        assert found == ("INSUFFICIENT", "R2", "baseline-failed")

    def test_no_perturbations_at_all(self, scene):
        verdict = scene(()).verdict()
        assert (verdict.verdict, verdict.reason) == ("INSUFFICIENT", "too-few-judged")
        assert verdict.families == ()

    def test_one_is_too_few(self, decided, fam):
        assert decided(fam("typo", 1, 1)) == ("INSUFFICIENT", "R2", "too-few-judged")

    def test_one_of_each_of_two_families_is_enough(self, decided, fam):
        assert decided(fam("a", 1, 1), fam("b", 1, 1)) == ("STABLE", "R6", "held")

    def test_the_minimum_is_the_policy_s(self, decided, fam):
        found = decided(fam("typo", 4, 4), minimum=5)
        assert found == ("INSUFFICIENT", "R2", "too-few-judged")
        assert decided(fam("typo", 1, 1), minimum=1) == ("STABLE", "R6", "held")

    def test_no_minimum_still_needs_each_family(self, decided, fam):
        found = decided(fam("typo", 0, 0, no_op=3), minimum=0)
        assert found == ("INSUFFICIENT", "R2", "family-unjudged")

    def test_a_family_with_none(self, decided, fam, runs_of):
        found = decided(fam("typo", 5, 5), runs_of("unicode", "raised", "raised"))
        assert found == ("INSUFFICIENT", "R2", "family-unjudged")

    def test_a_family_that_does_not_apply_is_left_out(self, decided, fam):
        other = fam("casing", 0, 0, requested=3, not_applicable="no-cased-letters")
        assert decided(fam("typo", 5, 5), other) == ("STABLE", "R6", "held")

    def test_no_family_applies(self, decided, fam):
        other = fam("casing", 0, 0, requested=3, not_applicable="no-cased-letters")
        assert decided(other) == ("INSUFFICIENT", "R2", "too-few-judged")

    def test_it_comes_before_failures(self, decided, fam):
        found = decided(fam("typo", 1, 0), baseline="fail")
        assert found == ("INSUFFICIENT", "R2", "too-few-judged")


class TestR3:
    kinds = (HIGH, EXPECTED, EXPECTED)

    def test_every_answer_violates_some_expectation(self, decided, runs_of):
        one, two = {0: "fail", 1: "fail", 2: "pass"}, {0: "fail", 1: "pass", 2: "fail"}
        found = decided(runs_of("typo", one, two), baseline=one, kinds=self.kinds)
        assert found == ("CONSISTENTLY_WRONG", "R3", "expected-violated")

    def test_consistent_answers_may_pass_their_invariants_and_be_wrong(self, decided, runs_of):
        wrong = {0: "pass", 1: "fail", 2: "pass"}
        found = decided(runs_of("typo", wrong, wrong), baseline=wrong, kinds=self.kinds)
        assert found == ("CONSISTENTLY_WRONG", "R3", "expected-violated")

    @pytest.mark.parametrize("arm", ["baseline", "control", "typo"])
    def test_one_right_answer_anywhere_is_enough(self, decided, runs_of, arm):
        wrong, right = {0: "fail", 1: "fail", 2: "pass"}, {0: "pass", 1: "pass", 2: "pass"}
        found = decided(
            runs_of("typo", wrong, right if arm == "typo" else wrong),
            baseline=right if arm == "baseline" else wrong,
            control=(right if arm == "control" else wrong,),
            kinds=self.kinds,
        )
        assert found[0] == "FRAGILE"

    def test_an_unjudged_expectation_is_not_violated(self, decided, runs_of):
        wrong, cut = {0: "fail", 1: "fail", 2: "pass"}, "truncated"
        found = decided(runs_of("typo", wrong, wrong, cut), baseline=wrong, kinds=self.kinds)
        assert found == ("FRAGILE", "R4", "failed-at-rest")

    def test_a_run_without_an_answer_says_nothing(self, decided, runs_of):
        wrong = {0: "fail", 1: "fail", 2: "pass"}
        found = decided(runs_of("typo", wrong, wrong, "raised"), baseline=wrong, kinds=self.kinds)
        assert found == ("CONSISTENTLY_WRONG", "R3", "expected-violated")

    def test_a_low_expectation_is_one(self, decided, runs_of):
        wrong = {0: "pass", 1: "fail"}
        found = decided(
            runs_of("typo", wrong, wrong), baseline=wrong, kinds=(HIGH, ("expected", "low"))
        )
        assert found == ("CONSISTENTLY_WRONG", "R3", "expected-violated")

    def test_without_an_expectation_nothing_is_wrong_only_fragile(self, decided, fam):
        assert decided(fam("typo", 5, 0), baseline="fail") == ("FRAGILE", "R4", "failed-at-rest")


class TestR4:
    @pytest.mark.parametrize("arm", ["baseline", "control", "typo"])
    def test_a_critical_failure_anywhere(self, decided, runs_of, arm):
        bad = {0: "pass", 1: "fail"}
        found = decided(
            runs_of("typo", *["pass"] * 99, bad if arm == "typo" else "pass"),
            baseline=bad if arm == "baseline" else "pass",
            control=(bad if arm == "control" else "pass",),
            kinds=(HIGH, CRITICAL),
        )
        assert found == ("FRAGILE", "R4", "critical-failed")

    def test_a_critical_expectation_is_none(self, decided, runs_of):
        each = {0: "pass", 1: "fail"}
        found = decided(
            runs_of("typo", each, "pass"), baseline="pass", kinds=(HIGH, ("expected", "critical"))
        )
        assert found == ("STABLE", "R6", "held")

    @pytest.mark.parametrize(
        ("baseline", "control"), [("fail", ()), ("pass", ("pass", "fail")), (("pass", "fail"), ())]
    )
    def test_any_failure_at_rest(self, decided, baseline, control):
        found = decided(baseline=baseline, control=control, repeats=2)
        assert found == ("FRAGILE", "R4", "failed-at-rest")

    @pytest.mark.parametrize("failure", ["raised", "timeout", "filtered-by-system"])
    def test_breaking_at_rest(self, decided, failure):
        assert decided(control=("pass", failure)) == ("FRAGILE", "R4", "broke-at-rest")
        found = decided(baseline=("pass", failure), repeats=2)
        assert found == ("FRAGILE", "R4", "broke-at-rest")

    def test_an_unjudged_control_run_is_no_failure(self, decided):
        assert decided(control=("empty", "unjudged")) == ("STABLE", "R6", "held")

    def test_a_low_failure_at_rest_decides_nothing(self, decided, runs_of):
        each = {0: "pass", 1: "fail"}
        found = decided(runs_of("typo", each, each), baseline=each, kinds=(HIGH, LOW))
        assert found == ("STABLE", "R6", "held")

    def test_the_threshold_itself_is_enough(self, decided, fam):
        """The lower end for 59 of 60 is 57/60, which is 0.95 exactly."""
        assert decided(fam("typo", 60, 59)) == ("STABLE", "R6", "held")
        found = decided(fam("typo", 60, 59), threshold="0.950000000000000001")
        assert found == ("FRAGILE", "R4", "below-threshold")

    def test_the_threshold_is_the_policy_s(self, decided, fam):
        assert decided(fam("typo", 5, 4), threshold="0.4") == ("STABLE", "R6", "held")
        assert decided(fam("typo", 5, 0), threshold="0") == ("STABLE", "R6", "held")
        assert decided(fam("typo", 5, 4), threshold="1")[0] == "FRAGILE"

    def test_the_worst_family_decides(self, decided, fam):
        found = decided(fam("a", 50, 50), fam("b", 5, 4))
        assert found == ("FRAGILE", "R4", "below-threshold")

    def test_an_exhaustive_family_can_fail(self, decided, fam):
        found = decided(fam("typo", 59, 59), fam("casing", 3, 2, possible=3))
        assert found == ("FRAGILE", "R4", "below-threshold")


class TestR5:
    def test_an_unjudged_critical_invariant(self, decided, runs_of):
        cut = {0: "pass", 1: "unjudged"}
        found = decided(runs_of("typo", "pass", "pass", cut), kinds=(HIGH, CRITICAL))
        assert found == ("INSUFFICIENT", "R5", "critical-unjudged")

    def test_an_answer_that_cannot_be_judged_leaves_it_unjudged(self, decided, runs_of):
        found = decided(runs_of("typo", "pass", "pass", "empty"), kinds=(CRITICAL,))
        assert found == ("INSUFFICIENT", "R5", "critical-unjudged")

    def test_a_run_without_an_answer_does_not(self, decided, runs_of):
        found = decided(runs_of("typo", "pass", "pass", "raised"), kinds=(CRITICAL,))
        assert found == ("STABLE", "R6", "held")

    def test_a_claim_that_is_reached(self, decided, fam):
        assert decided(fam("t", 59, 59), claim=("0.95", "0.95")) == ("STABLE", "R6", "held")
        assert decided(fam("t", 100, 99), claim=("0.95", "0.95")) == ("STABLE", "R6", "held")

    def test_a_claim_that_is_not(self, decided, fam):
        found = decided(fam("t", 58, 58), claim=("0.95", "0.95"))
        assert found == ("INSUFFICIENT", "R5", "claim-not-reached")
        found = decided(fam("t", 60, 59), claim=("0.95", "0.95"))
        assert found == ("INSUFFICIENT", "R5", "claim-not-reached")

    def test_every_family_must_reach_it(self, decided, fam):
        found = decided(fam("a", 59, 59), fam("b", 14, 14), claim=("0.95", "0.95"))
        assert found == ("INSUFFICIENT", "R5", "claim-not-reached")

    def test_exhaustive_families_stay_outside(self, decided, fam):
        found = decided(
            fam("typo", 59, 59), fam("casing", 3, 3, possible=3), claim=("0.95", "0.95")
        )
        assert found == ("STABLE", "R6", "held")

    def test_a_claim_that_nothing_could_contradict_is_not_shown(self, scene, fam):
        verdict = scene((fam("casing", 3, 3, possible=3),), claim=("0.95", "0.95")).verdict()
        assert (verdict.rule, verdict.reason) == ("R5", "claim-without-family")
        assert not verdict.claim.holds
        assert verdict.claim.needed == 59

    def test_a_failure_comes_first(self, decided, fam):
        assert decided(fam("t", 5, 4), claim=("0.95", "0.95"))[0] == "FRAGILE"

    def test_the_claim_is_stored_whatever_decides(self, scene, fam):
        verdict = scene((fam("t", 5, 4),), claim=("0.3", "0.95"), baseline="raised").verdict()
        assert (verdict.rule, verdict.claim.holds, verdict.claim.needed) == ("R2", True, 3)

    def test_a_family_without_a_judged_run_reaches_no_claim(self, scene, fam, runs_of):
        families = (fam("t", 59, 59), runs_of("u", "raised"))
        verdict = scene(families, claim=("0.1", "0.5")).verdict()
        assert (verdict.rule, verdict.claim.holds) == ("R2", False)

    def test_a_claim_beyond_any_number_needs_none(self, scene, fam):
        verdict = scene((fam("t", 59, 59),), claim=("1", "0.95")).verdict()
        assert (verdict.reason, verdict.claim.needed) == ("claim-not-reached", 0)
