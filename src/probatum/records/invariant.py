"""The noun `invariant`: a rule that every answer must keep."""

from typing import Literal

from probatum.records.base import UNSET, BlobId, Count, Record, UnsetType

Severity = Literal["critical", "high", "medium", "low"]


class Invariant(Record, frozen=True, kw_only=True, tag="invariant"):
    """A named rule with its parameters; equal rules share one id.

    Attributes:
        name: The rule, such as ``contains``.
        version: Version of the rule's meaning.
        params: Canonical JSON text of the parameters, defaults filled in.
        normalize: Steps applied to text before matching, in order.
        document: A schema or rubric that the rule needs, as a blob.
    """

    name: str
    version: Count
    params: str
    severity: Severity
    normalize: tuple[str, ...]
    document: BlobId | UnsetType = UNSET
