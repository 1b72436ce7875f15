"""Auditing one case: does everything that is stored about it fit together?

Perturbations must follow from the case's input by their edits, the trials
must be those that the plan asks for, every judgment must belong to its row,
and the verdict is resolved again and compared whole. Nothing is run, and no
judgment is made again: that is what ``verify --deep`` adds.
"""

from __future__ import annotations

import msgspec

from probatum.digest import Digest
from probatum.errors import IntegrityError
from probatum.evidence.findings import found
from probatum.evidence.vault import Vault
from probatum.plugins.edits import apply_to_input
from probatum.records.base import (
    UNSET,
    CaseId,
    ExecutionsId,
    JudgmentId,
    OutputId,
    PerturbationId,
    PlanCaseId,
    VerdictId,
)
from probatum.records.case import Case, Declaration
from probatum.records.executions import Execution, Executions
from probatum.records.invariant import Invariant
from probatum.records.judgment import Judgment
from probatum.records.output import MAX_TEXT, Output
from probatum.records.perturbation import Perturbation
from probatum.records.plan import PlanCase, Planned
from probatum.records.table import Summary
from probatum.records.trials import Trial, Trials
from probatum.records.verdict import Verdict
from probatum.verdicts import resolve, summary_of


class Job(msgspec.Struct, frozen=True, gc=False):
    """What the session's tables say of one case.

    Attributes:
        name: The case's own id, as authored.
        origin: The table that names the verdict.
        repeats: Runs of every arm.
        control: Control runs.
    """

    name: str
    origin: Digest
    case: CaseId
    plan_case: PlanCaseId
    verdict: VerdictId
    executions: ExecutionsId
    summary: Summary | msgspec.UnsetType
    repeats: int
    control: int


class Audited(msgspec.Struct, frozen=True, gc=False):
    """What one case adds to the session's totals.

    Attributes:
        verdict: The stored verdict class; empty if it cannot be read.
        resolved: Whether the verdict was resolved again.
        counted: Whether its runs could be counted.
        first_us: Earliest start of a run made in this session; -1 if none.
        last_us: Latest end of such a run; -1 if none.
    """

    verdict: str
    resolved: bool
    counted: bool = False
    runs: int = 0
    failed_runs: int = 0
    missing: int = 0
    reused: int = 0
    first_us: int = -1
    last_us: int = -1


def audit(vault: Vault, job: Job) -> Audited:
    """Check one case; what is wrong is noted in the vault's findings."""
    case = vault.record(job.case, Case, job.origin)
    plan_case = vault.record(job.plan_case, PlanCase, job.origin)
    verdict = vault.record(job.verdict, Verdict, job.origin)
    executions = vault.record(job.executions, Executions, job.origin)
    trials = vault.record(verdict.trials, Trials, job.verdict) if verdict else None
    if case is None or plan_case is None or verdict is None or trials is None:
        vault.drain()
        return Audited(verdict.verdict if verdict else "", resolved=False)
    checks = _CaseAudit(vault, job, case, plan_case)
    checks.check_plan()
    checks.check_trials(verdict, trials)
    rows = executions.rows if executions else ()
    if executions:
        checks.check_executions(executions, verdict, len(trials.rows))
    vault.drain()
    resolved = checks.whole
    if resolved:
        checks.check_verdict(verdict, trials)
    return _totals(checks, verdict, trials, rows, resolved=resolved)


def _totals(
    checks: _CaseAudit,
    verdict: Verdict,
    trials: Trials,
    rows: tuple[Execution, ...],
    *,
    resolved: bool,
) -> Audited:
    own = [row for row in rows if row.reused_from is UNSET]
    return Audited(
        verdict.verdict,
        resolved=resolved,
        counted=True,
        runs=len(trials.rows),
        failed_runs=sum(row.failure is not UNSET for row in trials.rows),
        missing=max(0, checks.planned_runs() - len(trials.rows)),
        reused=len(rows) - len(own),
        first_us=min((row.start_us for row in own), default=-1),
        last_us=max((row.start_us + row.latency_us for row in own), default=-1),
    )


class _CaseAudit:
    """The checks of one case, which share its records.

    Attributes:
        whole: Whether all that the verdict follows from could be read and
            fits together; only then is it resolved again.
    """

    def __init__(self, vault: Vault, job: Job, case: Case, plan_case: PlanCase) -> None:
        self.vault = vault
        self.job = job
        self.case = case
        self.plan_case = plan_case
        self.invariants: list[Invariant] = []
        self.judgments: dict[JudgmentId, Judgment] = {}
        self.baseline: OutputId | None = None
        self.whole = True

    def note(self, finding: str, detail: str, object_id: str, kind: str) -> None:
        """Add a finding about this case."""
        self.whole = False
        self.vault.findings.append(
            found(finding, detail, object=object_id, kind=kind, case=self.job.name)
        )

    def planned_runs(self) -> int:
        """Return how many rows a complete run of this case has."""
        return self.job.repeats * (1 + self.job.control + len(self.plan_case.perturbations))

    # -- plan

    def check_plan(self) -> None:
        """Check the case and its perturbations against the case's declarations."""
        job = self.job
        if self.case.id != job.name:
            self.note("case-mismatch", f"the case calls itself {self.case.id!r}", job.case, "case")
        if self.plan_case.case != job.case:
            self._plan("it plans another case than the spec names")
        declared = {item.id: item for item in self.case.perturbations}
        if len(declared) != len(self.case.perturbations):
            self.note("case-mismatch", "two declarations share an id", job.case, "case")
        for item in self.case.perturbations:
            self.vault.check_text(job.case, "case", f"params of {item.id}", item.params)
        self._check_accounting()
        places = {name: place for place, name in enumerate(declared)}
        before = (-1, -1)
        perturbed: dict[str, set[bytes]] = {}
        for planned in self.plan_case.perturbations:
            declaration = declared.get(planned.declaration)
            if declaration is None or planned.index >= declaration.count:
                self._plan(f"no declaration asks for {_label(planned)}")
                continue
            at = (places[planned.declaration], planned.index)
            if at <= before:
                self._plan(f"{_label(planned)} is out of order or planned twice")
            before = at
            self._check_perturbation(planned, declaration, perturbed)

    def _check_accounting(self) -> None:
        accounting = self.plan_case.accounting
        wanted = [(item.id, item.family, item.count) for item in self.case.perturbations]
        if [(item.declaration, item.family, item.requested) for item in accounting] != wanted:
            self._plan("its accounting does not follow the case's declarations")
            return
        counts: dict[str, int] = {}
        for planned in self.plan_case.perturbations:
            counts[planned.declaration] = counts.get(planned.declaration, 0) + 1
        for item in accounting:
            made = counts.get(item.declaration, 0)
            used = made + item.no_op + item.duplicate + item.invalid
            if used != (0 if item.not_applicable is not UNSET else item.requested):
                self._plan(f"{item.declaration}: {item.requested} requested, {used} accounted for")

    def _check_perturbation(
        self, planned: Planned, declaration: Declaration, perturbed: dict[str, set[bytes]]
    ) -> None:
        record = self.vault.record(planned.perturbation, Perturbation, self.job.plan_case)
        if record is None:
            return
        says = (record.declaration, record.index, record.family, record.version, record.params)
        asked = (declaration.id, planned.index, declaration.family, declaration.version)
        if says != (*asked, declaration.params):
            self._perturbation("plan-mismatch", planned, "it was made for another place")
        if record.original != self.case.input:
            self._perturbation("input-mismatch", planned, "its original is not the case's input")
            return
        if record.perturbed == record.original:
            self._perturbation("vacuous-perturbation", planned, "it changes nothing")
        text = msgspec.json.encode(record.perturbed)
        seen = perturbed.setdefault(declaration.family, set())
        if text in seen:
            self._perturbation("vacuous-perturbation", planned, "it repeats an earlier one")
        seen.add(text)
        try:
            fits = apply_to_input(record.original, record.edits) == record.perturbed
        except IntegrityError:
            fits = False
        if not fits:
            self._perturbation("edits-mismatch", planned, "its edits do not give its text")

    def _plan(self, detail: str) -> None:
        self.note("plan-mismatch", detail, self.job.plan_case, "plan-case")

    def _perturbation(self, finding: str, planned: Planned, detail: str) -> None:
        self.note(finding, f"{_label(planned)}: {detail}", planned.perturbation, "perturbation")

    # -- trials

    def check_trials(self, verdict: Verdict, trials: Trials) -> None:
        """Check every row against the plan, and every judgment against its row."""
        job = self.job
        for rule in self.case.invariants:
            invariant = self.vault.record(rule.invariant, Invariant, job.case)
            if invariant is None:
                self.whole = False
            else:
                self.invariants.append(invariant)
                self.vault.check_text(rule.invariant, "invariant", "params", invariant.params)
        if verdict.case != job.case:
            self.note("verdict-mismatch", "it is of another case", job.verdict, "verdict")
        planned = {
            (item.declaration, item.index): (place, item.perturbation)
            for place, item in enumerate(self.plan_case.perturbations)
        }
        if trials.rows and _is_baseline(trials.rows[0]) and trials.rows[0].output is not UNSET:
            self.baseline = trials.rows[0].output
        before = (-1, -1, -1)
        for number, row in enumerate(trials.rows):
            place = self._place(row, planned)
            if place is None or row.repeat >= job.repeats:
                self._trials(verdict, f"row {number}: the plan asks for no such run")
            elif place <= before:
                self._trials(verdict, f"row {number}: out of order or there twice")
            else:
                before = place
            self._check_row(verdict, number, row)

    def _place(
        self, row: Trial, planned: dict[tuple[str, int], tuple[int, PerturbationId]]
    ) -> tuple[int, int, int] | None:
        """Return where a row stands in the plan, or none if the plan has no such row."""
        if _is_baseline(row):
            return (0, 0, row.repeat)
        if row.index is UNSET:
            return None
        bare = row.declaration is UNSET and row.perturbation is UNSET
        if row.arm == "control" and bare and row.index < self.job.control:
            return (1, row.index, row.repeat)
        if row.arm != "perturbation" or row.declaration is UNSET:
            return None
        place, perturbation = planned.get((row.declaration, row.index), (-1, None))
        return (2, place, row.repeat) if perturbation == row.perturbation else None

    def _check_row(self, verdict: Verdict, number: int, row: Trial) -> None:
        if (row.output is UNSET) == (row.failure is UNSET):
            self._trials(verdict, f"row {number}: neither or both of an answer and a failure")
            return
        if row.output is UNSET:
            if row.judgments:
                self._trials(verdict, f"row {number}: a failure was judged")
            return
        self._check_output(row.output, verdict)
        if len(row.judgments) != len(self.case.invariants):
            self._trials(
                verdict,
                f"row {number}: {len(row.judgments)} judgments for "
                f"{len(self.case.invariants)} invariants",
            )
            return
        for rule, judgment_id in zip(self.case.invariants, row.judgments, strict=True):
            judgment = self.judgments.get(judgment_id)
            if judgment is None:
                judgment = self.vault.record(judgment_id, Judgment, verdict.trials)
                if judgment is None:
                    self.whole = False
                    continue
                self.judgments[judgment_id] = judgment
            wrong = self._judgment_fault(judgment, row.output, rule.invariant)
            if wrong:
                self.note("judgments-mismatch", f"row {number}: {wrong}", judgment_id, "judgment")

    def _judgment_fault(self, judgment: Judgment, output: OutputId, invariant: Digest) -> str:
        if judgment.subject != output:
            return "it judges another answer"
        if judgment.invariant != invariant:
            return "it is by another invariant"
        if (judgment.result == "unjudged") != (judgment.reason is not UNSET):
            return "an unjudged result has a reason, and no other has"
        if judgment.baseline is not UNSET and judgment.baseline != self.baseline:
            return "it compares with another baseline"
        return ""

    def _check_output(self, output_id: OutputId, verdict: Verdict) -> None:
        output = self.vault.record(output_id, Output, verdict.trials)
        if output is None:
            return
        if (output.text is UNSET) == (output.blob is UNSET):
            self.note("output-mismatch", "neither or both of text and blob", output_id, "output")
        elif output.text is not UNSET and len(output.text.encode()) > MAX_TEXT:
            self.note("output-mismatch", "its text is over 64 KiB", output_id, "output")

    def _trials(self, verdict: Verdict, detail: str) -> None:
        self.note("trials-mismatch", detail, verdict.trials, "trials")

    # -- executions and verdict

    def check_executions(self, executions: Executions, verdict: Verdict, rows: int) -> None:
        """Check that the executions stand beside the very trials."""
        job = self.job
        if executions.trials != verdict.trials:
            self.note("executions-mismatch", "of other trials", job.executions, "executions")
        elif len(executions.rows) != rows:
            detail = f"{len(executions.rows)} rows beside {rows} trials"
            self.note("executions-mismatch", detail, job.executions, "executions")

    def check_verdict(self, stored: Verdict, trials: Trials) -> None:
        """Resolve the verdict again and compare it, and its summary, whole."""
        job = self.job
        again = resolve(
            case_id=job.case,
            trials_id=stored.trials,
            case=self.case,
            plan_case=self.plan_case,
            trials=trials,
            invariants=self.invariants,
            judgments=self.judgments,
            repeats=job.repeats,
            control=job.control,
        )
        if again != stored:
            self.note("verdict-mismatch", _differences(stored, again), job.verdict, "verdict")
        if job.summary != summary_of(stored):
            detail = f"the table's row for {job.name!r} is not what its verdict says"
            self.note("summary-mismatch", detail, job.origin, "table")


def _is_baseline(row: Trial) -> bool:
    return (
        row.arm == "baseline"
        and row.index is UNSET
        and row.declaration is UNSET
        and row.perturbation is UNSET
    )


def _label(planned: Planned) -> str:
    return f"{planned.declaration}#{planned.index}"


def _differences(stored: Verdict, again: Verdict) -> str:
    if stored.verdict != again.verdict or stored.rule != again.rule:
        return (
            f"stored as {stored.verdict} by {stored.rule}, "
            f"but its judgments give {again.verdict} by {again.rule}"
        )
    names = [
        name for name in stored.__struct_fields__ if getattr(stored, name) != getattr(again, name)
    ]
    return f"its judgments give other {', '.join(names)}"
