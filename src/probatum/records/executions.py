"""The noun `executions`: when and at what cost the trials of a case were run."""

from probatum.records.base import (
    UNSET,
    Count,
    Record,
    StatementId,
    TrialsId,
    UnsetType,
    Value,
)


class Execution(Value, frozen=True, kw_only=True):
    """The circumstances of one trial.

    Attributes:
        start_us: Microseconds since the Unix epoch, by the runner's clock.
        latency_us: Microseconds until the answer.
        attempts: Calls made, the last included.
        cost_usd: A decimal; absent when the price is unknown.
        model: The model that the system says it used.
        reused_from: The session in which the answer was observed.
        error: What went wrong, in the system's own words, credentials
            taken out and cut to 2,000 characters.
    """

    start_us: Count
    latency_us: Count
    attempts: Count
    input_tokens: Count | UnsetType = UNSET
    output_tokens: Count | UnsetType = UNSET
    cost_usd: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    response_id: str | UnsetType = UNSET
    reused_from: StatementId | UnsetType = UNSET
    error: str | UnsetType = UNSET


class Executions(Record, frozen=True, kw_only=True, tag="executions"):
    """Rows parallel to those of the trials."""

    trials: TrialsId
    rows: tuple[Execution, ...]
