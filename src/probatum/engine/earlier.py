"""The rows of a sealed session, for a run that completes it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from probatum.engine.rows import Made, Place
from probatum.errors import IntegrityError
from probatum.records.base import UNSET, ExecutionsId, StatementId, VerdictId
from probatum.records.executions import Executions
from probatum.records.session import Session
from probatum.records.statement import SessionStatement
from probatum.records.table import Table
from probatum.records.trials import Trial, Trials
from probatum.records.verdict import Verdict
from probatum.store import Store


class Earlier:
    """A sealed session whose rows are taken over, case by case.

    Args:
        store: Where it is.
        statement: Its id.

    Raises:
        NotFoundError: If the store does not have it.
        IntegrityError: If it is damaged, or is no session.
    """

    def __init__(self, store: Store, statement: StatementId) -> None:
        self._store = store
        self._statement = statement
        predicate = store.record(statement, SessionStatement).predicate
        self.session = store.record(predicate.root, Session)
        self._places: dict[str, tuple[VerdictId, ExecutionsId]] = {}
        for name in self.session.results:
            for row in store.record(name, Table).rows:
                verdict, executions = row.ids
                self._places[row.case] = (VerdictId(verdict), ExecutionsId(executions))

    def rows(self, case: str) -> Mapping[Place, Made]:
        """Return the rows of a case, marked with the session they come from."""
        found = self._places.get(case)
        if found is None:
            return {}
        verdict = self._store.record(found[0], Verdict)
        trials = self._store.record(verdict.trials, Trials)
        executions = self._store.record(found[1], Executions)
        if executions.trials != verdict.trials or len(executions.rows) != len(trials.rows):
            raise IntegrityError(f"the executions of case {case!r} are of other trials")
        made: dict[Place, Made] = {}
        for trial, execution in zip(trials.rows, executions.rows, strict=True):
            place = _place(trial)
            if execution.reused_from is UNSET:
                execution = msgspec.structs.replace(execution, reused_from=self._statement)
            made[place] = Made(
                case,
                *place,
                None if trial.output is UNSET else trial.output,
                None if trial.failure is UNSET else trial.failure,
                execution,
            )
        return made


def _place(trial: Trial) -> Place:
    declaration = "" if trial.declaration is UNSET else trial.declaration
    return Place(trial.arm, declaration, 0 if trial.index is UNSET else trial.index, trial.repeat)
