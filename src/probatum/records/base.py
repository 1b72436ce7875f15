"""What every stored record has in common, and the value types they share.

Records are frozen msgspec structs. Each carries its ``kind`` as tag and the
version ``v`` of its shape. No stored field has a default: a field that a
later release adds is ``UNSET`` in older records, or the record gets a new
``v``. Lists are tuples; there are no floats and no nulls. A reference is a
plain string typed by the kind it expects (``CaseId``, ``OutputId``, …), which
costs nothing to decode; whoever follows it checks the kind.
"""

from typing import Annotated, Literal, NewType

import msgspec
from msgspec import UNSET, Meta, UnsetType

from probatum.canonical import MAX_INT
from probatum.digest import Digest

__all__ = [
    "UNSET",
    "BlobId",
    "CaseId",
    "Count",
    "Decimal4",
    "ExecutionsId",
    "Int",
    "InvariantId",
    "JudgmentId",
    "OutputId",
    "PerturbationId",
    "PlanCaseId",
    "PlanId",
    "Record",
    "SessionId",
    "SpecId",
    "StatementId",
    "TableId",
    "TargetId",
    "TrialsId",
    "UnsetType",
    "Value",
    "VerdictId",
    "Version",
]

BlobId = NewType("BlobId", Digest)
SpecId = NewType("SpecId", Digest)
CaseId = NewType("CaseId", Digest)
InvariantId = NewType("InvariantId", Digest)
PlanId = NewType("PlanId", Digest)
PlanCaseId = NewType("PlanCaseId", Digest)
PerturbationId = NewType("PerturbationId", Digest)
OutputId = NewType("OutputId", Digest)
JudgmentId = NewType("JudgmentId", Digest)
TrialsId = NewType("TrialsId", Digest)
VerdictId = NewType("VerdictId", Digest)
TableId = NewType("TableId", Digest)
TargetId = NewType("TargetId", Digest)
ExecutionsId = NewType("ExecutionsId", Digest)
SessionId = NewType("SessionId", Digest)
StatementId = NewType("StatementId", Digest)

Int = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]
Count = Annotated[int, Meta(ge=0, le=MAX_INT)]
Version = Literal[1]

Decimal4 = Annotated[str, Meta(pattern=r"\A(0\.\d{4}|1\.0000)\Z")]
"""A proportion in [0, 1] with four decimals, such as ``0.3684``."""


class Value(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Base of values that are embedded in records and have no id of their own."""


class Record(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="kind",
    gc=False,
):
    """Base of everything that is stored under an id of its own."""

    v: Version = 1
