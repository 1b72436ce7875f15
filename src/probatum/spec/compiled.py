"""What a compiled spec holds: records, and what only a run needs beside them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from probatum.records.base import BlobId, CaseId, InvariantId, SpecId
from probatum.records.case import Case
from probatum.records.invariant import Invariant
from probatum.records.spec import Spec
from probatum.records.table import Table


class CompiledCase(NamedTuple):
    """A case with its id and the invariants that it names.

    Attributes:
        invariants: Parallel to ``case.invariants``.
    """

    id: CaseId
    case: Case
    invariants: tuple[Invariant, ...]


class ModelSection(NamedTuple):
    """The system under test, as authored.

    Attributes:
        name: Such as ``faq.py:answer``.
        options: The provider's own keys that were written.
        params: Sampling parameters that were written: ``int`` or ``Decimal``.
        timeout: Seconds that one call may take.
    """

    provider: str
    name: str
    options: Mapping[str, Any]
    params: Mapping[str, Any]
    timeout: float


class RunSettings(NamedTuple):
    """How a run is carried out; never part of any id."""

    parallel: int
    cache: bool


class Compiled(NamedTuple):
    """A spec, ready to be materialized.

    Attributes:
        tables: The tables that ``spec.cases`` names.
        cases: Sorted by the authored case id.
        invariants: Every invariant that a case names.
        documents: Schemas and files that records name as blobs.
        sources: The spec itself, then the files it names: path as given with
            forward slashes, and bytes.
        warnings: One line each, with file, line and column.
    """

    spec: Spec
    spec_id: SpecId
    tables: tuple[Table, ...]
    cases: tuple[CompiledCase, ...]
    invariants: Mapping[InvariantId, Invariant]
    documents: Mapping[BlobId, bytes]
    seed: int
    model: ModelSection
    settings: RunSettings
    sources: tuple[tuple[str, bytes], ...]
    warnings: tuple[str, ...]
