"""Making the whole plan, and keeping its inputs within reach without keeping them all."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final, NamedTuple

from probatum.digest import short
from probatum.engine.judge import contribution_of
from probatum.engine.log import Log
from probatum.engine.materialize import Materializer, Unrolled
from probatum.errors import IntegrityError
from probatum.plugins.protocols import Catalogue
from probatum.records import table
from probatum.records.base import BlobId, InvariantId, PerturbationId, PlanId, TableId
from probatum.records.inputs import Input
from probatum.records.perturbation import Perturbation
from probatum.records.plan import Plan, PlanCase
from probatum.records.table import PLAN_CASES, Row
from probatum.spec.compiled import Compiled, CompiledCase
from probatum.verdicts import case_declared, mean_declared

_AT_HAND: Final = 4_000_000
"""Code points of perturbed text kept in memory; the rest is read back."""


class Inputs:
    """The perturbed inputs, some in memory, all in the log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._kept: dict[PerturbationId, Input] = {}
        self._room = _AT_HAND

    def keep(self, unrolled: Unrolled) -> None:
        """Keep a case's inputs at hand while there is room."""
        for planned, value in zip(unrolled.plan_case.perturbations, unrolled.inputs, strict=True):
            size = sum([len(message.content) for message in value.messages])
            if size > self._room:
                return
            self._room -= size
            self._kept[planned.perturbation] = value

    def get(self, name: PerturbationId) -> Input:
        """Return an input.

        Raises:
            IntegrityError: If the log has something else under this name.
        """
        found = self._kept.get(name)
        if found is not None:
            return found
        record = self._log.record(name)
        if not isinstance(record, Perturbation):
            raise IntegrityError(f"{short(name)} is not a perturbation", code="wrong-kind")
        return record.perturbed


class Planned(NamedTuple):
    """A plan that is wholly stored.

    Attributes:
        cases: Parallel to the compiled cases.
        inputs: Every perturbed input, by the id of its perturbation.
        falsifiability: Declared, four decimals.
    """

    id: PlanId
    cases: tuple[PlanCase, ...]
    inputs: Inputs
    falsifiability: str


def unroll(
    compiled: Compiled, registry: Catalogue, log: Log, stopping: Callable[[], bool]
) -> Planned | None:
    """Store the spec and everything under it, then the plan.

    Returns:
        Nothing if `stopping` said so between two cases.
    """
    _store_spec(compiled, log)
    stored: set[InvariantId] = set()
    materializer = Materializer(registry, log.put_record, seed=compiled.seed)
    weights = _Weights(registry, compiled.documents)
    inputs = Inputs(log)
    cases: list[PlanCase] = []
    rows: list[Row] = []
    shares: list[Fraction] = []
    for item in compiled.cases:
        if stopping():
            return None
        _store_case(item, log, stored)
        unrolled = materializer.unroll(item.id, item.case, item.invariants)
        inputs.keep(unrolled)
        cases.append(unrolled.plan_case)
        rows.append(Row(case=item.case.id, ids=(log.put_record(unrolled.plan_case),)))
        shares.append(weights.of(item))
    tables = table.build(PLAN_CASES, rows)
    plan = Plan(
        spec=compiled.spec_id,
        seed=compiled.seed,
        cases=tuple([TableId(log.put_record(item)) for item in tables]),
    )
    plan_id = PlanId(log.put_record(plan))
    return Planned(plan_id, tuple(cases), inputs, mean_declared(shares))


def _store_spec(compiled: Compiled, log: Log) -> None:
    log.put_record(compiled.spec)
    for item in compiled.tables:
        log.put_record(item)
    for data in compiled.documents.values():
        log.put("blob", data)


def _store_case(item: CompiledCase, log: Log, stored: set[InvariantId]) -> None:
    """Store a case and those of its invariants that no other case had."""
    log.put_record(item.case)
    for named, invariant in zip(item.case.invariants, item.invariants, strict=True):
        if named.invariant not in stored:
            stored.add(named.invariant)
            log.put_record(invariant)


class _Weights:
    """Declared falsifiability of cases."""

    def __init__(self, registry: Catalogue, documents: Mapping[BlobId, bytes]) -> None:
        self._registry = registry
        self._documents = documents
        self._known: dict[tuple[InvariantId, ...], Fraction] = {}

    def of(self, item: CompiledCase) -> Fraction:
        """Return the weight of a case; the same checks always have the same."""
        pairs = zip(item.case.invariants, item.invariants, strict=True)
        checks = [(named.invariant, check) for named, check in pairs if named.role == "check"]
        key = tuple([name for name, _ in checks])
        found = self._known.get(key)
        if found is None:
            read = self._documents.__getitem__
            found = self._known[key] = case_declared(
                [contribution_of(check, self._registry, read) for _, check in checks]
            )
        return found
