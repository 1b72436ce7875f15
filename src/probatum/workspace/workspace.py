"""A store with everything that can be done to it and read from it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from probatum.digest import Digest
from probatum.errors import NotFoundError
from probatum.records.base import UNSET, ExecutionsId, StatementId
from probatum.records.executions import Executions
from probatum.store import Space, Store, Stored

if TYPE_CHECKING:
    from probatum.engine.pipeline import RunResult, Setting, Signed
    from probatum.evidence.diff import SessionDiff
    from probatum.evidence.history import History
    from probatum.evidence.inspect import Inspection
    from probatum.evidence.log import Log
    from probatum.evidence.replay import Replay
    from probatum.evidence.report import Deep, StoreReport, VerifyReport
    from probatum.signing import TrustStore
    from probatum.spec.compiled import Compiled
    from probatum.workspace.unfinished import Unfinished


class Workspace:
    """A store, and what can be done with it.

    Args:
        store: Where evidence is kept and read from.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    @classmethod
    def open(cls, path: Path, *, create: bool = False) -> Workspace:
        """Open the store in a folder.

        Args:
            path: The store's folder.
            create: Make it if it is missing.

        Raises:
            NotFoundError: If there is no store and none is to be made.
            EnvironmentFault: If it cannot be read, or is of a newer format.
        """
        return cls(Store.open(path, create=create))

    @classmethod
    def in_memory(cls) -> Workspace:
        """Return a workspace whose store is gone with it."""
        return cls(Store.memory())

    def session(self, name: str) -> StatementId:
        """Return the session that a name leads to.

        Args:
            name: ``latest``, ``latest~1``, a tag, a baseline, or 8 or more
                leading digits of an id.

        Raises:
            NotFoundError: If it leads to none, or to several.
        """
        return self.store.resolve_name(name)

    # Running

    @staticmethod
    def compile(spec: Path) -> Compiled:
        """Read and check an authored spec.

        Raises:
            SpecError: With every problem in it.
        """
        from probatum.plugins.registry import Registry
        from probatum.spec.load import load_spec

        return load_spec(spec, Registry())

    def run(self, compiled: Compiled, setting: Setting) -> RunResult:
        """Put a system under pressure and publish the session."""
        from probatum.engine import pipeline
        from probatum.plugins.registry import Registry

        return pipeline.run(compiled, registry=Registry(), store=self.store, setting=setting)

    def failures(self, result: RunResult, *, limit: int = 3) -> list[tuple[str, str]]:
        """Return how the system under test failed, in its own words.

        Args:
            result: A finished run.
            limit: Distinct failures to return.

        Returns:
            The first case of each, and the first line of what was said.
        """
        found: dict[str, str] = {}
        rows = result.rows if result.session.totals.failed_runs else ()
        for row in rows:
            for execution in self.store.record(ExecutionsId(row.ids[1]), Executions).rows:
                if execution.error is not UNSET and len(found) < limit:
                    found.setdefault(execution.error.partition("\n")[0][:200], row.case)
            if len(found) == limit:
                break
        return [(case, words) for words, case in found.items()]

    def unfinished(self, name: str | None = None, *, spec: bytes | None = None) -> Unfinished:
        """Find what there is to resume.

        Args:
            name: Leading digits of a journal's name, or a session.
            spec: The bytes of the spec whose run it is. Without name and spec
                it is the newest interrupted run, or else the newest session
                if that is incomplete.

        Raises:
            NotFoundError: If nothing is unfinished, or what is named is not.
        """
        from probatum.workspace import unfinished

        if spec is not None:
            return unfinished.made_from(self.store, spec)
        if name is not None:
            return unfinished.named(self.store, name)
        return unfinished.newest(self.store)

    def resume(
        self, unfinished: Unfinished, setting: Setting, folder: Path | None = None
    ) -> RunResult:
        """Make the runs that are missing, and publish the session.

        Args:
            unfinished: What `unfinished` found.
            setting: As for `run`; its folder is where the spec is looked for
                that a sealed session was made from.
            folder: Where relative paths of the spec start, if not there.

        Raises:
            ConflictError: If the plan or the system is not what it was.
            NotFoundError: If the spec's folder is not known.
        """
        from probatum.engine import pipeline, sources
        from probatum.plugins.registry import Registry
        from probatum.spec.load import load_spec

        registry = Registry()
        if unfinished.journal is not None:
            found = sources.journal_sources(self.store, unfinished.journal)
        else:
            assert unfinished.statement is not None
            found = sources.session_sources(self.store, unfinished.statement)
        first, data = found.files[0]
        where = folder or found.folder or _folder_of(setting.folder / first, data)
        if where is None:
            raise NotFoundError(
                "the folder of the spec is not known",
                code="spec-folder",
                hint="give the spec's path beside --resume",
            )
        compiled = load_spec(Path(first), registry, files=dict(found.files))
        return pipeline.run(
            compiled,
            registry=registry,
            store=self.store,
            setting=setting._replace(folder=where),
            journal=unfinished.journal,
            continues=unfinished.statement,
        )

    # Reading

    def log(self, *, limit: int | None = None) -> Log:
        """List sessions, newest first."""
        from probatum.evidence.log import log

        return log(self.store, limit=limit)

    def replay(
        self, name: str, *, trust: TrustStore | None = None, now: datetime | None = None
    ) -> Replay:
        """Return a session's verdicts as they were assigned.

        Args:
            name: The session.
            trust: Whose signatures count.
            now: The present time; without it signatures are not looked at.
        """
        from probatum.evidence.replay import replay

        return replay(self.store, self.session(name), trust=trust, now=now)

    def inspect(self, name: str, case: str | None = None) -> Inspection:
        """Return one case of a session in full; it may be left out where there is one."""
        from probatum.evidence.inspect import inspect

        return inspect(self.store, self.session(name), case)

    def history(self, case: str, *, limit: int | None = None) -> History:
        """Follow one case over sessions."""
        from probatum.evidence.history import history

        return history(self.store, case, limit=limit)

    def diff(self, old: str, new: str) -> SessionDiff:
        """Compare two sessions of this store."""
        from probatum.evidence.diff import diff_sessions

        return diff_sessions(self.store, self.session(old), self.session(new))

    def verify(
        self,
        name: str,
        *,
        trust: TrustStore | None,
        now: datetime,
        quick: bool = False,
        deep: bool = False,
    ) -> VerifyReport:
        """Verify one session.

        Args:
            name: The session.
            trust: Whose signatures count.
            now: The present time, with a zone.
            quick: Look at checksums of packs and at signatures only.
            deep: Make every perturbation and judgment again.
        """
        from probatum.evidence.verify import verify

        statement = self.session(name)
        made_again = self._rederive(statement) if deep else None
        return verify(self.store, statement, trust=trust, now=now, quick=quick, deep=made_again)

    def verify_all(
        self,
        *,
        trust: TrustStore | None,
        now: datetime,
        quick: bool = False,
        deep: bool = False,
    ) -> StoreReport:
        """Verify every session and everything else in the store."""
        from probatum.evidence.verify import verify_all

        rederive = self._rederive if deep else None
        return verify_all(self.store, trust=trust, now=now, quick=quick, deep=rederive)

    def cat(self, prefix: str) -> tuple[Digest, Stored]:
        """Return a stored object by its id, or by 8 or more leading digits of it.

        Raises:
            NotFoundError: If there is none, or more than one.
        """
        found = self.store.find_one(prefix)
        return found, self.store.get(found)

    def manifest(self, name: str) -> bytes:
        """Return a session's signed manifest file."""
        from probatum.evidence.manifest import build_manifest

        return build_manifest(self.store, self.session(name))

    # Naming and removing

    def names(self, space: Space) -> dict[str, StatementId]:
        """Return tags or baselines with the sessions that they lead to."""
        found = {name: self.store.target(space, name) for name in self.store.names(space)}
        return {name: target for name, target in found.items() if target is not None}

    def name(self, space: Space, name: str, target: StatementId) -> None:
        """Make a tag or baseline lead to a session."""
        self.store.move(space, name, target)

    def unname(self, space: Space, name: str) -> None:
        """Delete a tag or baseline; the session stays.

        Raises:
            NotFoundError: If there is no such name.
        """
        known = self.store.names(space)
        if name not in known:
            raise NotFoundError(
                f"no {name!r} among the {space}",
                code="unknown-name",
                candidates=known,
                hint=f"known: {', '.join(known)}" if known else f"there are no {space}",
            )
        self.store.move(space, name, None)

    def remove(
        self,
        session: StatementId,
        *,
        reason: str,
        clock: Callable[[], int],
        sign: Callable[[bytes], Signed] | None,
    ) -> StatementId:
        """Take a session out of the store's lists and leave a notice.

        Args:
            session: What is removed.
            reason: Kept in the notice.
            clock: Microseconds since the Unix epoch.
            sign: Signs the notice; none leaves it unsigned.

        Returns:
            The id of the removal statement.
        """
        from probatum.workspace.removal import remove

        return remove(self.store, session, reason=reason, clock=clock, sign=sign)

    # Inside

    def _rederive(self, statement: StatementId) -> Deep:
        from probatum.workspace.deep import rederivation

        return rederivation(self.store, statement)


def _folder_of(spec: Path, data: bytes) -> Path | None:
    """Return the folder of a spec that is still what it was."""
    try:
        # The name comes from evidence: nothing but a file of that very size is read.
        same = spec.is_file() and spec.stat().st_size == len(data) and spec.read_bytes() == data
    except (OSError, ValueError):
        return None
    return spec.absolute().parent if same else None
