"""A run from compiled spec to published session, and how an interrupted one goes on."""

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from probatum.digest import Digest, object_id
from probatum.engine import log as logs
from probatum.engine.assemble import (
    Asked,
    Chain,
    Story,
    session_of,
    settings_text,
    statement_of,
    timestamp,
)
from probatum.engine.earlier import Earlier
from probatum.engine.execute import Executor
from probatum.engine.interrupt import Interruption
from probatum.engine.log import Heading, Log
from probatum.engine.press import Key, Press
from probatum.engine.rows import Made, Opened, Place, Sealing
from probatum.engine.unroll import Planned, unroll
from probatum.errors import (
    ConflictError,
    IntegrityError,
    Interrupted,
    ProbatumError,
)
from probatum.plugins.protocols import Catalogue, System, SystemConfig
from probatum.plugins.references import redactor
from probatum.records import table
from probatum.records.base import UNSET, BlobId, SessionId, StatementId, TableId, TargetId
from probatum.records.session import Environment, Session, Source
from probatum.records.statement import SessionStatement
from probatum.records.table import RESULTS, Row, Table
from probatum.spec.compiled import Compiled
from probatum.store import Closure, Store, merkle_root
from probatum.store.walk import inventory_lines

_BEAT: Final = 200_000
"""Microseconds between two reports of progress."""


class Progress(NamedTuple):
    """How far a run is.

    Attributes:
        phase: ``plan``, ``run`` or ``seal``.
        done: Runs that have a row, those taken over included.
        total: Runs that are planned; 0 while the plan is being made.
        missing: Runs of which no observation could be made.
        failed: Rows in which the system itself failed.
    """

    phase: str
    done: int
    total: int
    missing: int
    failed: int


class Signed(NamedTuple):
    """A signature over a statement, ready to be filed beside it."""

    fingerprint: str
    data: bytes


class Setting(NamedTuple):
    """What only a face can know or decide.

    Attributes:
        clock: Microseconds since the Unix epoch; never goes back.
        environment: Describes where the session runs; asked at its end, when all
            that can change a result is loaded.
        invocation: Canonical JSON text of the options, credentials taken out.
        folder: Absolute folder of the spec, where relative paths start.
        sign: Signs the statement's bytes; none leaves the session unsigned.
        environ: What ``${NAME}`` in the model section stands for; these
            values are taken out of answers and error texts.
        progress: Told a few times a second at most.
    """

    clock: Callable[[], int]
    environment: Callable[[], Environment]
    invocation: str
    folder: Path
    sign: Callable[[bytes], Signed] | None = None
    environ: Mapping[str, str] = MappingProxyType({})
    progress: Callable[[Progress], None] | None = None


class RunResult(NamedTuple):
    """A published session.

    Attributes:
        statement_id: The session id that people see.
        rows: One a case, sorted by case id: verdict id, executions id, summary.
        missing: Up to 20 distinct reasons why runs have no row.
        fingerprint: Of the key that signed; none if unsigned.
    """

    statement_id: StatementId
    statement: SessionStatement
    session: Session
    rows: tuple[Row, ...]
    missing: tuple[str, ...]
    fingerprint: str | None


def run(
    compiled: Compiled,
    *,
    registry: Catalogue,
    store: Store,
    setting: Setting,
    journal: str | None = None,
    continues: StatementId | None = None,
) -> RunResult:
    """Materialize, execute, judge, resolve, seal, sign and publish.

    To finish an interrupted run, compile its `sources.journal_sources` and pass the
    journal's name: only missing runs are made. To complete a sealed session
    that has missing runs, compile its `sources.session_sources` and pass its id as
    `continues`: a new session takes its rows over.

    Raises:
        ProviderFault: If the system cannot be set up; nothing is written.
        ConflictError: ``plan-changed`` or ``target-changed``: what is to be
            resumed was made from another plan or another system.
        Interrupted: After Ctrl-C; what was acknowledged is in the journal.
    """
    config = SystemConfig(
        name=compiled.model.name,
        options=compiled.model.options,
        params=compiled.model.params,
        folder=setting.folder,
        timeout=compiled.model.timeout,
        parallel=compiled.settings.parallel,
        environ=setting.environ,
    )
    system = registry.provider(compiled.model.provider).open(config)
    try:
        if journal is None:
            log = logs.start(store, _heading(compiled, setting, continues), compiled.sources)
        else:
            log = Log(store.reopen_journal(journal))
        with Interruption() as stop:
            return _Run(compiled, registry, store, setting, system, log, stop).go()
    finally:
        system.close()


def _heading(compiled: Compiled, setting: Setting, continues: StatementId | None) -> Heading:
    return Heading(
        folder=str(setting.folder),
        sources=tuple((path, BlobId(object_id("blob", data))) for path, data in compiled.sources),
        start=setting.clock(),
        invocation=setting.invocation,
        continues=continues,
    )


class _Run:
    """One run, from an open log to a published session."""

    def __init__(
        self,
        compiled: Compiled,
        registry: Catalogue,
        store: Store,
        setting: Setting,
        system: System,
        log: Log,
        stop: Interruption,
    ) -> None:
        self._compiled = compiled
        self._registry = registry
        self._store = store
        self._setting = setting
        self._system = system
        self._log = log
        self._stop = stop
        self._told = 0

    def go(self) -> RunResult:
        """Do all of it; on failure the journal stays, closed and resumable."""
        try:
            if self._log.sealing is not None:
                self._pack(self._log.sealing)
                result = self._publish(self._log.sealing, ())
            else:
                result = self._work()
            self._log.journal.discard()
        except BaseException:
            with suppress(ProbatumError):
                self._log.journal.close()
            raise
        return result

    def _work(self) -> RunResult:
        log, compiled = self._log, self._compiled
        earlier = None
        if log.heading.continues is not None:
            earlier = Earlier(self._store, log.heading.continues)
        self._tell(Progress("plan", 0, 0, 0, 0))
        planned = unroll(compiled, self._registry, log, self._stop)
        if planned is None:
            raise self._interrupted()
        target = TargetId(log.put_record(self._system.target))
        self._agree(planned, target, earlier)
        if log.opened is None:
            log.note(Opened(planned.id, target))

        def known(case: str) -> Mapping[Place, Made]:
            rows = {} if earlier is None else earlier.rows(case)
            return {**rows, **log.rows.get(case, {})}

        press = Press(
            compiled,
            planned,
            log,
            registry=self._registry,
            earlier=known,
            redact=redactor(compiled.model.options, self._setting.environ),
        )
        if not press.run(self._executor(), lambda: self._beat(press)):
            raise self._interrupted()
        self._tell(Progress("seal", press.done, press.total, press.missing, press.failed))
        statement_id = self._seal(planned, target, press)
        return self._publish(statement_id, tuple(press.reasons))

    def _executor(self) -> Executor[Key]:
        return Executor(
            self._system,
            parallel=self._compiled.settings.parallel,
            timeout=self._compiled.model.timeout,
            clock=self._setting.clock,
        )

    def _agree(self, planned: Planned, target: TargetId, earlier: Earlier | None) -> None:
        """Make sure that what is taken over was made from this plan and this system."""
        plans = [] if self._log.opened is None else [self._log.opened.plan]
        targets = [] if self._log.opened is None else [self._log.opened.target]
        if earlier is not None:
            plans.append(earlier.session.plan)
            targets.append(earlier.session.target)
        if any(plan != planned.id for plan in plans):
            raise ConflictError(
                "the plan is not the one that was begun",
                code="plan-changed",
                hint="another release made it, or a file that the spec names; run it anew",
            )
        if any(other != target for other in targets):
            raise ConflictError(
                "the system under test is not the one that was begun with",
                code="target-changed",
                hint="its name, parameters or code differ; run the spec anew",
            )

    def _beat(self, press: Press) -> bool:
        now = self._setting.clock()
        if now - self._told >= _BEAT:
            self._told = now
            self._tell(Progress("run", press.done, press.total, press.missing, press.failed))
        return not self._stop()

    def _tell(self, progress: Progress) -> None:
        if self._setting.progress is not None:
            self._setting.progress(progress)

    def _interrupted(self) -> Interrupted:
        self._log.journal.flush()
        return Interrupted(
            "interrupted; every answer so far is kept",
            hint="finish with: probatum run --resume",
        )

    def _seal(self, planned: Planned, target: TargetId, press: Press) -> StatementId:
        """Store results, session and statement; from here on the run only needs publishing."""
        log, setting, compiled = self._log, self._setting, self._compiled
        rows = sorted(press.rows, key=lambda row: row.case)
        results = [TableId(log.put_record(item)) for item in table.build(RESULTS, rows)]
        heading = log.heading
        session = session_of(
            Asked(compiled.spec.name, compiled.spec_id, planned.id, target),
            Story(
                environment=setting.environment(),
                invocation=heading.invocation,
                settings=settings_text(
                    compiled.settings.parallel,
                    compiled.model.timeout,
                    cache=compiled.settings.cache,
                ),
                sources=tuple([Source(path=path, content=blob) for path, blob in heading.sources]),
                start=timestamp(heading.start),
                end=timestamp(max(heading.start, setting.clock())),
                continues=UNSET if heading.continues is None else heading.continues,
            ),
            Chain(*self._store.chain()),
            results=results,
            rows=rows,
            counts=press.counts,
            falsifiability=planned.falsifiability,
        )
        root = SessionId(log.put_record(session))
        closure = _whole(log.closure(root))
        lines = inventory_lines(closure.entries)
        statement = statement_of(
            session,
            root,
            store=self._store.id,
            spec=compiled.spec_id,
            rows=rows,
            inventory=b"\n".join([*lines, b""]),
            merkle_root=merkle_root(lines),
            objects=Counter(entry.kind for entry in closure.entries),
        )
        statement_id = StatementId(log.put_record(statement))
        log.note(Sealing(statement_id))
        log.journal.seal(_order(closure, log, statement_id))
        return statement_id

    def _pack(self, statement_id: StatementId) -> None:
        """Seal again what was being sealed; the same pack is the same file."""
        statement = self._log.record(statement_id)
        if not isinstance(statement, SessionStatement):
            raise IntegrityError("the journal ends with no session", code="wrong-kind")
        closure = _whole(self._log.closure(statement.predicate.root))
        self._log.journal.seal(_order(closure, self._log, statement_id))

    def _publish(self, statement_id: StatementId, missing: tuple[str, ...]) -> RunResult:
        """Sign, then let others see it."""
        payload = self._store.get(statement_id).payload
        statement = self._store.record(statement_id, SessionStatement)
        fingerprint = None
        if self._setting.sign is not None:
            signed = self._setting.sign(payload)
            self._store.add_signature(statement_id, signed.fingerprint, signed.data)
            fingerprint = signed.fingerprint
        self._store.publish_session(statement_id)
        session = self._store.record(statement.predicate.root, Session)
        rows = [row for name in session.results for row in self._store.record(name, Table).rows]
        return RunResult(
            statement_id=statement_id,
            statement=statement,
            session=session,
            rows=tuple(sorted(rows, key=lambda row: row.case)),
            missing=missing,
            fingerprint=fingerprint,
        )


def _whole(found: Closure) -> Closure:
    """Return a closure without gaps.

    Raises:
        IntegrityError: If something that was put is not there any more.
    """
    for gap in found.missing:
        raise IntegrityError(f"the journal lost an object: {gap.detail}", code="journal-damaged")
    return found


def _order(closure: Closure, log: Log, statement: StatementId) -> list[Digest]:
    """Return the closure in the order it was made, in which like lies by like."""
    wanted = {entry.id for entry in closure.entries}
    ours = [name for name in log.journal.ids if name in wanted]
    return [*ours, *sorted(wanted.difference(ours)), statement]
