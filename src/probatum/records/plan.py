"""The nouns `plan` and `plan-case`: every input that will be tried, before any is."""

from probatum.records.base import (
    UNSET,
    CaseId,
    Count,
    Int,
    PerturbationId,
    Record,
    SpecId,
    TableId,
    UnsetType,
    Value,
)


class Planned(Value, frozen=True, kw_only=True):
    """One perturbation, by its place in the case's declarations."""

    declaration: str
    index: Count
    perturbation: PerturbationId


class Accounting(Value, frozen=True, kw_only=True):
    """What became of the perturbations that a declaration asked for.

    ``requested`` = planned + ``no_op`` + ``duplicate`` + ``invalid``, unless
    the family does not apply.

    Attributes:
        no_op: Samples that left the input unchanged in every attempt.
        duplicate: Samples that came to nothing because an attempt repeated an
            earlier one, and those that repeat what an earlier declaration of
            the same family made.
        invalid: Samples refused by a validity gate.
        possible: Set for an exhaustive family: how many distinct members it
            has on this input.
        not_applicable: Why the family cannot apply here, as a code.
    """

    declaration: str
    family: str
    requested: Count
    no_op: Count
    duplicate: Count
    invalid: Count
    possible: Count | UnsetType = UNSET
    not_applicable: str | UnsetType = UNSET


class PlanCase(Record, frozen=True, kw_only=True, tag="plan-case"):
    """The perturbations of one case, in order of declaration and index."""

    case: CaseId
    perturbations: tuple[Planned, ...]
    accounting: tuple[Accounting, ...]


class Plan(Record, frozen=True, kw_only=True, tag="plan"):
    """A spec with a seed, unrolled.

    Attributes:
        beacon: A time token over the spec, mixed into the seeds.
        cases: Tables of ``plan-case`` ids.
    """

    spec: SpecId
    seed: Int
    cases: tuple[TableId, ...]
    beacon: str | UnsetType = UNSET
