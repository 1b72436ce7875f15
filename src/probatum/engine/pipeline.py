"""A run from compiled spec to published session, and how an interrupted one goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from probatum.plugins.protocols import Catalogue
from probatum.records.base import StatementId
from probatum.records.session import Environment, Session
from probatum.records.statement import SessionStatement
from probatum.records.table import Row

if TYPE_CHECKING:
    from probatum.spec.compiled import Compiled
    from probatum.store import Store


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
        environment: Where the session runs.
        invocation: Canonical JSON text of the options, credentials taken out.
        folder: Absolute folder of the spec, where relative paths start.
        sign: Signs the statement's bytes; none leaves the session unsigned.
        redact: Takes known secrets out of answers and error texts.
        progress: Told a few times a second at most.
    """

    clock: Callable[[], int]
    environment: Environment
    invocation: str
    folder: Path
    sign: Callable[[bytes], Signed] | None = None
    redact: Callable[[str], str] | None = None
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


class Sources(NamedTuple):
    """What a run was authored in, to be compiled again.

    Attributes:
        folder: Absolute folder of the spec; none if it is not known here.
        files: Path as given, and bytes; the spec first.
    """

    folder: Path | None
    files: tuple[tuple[str, bytes], ...]


def journal_sources(store: Store, name: str) -> Sources:
    """Return the authored files of an interrupted run."""
    raise NotImplementedError


def session_sources(store: Store, statement: StatementId) -> Sources:
    """Return the authored files of a sealed session."""
    raise NotImplementedError


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

    To finish an interrupted run, compile its `journal_sources` and pass the
    journal's name: only missing runs are made. To complete a sealed session
    that has missing runs, compile its `session_sources` and pass its id as
    `continues`: a new session takes its rows over.

    Raises:
        ProviderFault: If the system cannot be set up; nothing is written.
        ConflictError: ``plan-changed`` or ``target-changed``: what is to be
            resumed was made from another plan or another system.
        Interrupted: After Ctrl-C; what was acknowledged is in the journal.
    """
    raise NotImplementedError
