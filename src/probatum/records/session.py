"""The noun `session`: one plan, run against one target, with its results."""

from typing import Annotated, Final, Literal

from msgspec import Meta

from probatum.records.base import (
    UNSET,
    BlobId,
    Count,
    PlanId,
    Record,
    StatementId,
    TableId,
    TargetId,
    UnsetType,
    Value,
)

Producer = Literal["run", "gate", "traces", "adopt"]
Timestamp = Annotated[str, Meta(pattern=r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")]
MAX_SEQ: Final = 2**40
Sequence40 = Annotated[int, Meta(ge=1, le=MAX_SEQ)]


class Source(Value, frozen=True, kw_only=True):
    """An authored file, byte for byte.

    Attributes:
        path: As the user gave it, with forward slashes; never opened again.
    """

    path: str
    content: BlobId


class Environment(Value, frozen=True, kw_only=True):
    """Where the session ran.

    Attributes:
        packages: Names and versions of what can change a result, sorted.
    """

    tool: str
    python: str
    implementation: str
    os: str
    machine: str
    packages: tuple[tuple[str, str], ...]


class Totals(Value, frozen=True, kw_only=True):
    """How much the session holds.

    Attributes:
        missing: Runs that were planned and have no row.
        reused: Rows observed in another session.
    """

    cases: Count
    runs: Count
    failed_runs: Count
    missing: Count
    reused: Count
    stable: Count
    fragile: Count
    consistently_wrong: Count
    insufficient: Count
    invalid_eval: Count


class Session(Record, frozen=True, kw_only=True, tag="session"):
    """The root of a session's closure.

    Attributes:
        name: The spec's name.
        results: Tables of ``verdict`` and ``executions`` ids.
        verdict: The worst verdict class over the cases.
        falsifiability: Declared falsifiability, four decimals.
        invocation: Canonical JSON text of the options, credentials taken out.
        settings: Canonical JSON text of the run settings.
        start: Claimed, by the runner's clock.
        seq: One more than the greatest of `prev`; 1 for the first.
        prev: The store's heads when this session was sealed.
        continues: An incomplete session whose rows this one completes.
    """

    producer: Producer
    name: str
    plan: PlanId
    target: TargetId
    results: tuple[TableId, ...]
    verdict: str
    totals: Totals
    falsifiability: str
    environment: Environment
    invocation: str
    settings: str
    sources: tuple[Source, ...]
    start: Timestamp
    end: Timestamp
    complete: bool
    seq: Sequence40
    prev: tuple[StatementId, ...]
    continues: StatementId | UnsetType = UNSET
