"""One case in full: what was asked, what was changed, what came back, how it was judged."""

import msgspec

from probatum.errors import IntegrityError, UsageError
from probatum.evidence.rows import find_row, rows_of
from probatum.evidence.statements import read_statement
from probatum.evidence.vault import Objects, fetch, read_object
from probatum.records.base import (
    UNSET,
    BlobId,
    CaseId,
    ExecutionsId,
    InvariantId,
    JudgmentId,
    OutputId,
    PerturbationId,
    StatementId,
    TrialsId,
    VerdictId,
)
from probatum.records.case import Case
from probatum.records.executions import Execution, Executions
from probatum.records.invariant import Invariant
from probatum.records.judgment import Judgment
from probatum.records.output import Output
from probatum.records.perturbation import Perturbation
from probatum.records.plan import Plan, PlanCase
from probatum.records.session import Session
from probatum.records.table import PLAN_CASES, RESULTS, Row
from probatum.records.trials import Trial, Trials
from probatum.records.verdict import Verdict


class RuleView(msgspec.Struct, frozen=True, kw_only=True):
    """An invariant in the role it has for the case."""

    id: InvariantId
    role: str
    invariant: Invariant


class JudgmentView(msgspec.Struct, frozen=True, kw_only=True):
    """A judgment beside the rule that made it."""

    id: JudgmentId
    rule: RuleView
    judgment: Judgment


class RunView(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the system.

    Attributes:
        output: The answer; none on failure.
        text: The answer's text; empty where it is no text.
        size: Bytes of an answer that is no text; -1 for text.
        execution: When and at what cost; none if the session has no row.
    """

    trial: Trial
    output_id: OutputId | None
    output: Output | None
    text: str
    size: int
    judgments: tuple[JudgmentView, ...]
    execution: Execution | None


class ArmView(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of one input: the case's own, or one perturbation's.

    Attributes:
        arm: ``baseline``, ``control`` or ``perturbation``.
        declaration: Empty but for a perturbation.
        perturbation: Likewise.
    """

    arm: str
    declaration: str
    index: int
    perturbation: Perturbation | None
    runs: tuple[RunView, ...]


class Inspection(msgspec.Struct, frozen=True, kw_only=True):
    """One case of one session, with everything that is stored about it."""

    statement: StatementId
    case_id: CaseId
    case: Case
    plan_case: PlanCase
    verdict_id: VerdictId
    verdict: Verdict
    rules: tuple[RuleView, ...]
    arms: tuple[ArmView, ...]


def inspect(store: Objects, statement: StatementId, case: str | None = None) -> Inspection:
    """Return one case in full.

    Args:
        store: Where its objects are.
        statement: The session's id.
        case: The case's own id; may be left out where there is only one.

    Raises:
        UsageError: If it is left out and there are several.
        NotFoundError: If there is no such session or case.
        IntegrityError: If an object that is needed is damaged.
    """
    session = fetch(store, read_statement(store, statement).predicate.root, Session)
    row = _row(store, session, case)
    verdict_id = VerdictId(row.ids[0])
    verdict = fetch(store, verdict_id, Verdict)
    plan = fetch(store, session.plan, Plan)
    planned = find_row(store, plan.cases, PLAN_CASES, row.case)
    plan_case = fetch(store, planned.ids[0], PlanCase)
    record = fetch(store, verdict.case, Case)
    rules = tuple(
        RuleView(
            id=rule.invariant, role=rule.role, invariant=fetch(store, rule.invariant, Invariant)
        )
        for rule in record.invariants
    )
    reader = _Reader(store, rules)
    return Inspection(
        statement=statement,
        case_id=verdict.case,
        case=record,
        plan_case=plan_case,
        verdict_id=verdict_id,
        verdict=verdict,
        rules=rules,
        arms=tuple(reader.arms(plan_case, verdict.trials, ExecutionsId(row.ids[1]))),
    )


def _row(store: Objects, session: Session, case: str | None) -> Row:
    if case is not None:
        return find_row(store, session.results, RESULTS, case)
    rows = rows_of(store, session.results, RESULTS)
    if len(rows) != 1:
        names = ", ".join(row.case for row in rows[:10])
        raise UsageError(
            f"the session has {len(rows)} cases", code="which-case", hint=f"name one: {names}"
        )
    return rows[0]


class _Reader:
    """Reads the runs of a case, each shared object once."""

    def __init__(self, store: Objects, rules: tuple[RuleView, ...]) -> None:
        self._store = store
        self._rules = rules
        self._judgments: dict[JudgmentId, Judgment] = {}
        self._outputs: dict[OutputId, tuple[Output, str, int]] = {}

    def arms(
        self, plan_case: PlanCase, trials_id: TrialsId, executions_id: ExecutionsId
    ) -> list[ArmView]:
        """Return the arms: baseline, controls, then the plan's order; those without runs too."""
        trials = fetch(self._store, trials_id, Trials)
        executions = fetch(self._store, executions_id, Executions).rows
        runs: dict[tuple[str, str, int], list[RunView]] = {("baseline", "", 0): []}
        for number, trial in enumerate(trials.rows):
            execution = executions[number] if number < len(executions) else None
            place: tuple[str, str, int] = (trial.arm, trial.declaration or "", trial.index or 0)
            runs.setdefault(place, []).append(self._run(trial, execution))
        planned: dict[tuple[str, str, int], PerturbationId] = {
            ("perturbation", item.declaration, item.index): item.perturbation
            for item in plan_case.perturbations
        }
        others = [key for key in runs if key not in planned]
        arms = []
        for key in [*others, *planned]:
            arm, declaration, index = key
            made = planned.get(key)
            arms.append(
                ArmView(
                    arm=arm,
                    declaration=declaration,
                    index=index,
                    perturbation=fetch(self._store, made, Perturbation) if made else None,
                    runs=tuple(runs.get(key, ())),
                )
            )
        return arms

    def _run(self, trial: Trial, execution: Execution | None) -> RunView:
        output_id = None if trial.output is UNSET else trial.output
        output, text, size = self._output(output_id) if output_id else (None, "", -1)
        return RunView(
            trial=trial,
            output_id=output_id,
            output=output,
            text=text,
            size=size,
            judgments=tuple(
                JudgmentView(id=judgment, rule=rule, judgment=self._judgment(judgment))
                for rule, judgment in zip(self._rules, trial.judgments, strict=False)
            ),
            execution=execution,
        )

    def _output(self, output_id: OutputId) -> tuple[Output, str, int]:
        if output_id not in self._outputs:
            output = fetch(self._store, output_id, Output)
            self._outputs[output_id] = (output, *text_of(self._store, output))
        return self._outputs[output_id]

    def _judgment(self, judgment_id: JudgmentId) -> Judgment:
        if judgment_id not in self._judgments:
            self._judgments[judgment_id] = fetch(self._store, judgment_id, Judgment)
        return self._judgments[judgment_id]


def text_of(store: Objects, output: Output) -> tuple[str, int]:
    """Return an answer's text and -1, or empty text and its size where it is no text."""
    if output.text is not UNSET:
        return output.text, -1
    data = b"" if output.blob is UNSET else _fetch_blob(store, output.blob)
    try:
        return data.decode("utf-8"), -1
    except UnicodeDecodeError:
        return "", len(data)


def _fetch_blob(store: Objects, blob: BlobId) -> bytes:
    stored = read_object(store, blob)
    if stored.kind != "blob":
        raise IntegrityError(f"a {stored.kind} stands where a blob is named", code="wrong-kind")
    return stored.payload
