"""What points to what: the edges of the object graph.

A *strong* edge belongs to a session's closure: verification follows it and a
bundle carries what it names. A *weak* edge names something that need not be
here.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, NamedTuple

from probatum.digest import Digest
from probatum.records.base import UNSET
from probatum.records.case import Case
from probatum.records.codec import AnyRecord
from probatum.records.executions import Executions
from probatum.records.inputs import blobs_of
from probatum.records.invariant import Invariant
from probatum.records.judgment import Judgment
from probatum.records.output import Output
from probatum.records.perturbation import Perturbation
from probatum.records.plan import Plan, PlanCase
from probatum.records.session import Session
from probatum.records.spec import Spec
from probatum.records.statement import RemovalStatement, SessionStatement
from probatum.records.table import Table
from probatum.records.trials import Trials
from probatum.records.verdict import Verdict


class Edge(NamedTuple):
    """A reference from one object to another."""

    kind: str
    id: Digest


# Past the named tuple's own constructor: nearly all edges of a session are made by it.
_edge: Final[Callable[[tuple[str, Digest]], Edge]] = partial(tuple.__new__, Edge)


def strong_edges(record: AnyRecord) -> list[Edge]:
    """Return what must be present for `record` to be whole, in field order."""
    finder = _STRONG.get(type(record))
    return [] if finder is None else list(finder(record))


def strong_ids(record: AnyRecord) -> Iterable[Digest]:
    """Return the ids of `strong_edges` in no set order, each at least once.

    Nearly all edges of a session are those of plan cases and trials, which
    are had here at a fraction of the time.
    """
    if isinstance(record, PlanCase):
        return [record.case, *[item.perturbation for item in record.perturbations]]
    if isinstance(record, Trials):
        rows = record.rows
        found: set[Digest] = {row.perturbation for row in rows if row.perturbation is not UNSET}
        found.update([row.output for row in rows if row.output is not UNSET])
        return found.union(*{row.judgments for row in rows})
    return [edge.id for edge in strong_edges(record)]


def weak_edges(record: AnyRecord) -> list[Edge]:
    """Return what `record` names without needing it."""
    if isinstance(record, Session):
        named = [Edge("statement", prev) for prev in record.prev]
        if record.continues is not UNSET:
            named.append(Edge("statement", record.continues))
        return named
    if isinstance(record, Executions):
        return [
            Edge("statement", row.reused_from)
            for row in record.rows
            if row.reused_from is not UNSET
        ]
    if isinstance(record, RemovalStatement):
        return [Edge("statement", record.predicate.removes)]
    return []


def _spec(record: Spec) -> Iterable[Edge]:
    return [Edge("table", table) for table in record.cases]


def _case(record: Case) -> Iterable[Edge]:
    yield from (Edge("invariant", rule.invariant) for rule in record.invariants)
    yield from (Edge("blob", blob) for blob in blobs_of(record.input))


def _invariant(record: Invariant) -> Iterable[Edge]:
    return [] if record.document is UNSET else [Edge("blob", record.document)]


def _plan(record: Plan) -> Iterable[Edge]:
    yield Edge("spec", record.spec)
    yield from (Edge("table", table) for table in record.cases)


def _plan_case(record: PlanCase) -> Iterable[Edge]:
    yield Edge("case", record.case)
    yield from [_edge(("perturbation", item.perturbation)) for item in record.perturbations]


def _perturbation(record: Perturbation) -> Iterable[Edge]:
    return [
        Edge("blob", blob)
        for side in (record.original, record.perturbed)
        for blob in blobs_of(side)
    ]


def _output(record: Output) -> Iterable[Edge]:
    return [] if record.blob is UNSET else [Edge("blob", record.blob)]


def _judgment(record: Judgment) -> Iterable[Edge]:
    yield Edge("invariant", record.invariant)
    yield Edge("output", record.subject)
    if record.baseline is not UNSET:
        yield Edge("output", record.baseline)


def _trials(record: Trials) -> Iterable[Edge]:
    for row in record.rows:
        if row.perturbation is not UNSET:
            yield _edge(("perturbation", row.perturbation))
        if row.output is not UNSET:
            yield _edge(("output", row.output))
        for judgment in row.judgments:
            yield _edge(("judgment", judgment))


def _verdict(record: Verdict) -> Iterable[Edge]:
    return [Edge("case", record.case), Edge("trials", record.trials)]


def _executions(record: Executions) -> Iterable[Edge]:
    return [Edge("trials", record.trials)]


def _table(record: Table) -> Iterable[Edge]:
    for row in record.rows:
        for kind, target in zip(record.kinds, row.ids, strict=False):
            yield Edge(kind, target)


def _session(record: Session) -> Iterable[Edge]:
    yield Edge("plan", record.plan)
    yield Edge("target", record.target)
    yield from (Edge("table", table) for table in record.results)
    yield from (Edge("blob", source.content) for source in record.sources)


def _session_statement(record: SessionStatement) -> Iterable[Edge]:
    return [Edge("session", record.predicate.root)]


_STRONG: Final[dict[type, Callable[[Any], Iterable[Edge]]]] = {
    Spec: _spec,
    Case: _case,
    Invariant: _invariant,
    Plan: _plan,
    PlanCase: _plan_case,
    Perturbation: _perturbation,
    Output: _output,
    Judgment: _judgment,
    Trials: _trials,
    Verdict: _verdict,
    Executions: _executions,
    Table: _table,
    Session: _session,
    SessionStatement: _session_statement,
}
