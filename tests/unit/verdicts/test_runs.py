"""Which rows and judgments count, and how a run ended."""

import msgspec
import pytest

from probatum.records.base import UNSET
from probatum.verdicts import deciding_rules
from probatum.verdicts.runs import Roles, read_runs, roles_of

KINDS = (("check", "high"), ("expected", "critical"), ("check", "low"), ("check", "critical"))


def read(made, **changes):
    parts = made.parts() | changes
    roles = roles_of(parts["case"], parts["invariants"])
    return read_runs(
        parts["case"],
        parts["plan_case"],
        parts["trials"],
        parts["judgments"],
        roles,
        {declaration.id for declaration in parts["case"].perturbations},
        parts["repeats"],
        parts["control"],
    )


def ends(runs):
    return [[run.ended for run in arm] for arm in (runs.baseline, runs.control)] + [
        [run.ended for run in slot.runs] for slot in runs.slots
    ]


def test_invariants_are_sorted_by_role(scene):
    made = scene((), kinds=KINDS)
    assert roles_of(made.case, made.invariants) == Roles((0, 2, 3), (0, 3), (3,), (1,))
    assert deciding_rules(made.case, made.invariants) == (0, 3)


def test_invariants_must_be_parallel_to_the_case_s(scene):
    made = scene((), kinds=KINDS)
    with pytest.raises(ValueError, match="zip"):
        made.verdict(invariants=made.invariants[:-1])


@pytest.mark.parametrize(
    ("cells", "ended"),
    [
        ({}, "pass"),
        ({0: "unjudged"}, "unjudged"),
        ({0: "unjudged", 3: "fail"}, "fail"),
        ({0: "fail", 3: "unjudged"}, "fail"),
        ({0: "truncated", 3: "unjudged"}, "truncated"),
        ({0: "unjudged", 3: "truncated"}, "unjudged"),
        ({1: "fail", 2: "fail"}, "pass"),
        ({1: "unjudged", 2: "unjudged"}, "pass"),
        ({0: "empty"}, "unjudged"),
        ({0: "not-text"}, "unjudged"),
        ({0: "filtered"}, "refused"),
        ({0: "refused"}, "refused"),
        ({0: "no-such-reason"}, "unjudged"),
    ],
)
def test_fail_comes_before_unjudged_before_pass(scene, cells, ended):
    words = {at: cells.get(at, "pass") for at in range(4)}
    assert ends(read(scene((), baseline=words, kinds=KINDS))) == [[ended], []]


@pytest.mark.parametrize(
    ("failure", "ended"),
    [
        ("raised", "errored"),
        ("timeout", "errored"),
        ("malformed", "errored"),
        ("exited", "errored"),
        ("too-large", "errored"),
        ("filtered-by-system", "refused"),
    ],
)
def test_failures(scene, failure, ended):
    (run,) = read(scene((), baseline=failure)).baseline
    assert run == (ended, None, ())


def test_an_unjudged_judgment_without_a_reason(scene):
    made = scene((), baseline="unjudged")
    parts = made.parts()
    bare = {
        key: msgspec.structs.replace(judgment, reason=UNSET)
        for key, judgment in parts["judgments"].items()
    }
    assert ends(read(made, judgments=bare)) == [["unjudged"], []]


def test_rows_go_to_their_places(scene, runs_of):
    made = scene(
        (runs_of("a", ("pass", "fail"), ("fail", "-")), runs_of("b", ("raised", "pass"))),
        baseline=("pass", "raised"),
        control=(("pass", "pass"), ("-", "fail")),
        repeats=2,
    )
    assert ends(read(made)) == [
        ["pass", "errored"],
        ["pass", "pass", "fail"],
        ["pass", "fail"],
        ["fail"],
        ["errored", "pass"],
    ]


@pytest.mark.parametrize(
    "change", [{"declaration": "typo-0"}, {"index": 0}, {"perturbation": "0" * 64}]
)
def test_a_baseline_row_has_no_other_place(scene, change):
    made = scene(())
    trials = made.trials
    bent = msgspec.structs.replace(trials.rows[0], **change)
    found = read(made, trials=msgspec.structs.replace(trials, rows=(bent,)))
    assert ends(found) == [[], []]


@pytest.mark.parametrize("change", [{"declaration": "typo-0"}, {"perturbation": "0" * 64}])
def test_a_control_row_has_only_an_index(scene, change):
    made = scene((), control=("pass",))
    base, control = made.trials.rows
    bent = msgspec.structs.replace(control, **change)
    found = read(made, trials=msgspec.structs.replace(made.trials, rows=(base, bent)))
    assert ends(found) == [["pass"], []]


@pytest.mark.parametrize(
    "change",
    [
        {"repeat": 1},
        {"declaration": "stray"},
        {"declaration": UNSET},
        {"index": 7},
        {"index": UNSET},
        {"perturbation": UNSET},
        {"perturbation": "0" * 64},
        {"failure": "raised"},
        {"output": UNSET, "judgments": ()},
        {"arm": "control", "index": 0},
        {"arm": "control", "index": UNSET},
    ],
)
def test_a_row_without_a_place_is_as_if_it_were_not_there(scene, fam, change):
    made = scene((fam("typo", 1, 1),))
    trials = made.trials
    bent = msgspec.structs.replace(trials.rows[1], **change)
    assert ends(
        read(made, trials=msgspec.structs.replace(trials, rows=(trials.rows[0], bent)))
    ) == [
        ["pass"],
        [],
        [],
    ]


def test_the_first_row_at_a_place_counts(scene, fam):
    made = scene((fam("typo", 1, 1),), control=("pass",))
    extra = scene((fam("typo", 1, 0),), baseline="fail", control=("fail",))
    rows = (*made.trials.rows, *extra.trials.rows)
    trials = msgspec.structs.replace(made.trials, rows=rows)
    judgments = made.judgments | extra.judgments
    assert ends(read(made, trials=trials, judgments=judgments)) == [["pass"], ["pass"], ["pass"]]


def test_the_first_perturbation_planned_for_a_place_counts(scene, fam):
    made = scene((fam("typo", 1, 1),))
    (planned,) = made.plan_case.perturbations
    other = msgspec.structs.replace(planned, perturbation="0" * 64)
    plan = msgspec.structs.replace(made.plan_case, perturbations=(planned, other))
    assert ends(read(made, plan_case=plan)) == [["pass"], [], ["pass"]]


def test_a_perturbation_in_two_places_is_one(scene, fam):
    made = scene((fam("typo", 2, 1),))
    first, second = made.plan_case.perturbations
    same = msgspec.structs.replace(second, perturbation=first.perturbation)
    plan = msgspec.structs.replace(made.plan_case, perturbations=(first, same))
    base, row, other = made.trials.rows
    trials = msgspec.structs.replace(
        made.trials,
        rows=(base, row, msgspec.structs.replace(other, perturbation=first.perturbation)),
    )
    assert ends(read(made, plan_case=plan, trials=trials)) == [["pass"], [], ["pass", "fail"]]
    verdict = made.verdict(plan_case=plan, trials=trials)
    assert (verdict.tally.judged, verdict.tally.passed) == (1, 0)


def test_a_declaration_that_does_not_apply_has_no_places(scene, runs_of):
    made = scene((runs_of("casing", "fail", "fail", not_applicable="no-letters"),))
    verdict = made.verdict()
    assert verdict.tally.not_applicable == verdict.tally.requested == 2
    assert (verdict.tally.judged, verdict.tally.missing, verdict.reason) == (0, 0, "too-few-judged")


class TestJudgments:
    def test_one_that_is_not_there(self, scene, fam):
        made = scene((fam("typo", 2, 2),))
        parts = made.parts()
        assert ends(read(made, judgments={})) == [["unjudged"], [], ["unjudged"], ["unjudged"]]
        bare = tuple(msgspec.structs.replace(row, judgments=()) for row in parts["trials"].rows)
        trials = msgspec.structs.replace(parts["trials"], rows=bare)
        assert ends(read(made, trials=trials)) == [["unjudged"], [], ["unjudged"], ["unjudged"]]

    def test_one_too_many(self, scene):
        made = scene(())
        (row,) = made.trials.rows
        more = msgspec.structs.replace(row, judgments=(*row.judgments, "0" * 64))
        trials = msgspec.structs.replace(made.trials, rows=(more,))
        assert ends(read(made, trials=trials)) == [["pass"], []]

    def test_a_pass_of_another_answer_does_not_count(self, scene, runs_of):
        made = scene((runs_of("typo", "pass", "fail"),))
        base, good, bad = made.trials.rows
        lent = msgspec.structs.replace(bad, judgments=good.judgments)
        trials = msgspec.structs.replace(made.trials, rows=(base, good, lent))
        assert ends(read(made, trials=trials)) == [["pass"], [], ["pass"], ["unjudged"]]

    def test_a_pass_of_another_invariant_does_not_count(self, scene):
        made = scene((), baseline={0: "fail", 1: "pass"}, kinds=KINDS[:1] + KINDS[3:])
        (row,) = made.trials.rows
        swapped = msgspec.structs.replace(row, judgments=row.judgments[::-1])
        trials = msgspec.structs.replace(made.trials, rows=(swapped,))
        assert ends(read(made, trials=trials)) == [["unjudged"], []]
