"""From the records of a case to its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from probatum.records.base import UNSET, CaseId, JudgmentId, TrialsId
from probatum.records.case import Case
from probatum.records.invariant import Invariant
from probatum.records.judgment import Judgment
from probatum.records.plan import PlanCase
from probatum.records.trials import Trials
from probatum.records.verdict import AtRest, Verdict
from probatum.verdicts.accounts import Accounts
from probatum.verdicts.runs import Runs, read_runs, roles_of
from probatum.verdicts.table import Facts, claim_result, decide
from probatum.verdicts.traits import traits_of


def resolve(
    *,
    case_id: CaseId,
    trials_id: TrialsId,
    case: Case,
    plan_case: PlanCase,
    trials: Trials,
    invariants: Sequence[Invariant],
    judgments: Mapping[JudgmentId, Judgment],
    repeats: int,
    control: int,
) -> Verdict:
    """Return the verdict of one case; the same records always give the same one.

    Any records that decode have a verdict, whoever wrote them: rows without a
    place in the plan, and judgments that are not there or speak of something
    else, count as absent.

    Args:
        case_id: Id of `case`, stored in the verdict.
        trials_id: Id of `trials`, stored in the verdict.
        case: Policy, declarations and roles of the invariants.
        plan_case: What was planned, and the accounting.
        trials: What was observed.
        invariants: The records of the case's invariants, parallel to
            ``case.invariants``.
        judgments: At least those that the trials name.
        repeats: Runs of every arm, as the spec says.
        control: Control runs, as the spec says.

    Raises:
        ValueError: If `invariants` is not parallel to the case's.
    """
    roles = roles_of(case, invariants)
    accounts = Accounts(case, plan_case)
    runs = read_runs(case, plan_case, trials, judgments, roles, accounts.applying, repeats, control)
    accounts.settle(runs.slots)
    everywhere = runs.everywhere()
    worst = accounts.worst()
    claim = claim_result(case.policy, accounts.families)
    decision = decide(
        Facts(
            policy=case.policy,
            roles=roles,
            runs=runs,
            answers=[run.cells for run in everywhere if run.output is not None],
            accounts=accounts,
            worst=worst,
            claim=claim,
        )
    )
    return Verdict(
        case=case_id,
        trials=trials_id,
        verdict=decision.verdict,
        rule=decision.rule,
        reason=decision.reason,
        families=tuple([family.row() for family in accounts.families]),
        tally=accounts.tally(),
        at_rest=_at_rest(runs),
        traits=traits_of(runs, everywhere, accounts.families),
        worst=UNSET if worst is None else worst.name,
        claim=UNSET if claim is None else claim,
    )


def _at_rest(runs: Runs) -> AtRest:
    at_rest = runs.at_rest()
    ends = [run.ended for run in at_rest]
    passed = ends.count("pass")
    return AtRest(
        n=passed + ends.count("fail"),
        passed=passed,
        answers=len({run.output for run in at_rest if run.output is not None}),
    )
