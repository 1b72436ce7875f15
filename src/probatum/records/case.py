"""The noun `case`: one input, how to perturb it, and what must hold."""

from typing import Annotated, Literal

from msgspec import Meta

from probatum.records.base import UNSET, Count, InvariantId, Record, UnsetType, Value
from probatum.records.inputs import Input

Ratio = Annotated[str, Meta(pattern=r"\A(0|1|0\.[0-9]{0,17}[1-9])\Z")]
"""A proportion in [0, 1] as its shortest decimal, such as ``0.95``."""


class Declaration(Value, frozen=True, kw_only=True):
    """A perturbation family asked for by a case.

    Attributes:
        id: Unique within the case; feeds the seeds.
        version: Version of the family's meaning.
        count: Distinct perturbations asked for; for an exhaustive family
            the number of its members.
        params: Canonical JSON text of the parameters without the count,
            defaults filled in; feeds the seeds.
    """

    id: str
    family: str
    version: Count
    count: Count
    params: str


class Rule(Value, frozen=True, kw_only=True):
    """An invariant in the role it has for a case.

    ``check`` invariants decide whether a run passes; ``expected`` ones say
    what is known to be right and only tell wrong from fragile.
    """

    invariant: InvariantId
    role: Literal["check", "expected"]


class Claim(Value, frozen=True, kw_only=True):
    """A bound that the author wants shown, at a one-sided confidence."""

    stability: Ratio
    confidence: Ratio


class Policy(Value, frozen=True, kw_only=True):
    """The thresholds of the verdict table."""

    stable_threshold: Ratio
    min_perturbations: Count
    claim: Claim | UnsetType = UNSET


class FieldPolicy(Value, frozen=True, kw_only=True):
    """Who may fill a field of a structured answer."""

    field: str
    policy: Literal["locked", "model_allowed"]


class Case(Record, frozen=True, kw_only=True, tag="case"):
    """One input under test."""

    id: str
    tags: tuple[str, ...]
    input: Input
    policy: Policy
    perturbations: tuple[Declaration, ...]
    invariants: tuple[Rule, ...]
    field_policies: tuple[FieldPolicy, ...] | UnsetType = UNSET
