"""The noun `trials`: every run of one case, in order, without times."""

from typing import Literal

from probatum.records.base import (
    UNSET,
    Count,
    JudgmentId,
    OutputId,
    PerturbationId,
    Record,
    UnsetType,
    Value,
)

Arm = Literal["baseline", "control", "perturbation"]
Failure = Literal["raised", "timeout", "malformed", "exited", "too-large", "filtered"]


class Trial(Value, frozen=True, kw_only=True):
    """One run of the system.

    Exactly one of `output` and `failure` is set. `declaration`, `index` and
    `perturbation` are set for the perturbation arm; `index` alone tells
    control runs apart.

    Attributes:
        failure: How the system itself failed; judged by nothing.
        judgments: One for each invariant of the case, in the case's order;
            empty on failure.
    """

    arm: Arm
    repeat: Count
    judgments: tuple[JudgmentId, ...]
    declaration: str | UnsetType = UNSET
    index: Count | UnsetType = UNSET
    perturbation: PerturbationId | UnsetType = UNSET
    output: OutputId | UnsetType = UNSET
    failure: Failure | UnsetType = UNSET


class Trials(Record, frozen=True, kw_only=True, tag="trials"):
    """All runs of a case: baseline, controls, then the plan's perturbations."""

    rows: tuple[Trial, ...]
