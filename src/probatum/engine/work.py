"""One case on its way through a run: from planned rows to its verdict."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from probatum.digest import Digest
from probatum.engine.answers import text_of
from probatum.engine.assemble import trial_of
from probatum.engine.judge import Judge
from probatum.engine.rows import Made, Place, slots_of
from probatum.errors import IntegrityError
from probatum.plugins.protocols import Request
from probatum.records.base import (
    UNSET,
    BlobId,
    ExecutionsId,
    InvariantId,
    JudgmentId,
    OutputId,
    PerturbationId,
    TrialsId,
)
from probatum.records.codec import AnyRecord
from probatum.records.executions import Executions
from probatum.records.inputs import Input
from probatum.records.judgment import Judgment
from probatum.records.output import Output
from probatum.records.plan import PlanCase
from probatum.records.table import Row
from probatum.records.trials import Trial, Trials
from probatum.spec.compiled import CompiledCase
from probatum.verdicts import resolve, summary_of


class Arms(NamedTuple):
    """How often each input is tried, from the spec."""

    repeats: int
    control: int


class Finished(NamedTuple):
    """A case with nothing left to do.

    Attributes:
        row: Its row of the results.
        made: The rows that were made.
        missing: How many were not.
    """

    row: Row
    made: list[Made]
    missing: int


class CaseWork:
    """The rows of one case, and what is known of each.

    Attributes:
        open: Rows without a result yet.
    """

    def __init__(self, compiled: CompiledCase, plan_case: PlanCase, arms: Arms) -> None:
        self.compiled = compiled
        self._plan_case = plan_case
        self._arms = arms
        self._slots = slots_of(plan_case, arms.repeats, arms.control)
        self._made: list[Made | None] = [None] * len(self._slots)
        self._trials: list[Trial | None] = [None] * len(self._slots)
        self._judgments: dict[JudgmentId, Judgment] = {}
        self._judged: dict[OutputId, tuple[JudgmentId, ...]] = {}
        self._rules = [
            (InvariantId(rule.invariant), invariant)
            for rule, invariant in zip(compiled.case.invariants, compiled.invariants, strict=True)
        ]
        self.open = len(self._slots)

    @property
    def size(self) -> int:
        """How many rows the case has."""
        return len(self._slots)

    def take_over(
        self,
        rows: Mapping[Place, Made],
        judge: Judge,
        record: Callable[[Digest], AnyRecord],
        blob: Callable[[BlobId], bytes],
    ) -> None:
        """Fill in rows that were made earlier, judging their stored answers again.

        Raises:
            IntegrityError: If a noted output is not an output.
        """
        for at, slot in enumerate(self._slots):
            made = rows.get(slot.place)
            if made is None:
                continue
            if made.output is None:
                self.fail(at, made)
                continue
            output = record(made.output)
            if not isinstance(output, Output):
                raise IntegrityError(f"{made.output[:12]} is not an output", code="wrong-kind")
            self.answer(at, made, made.output, output, text_of(output, blob), judge)

    def requests(self, inputs: Callable[[PerturbationId], Input]) -> Iterator[tuple[int, Request]]:
        """Yield position and request of every row that has no result yet."""
        case = self.compiled.case
        for at, (place, perturbation) in enumerate(self._slots):
            if self._made[at] is None:
                value = case.input if perturbation is UNSET else inputs(perturbation)
                yield at, Request(value, case.id, *place)

    def place(self, at: int) -> Place:
        """Return the place of a row."""
        return self._slots[at].place

    def answer(
        self,
        at: int,
        made: Made,
        output_id: OutputId,
        output: Output,
        text: str | None,
        judge: Judge,
    ) -> None:
        """Take a row with an answer, and judge it."""
        found = self._judged.get(output_id)
        if found is None:
            found = judge.judge(self._rules, output_id, output, text, self._judgments)
            self._judged[output_id] = found
        self._set(at, made, found)

    def fail(self, at: int, made: Made) -> None:
        """Take a row in which the system itself failed."""
        self._set(at, made, ())

    def miss(self) -> None:
        """Take note that a row cannot be made now."""
        self.open -= 1

    def _set(self, at: int, made: Made, judgments: tuple[JudgmentId, ...]) -> None:
        self._made[at] = made
        self._trials[at] = trial_of(self._slots[at], made, judgments)
        self.open -= 1

    def finish(self, put: Callable[[AnyRecord], Digest]) -> Finished:
        """Store trials, verdict and executions, and return what the session says of them."""
        made = [row for row in self._made if row is not None]
        trials = Trials(rows=tuple([row for row in self._trials if row is not None]))
        trials_id = TrialsId(put(trials))
        compiled = self.compiled
        verdict = resolve(
            case_id=compiled.id,
            trials_id=trials_id,
            case=compiled.case,
            plan_case=self._plan_case,
            trials=trials,
            invariants=compiled.invariants,
            judgments=self._judgments,
            repeats=self._arms.repeats,
            control=self._arms.control,
        )
        verdict_id = put(verdict)
        executions = Executions(trials=trials_id, rows=tuple([row.execution for row in made]))
        ids = (verdict_id, ExecutionsId(put(executions)))
        row = Row(case=compiled.case.id, ids=ids, summary=summary_of(verdict))
        return Finished(row, made, self.size - len(made))
