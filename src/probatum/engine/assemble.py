"""From the rows of a run to the records that are vouched for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from probatum import canonical
from probatum.digest import sha256_hex
from probatum.engine.rows import Made, Slot
from probatum.records.base import (
    UNSET,
    JudgmentId,
    PlanId,
    SessionId,
    SpecId,
    StatementId,
    TableId,
    TargetId,
    UnsetType,
)
from probatum.records.session import Environment, Session, Source, Totals
from probatum.records.statement import (
    STATEMENT_TYPE,
    KindCount,
    SessionPredicate,
    SessionStatement,
    Sha256,
    Subject,
)
from probatum.records.table import MAX_ROWS, Row
from probatum.records.trials import Trial
from probatum.spec.scalars import shortest
from probatum.verdicts import class_counts, session_verdict

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def timestamp(microseconds: int) -> str:
    """Return a time since the Unix epoch as RFC 3339 in UTC, cut to milliseconds."""
    moment = _EPOCH + timedelta(microseconds=microseconds)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def trial_of(slot: Slot, made: Made, judgments: tuple[JudgmentId, ...]) -> Trial:
    """Return the row of the trials for a run that was made."""
    place = slot.place
    perturbed = place.arm == "perturbation"
    return Trial(
        arm=place.arm,
        repeat=place.repeat,
        judgments=judgments,
        declaration=place.declaration if perturbed else UNSET,
        index=UNSET if place.arm == "baseline" else place.number,
        perturbation=slot.perturbation,
        output=UNSET if made.output is None else made.output,
        failure=UNSET if made.failure is None else made.failure,
    )


class Counts(NamedTuple):
    """Rows of a session, by what became of them."""

    runs: int = 0
    failed: int = 0
    missing: int = 0
    reused: int = 0

    def plus(self, rows: Iterable[Made], missing: int) -> Counts:
        """Return the counts with the rows of one more case."""
        runs, failed, gone, reused = self
        for row in rows:
            runs += 1
            failed += row.failure is not None
            reused += row.execution.reused_from is not UNSET
        return Counts(runs, failed, gone + missing, reused)


def totals_of(counts: Counts, verdicts: Sequence[str]) -> Totals:
    """Return a session's totals."""
    classes = class_counts(verdicts)
    return Totals(
        cases=len(verdicts),
        runs=counts.runs,
        failed_runs=counts.failed,
        missing=counts.missing,
        reused=counts.reused,
        stable=classes.stable,
        fragile=classes.fragile,
        consistently_wrong=classes.consistently_wrong,
        insufficient=classes.insufficient,
        invalid_eval=classes.invalid_eval,
    )


def settings_text(parallel: int, timeout: float, *, cache: bool) -> str:
    """Return the run settings as canonical JSON text."""
    settings = {
        "cache": cache,
        "parallel": parallel,
        "timeout_seconds": shortest(Decimal(str(timeout))),
    }
    return canonical.encode(settings).decode()


class Chain(NamedTuple):
    """Where a session stands among those of its store."""

    seq: int
    prev: tuple[StatementId, ...]


class Asked(NamedTuple):
    """What was run against what."""

    name: str
    spec: SpecId
    plan: PlanId
    target: TargetId


class Story(NamedTuple):
    """How a session came about."""

    environment: Environment
    invocation: str
    settings: str
    sources: tuple[Source, ...]
    start: str
    end: str
    continues: StatementId | UnsetType


def session_of(
    asked: Asked,
    story: Story,
    chain: Chain,
    *,
    results: Sequence[TableId],
    rows: Sequence[Row],
    counts: Counts,
    falsifiability: str,
) -> Session:
    """Return the session record."""
    verdicts = [row.summary.verdict for row in rows if row.summary is not UNSET]
    return Session(
        producer="run",
        name=asked.name,
        plan=asked.plan,
        target=asked.target,
        results=tuple(results),
        verdict=session_verdict(verdicts),
        totals=totals_of(counts, verdicts),
        falsifiability=falsifiability,
        environment=story.environment,
        invocation=story.invocation,
        settings=story.settings,
        sources=story.sources,
        start=story.start,
        end=story.end,
        complete=counts.missing == 0,
        seq=chain.seq,
        prev=chain.prev,
        continues=story.continues,
    )


def statement_of(
    session: Session,
    root: SessionId,
    *,
    store: str,
    spec: SpecId,
    rows: Sequence[Row],
    inventory: bytes,
    merkle_root: str,
    objects: Mapping[str, int],
) -> SessionStatement:
    """Return the statement that is signed.

    Args:
        session: The session record.
        root: Its id.
        store: The store's own id.
        spec: The spec behind the plan.
        rows: The results, sorted by case id.
        inventory: The inventory's bytes.
        merkle_root: RFC 6962 root over its lines.
        objects: How many objects of each kind it lists.
    """
    few = len(rows) <= MAX_ROWS
    predicate = SessionPredicate(
        root=root,
        store=store,
        seq=session.seq,
        prev=session.prev,
        producer=session.producer,
        name=session.name,
        spec=spec,
        plan=session.plan,
        target=session.target,
        verdict=session.verdict,
        falsifiability=session.falsifiability,
        complete=session.complete,
        start=session.start,
        end=session.end,
        tool=session.environment.tool,
        environment=sha256_hex(canonical.encode_record(session.environment)),
        invocation=session.invocation,
        objects=tuple(KindCount(kind=kind, count=objects[kind]) for kind in sorted(objects)),
        merkle_root=merkle_root,
        cases=tuple(rows) if few else UNSET,
        tables=UNSET if few else session.results,
        continues=session.continues,
    )
    subject = Subject(name="inventory", digest=Sha256(sha256=sha256_hex(inventory)))
    return SessionStatement(type_=STATEMENT_TYPE, subject=(subject,), predicate=predicate)
