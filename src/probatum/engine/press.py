"""Asking the system everything that the plan says, and taking down what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from probatum.engine.answers import Kept, Shelf, keep, one_line
from probatum.engine.assemble import Counts
from probatum.engine.execute import Asked, Done, Executor, Observed
from probatum.engine.judge import Judge
from probatum.engine.log import Log
from probatum.engine.rows import Made, Place
from probatum.engine.unroll import Planned
from probatum.engine.work import Arms, CaseWork
from probatum.plugins.protocols import Answer, Catalogue, Failed, Missing
from probatum.records.base import UNSET
from probatum.records.executions import Execution
from probatum.records.table import Row
from probatum.spec.compiled import Compiled

REASONS: Final = 20
"""Distinct reasons of missing runs that are reported."""

_REMEMBERED: Final = 1_024
_SHORT: Final = 2_048
"""Answers kept at hand, and the longest of them in code points: most systems repeat themselves."""

Key = tuple[CaseWork, int]
"""A row: its case, and its position there."""

EarlierRows = Callable[[str], Mapping[Place, Made]]
"""Rows of a case that need not be made again."""


class Press:
    """Puts a system under pressure.

    Attributes:
        rows: A row of the results for each finished case.
        counts: Of the finished cases.
        reasons: Why runs are missing, distinct.
        total: Rows that there must be.
        done: Rows that are there, those taken over included.
        missing: Runs that could not be made.
        failed: Rows in which the system failed.
    """

    def __init__(
        self,
        compiled: Compiled,
        planned: Planned,
        log: Log,
        *,
        registry: Catalogue,
        earlier: EarlierRows,
        redact: Callable[[str], str] | None,
    ) -> None:
        self._compiled = compiled
        self._planned = planned
        self._log = log
        self._earlier = earlier
        self._judge = Judge(registry, log.blob, log.put_record)
        self._shelf = Shelf(log.put, log.put_record, redact)
        self._arms = Arms(compiled.spec.repeats, compiled.spec.control)
        self._kept: dict[Answer, Kept | Failed] = {}
        self.rows: list[Row] = []
        self.counts = Counts()
        self.reasons: list[str] = []
        self.done = self.missing = self.failed = 0
        at_rest = (1 + self._arms.control) * len(planned.cases)
        perturbed = sum(len(case.perturbations) for case in planned.cases)
        self.total = self._arms.repeats * (at_rest + perturbed)

    def run(self, executor: Executor[Key], beat: Callable[[], bool]) -> bool:
        """Make all rows that are missing.

        Args:
            executor: Asks the system.
            beat: Called a few times a second or more; false ends the run.

        Returns:
            Whether every case is finished.
        """
        batches = executor.run(self._asked())
        for batch in batches:
            self._take(batch)
            self._log.journal.tick()
            if not beat():
                batches.close()
                self._take(executor.finished())
                return False
        return True

    def _asked(self) -> Iterator[Asked[Key]]:
        inputs = self._planned.inputs
        for compiled, plan_case in zip(self._compiled.cases, self._planned.cases, strict=True):
            work = CaseWork(compiled, plan_case, self._arms)
            self._recall(work)
            if not work.open:
                self._finish(work)
                continue
            for at, request in work.requests(inputs.get):
                yield (work, at), request

    def _recall(self, work: CaseWork) -> None:
        known = self._earlier(work.compiled.case.id)
        if known:
            work.take_over(known, self._judge, self._log.record, self._log.blob)
            self.done += work.size - work.open

    def _take(self, batch: Sequence[Done[Key]]) -> None:
        made: list[Made] = []
        for key, observed in batch:
            work, at = key
            row = self._row(work, at, observed)
            if row is not None:
                made.append(row)
            if not work.open:
                self._finish(work)
        self._log.note_rows(made)

    def _row(self, work: CaseWork, at: int, observed: Observed) -> Made | None:
        result = observed.result
        if isinstance(result, Missing):
            work.miss()
            self.missing += 1
            reason = one_line(result.error, self._shelf.redact)
            if len(self.reasons) < REASONS and reason not in self.reasons:
                self.reasons.append(reason)
            return None
        self.done += 1
        kept = self._keep(result) if isinstance(result, Answer) else result
        case, place = work.compiled.case.id, work.place(at)
        if isinstance(kept, Failed):
            self.failed += 1
            error = one_line(kept.error, self._shelf.redact)
            made = Made(case, *place, None, kept.failure, _execution(observed, None, error))
            work.fail(at, made)
        else:
            answer = result if isinstance(result, Answer) else None
            made = Made(case, *place, kept.id, None, _execution(observed, answer))
            work.answer(at, made, kept.id, kept.output, kept.text, self._judge)
        return made

    def _keep(self, answer: Answer) -> Kept | Failed:
        known = self._kept.get(answer)
        if known is not None:
            return known
        kept = keep(answer, self._shelf)
        if len(answer.text) <= _SHORT:
            if len(self._kept) >= _REMEMBERED:
                self._kept.clear()
            self._kept[answer] = kept
        return kept

    def _finish(self, work: CaseWork) -> None:
        finished = work.finish(self._log.put_record)
        self.rows.append(finished.row)
        self.counts = self.counts.plus(finished.made, finished.missing)


def _execution(observed: Observed, answer: Answer | None, error: str | None = None) -> Execution:
    """Return the circumstances of a run; what is not known is left out."""
    start, latency = max(0, observed.start_us), max(0, observed.latency_us)
    if answer is None:
        return Execution(
            start_us=start,
            latency_us=latency,
            attempts=1,
            error=UNSET if error is None else error,
        )
    return Execution(
        start_us=start,
        latency_us=latency,
        attempts=answer.attempts,
        input_tokens=UNSET if answer.input_tokens is None else answer.input_tokens,
        output_tokens=UNSET if answer.output_tokens is None else answer.output_tokens,
        model=UNSET if answer.model is None else answer.model,
        response_id=UNSET if answer.response_id is None else answer.response_id,
    )
