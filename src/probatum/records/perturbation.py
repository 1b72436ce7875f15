"""The noun `perturbation`: an input that was changed on purpose, and how."""

from typing import Literal

from probatum.records.base import UNSET, Count, Record, UnsetType, Value
from probatum.records.inputs import Input

Operation = Literal["insert", "delete", "replace", "swap"]


class Edit(Value, frozen=True, kw_only=True):
    """One change of one message.

    Edits of a message are sorted by `at`, do not overlap, and are positions
    in the original text; applying them from the last to the first gives the
    perturbed text.

    Attributes:
        message: Index of the message.
        at: Offset in code points of the original text where `old` stands.
        old: Text taken away; empty for an insertion.
        new: Text put in its place; empty for a deletion.
    """

    message: Count
    at: Count
    op: Operation
    old: str
    new: str


class Validity(Value, frozen=True, kw_only=True):
    """Why a model-made candidate was let through."""

    method: str
    score: str


class Perturbation(Record, frozen=True, kw_only=True, tag="perturbation"):
    """One perturbed input.

    Attributes:
        method: The variant of the family that made it, such as ``upper``.
        params: As in the declaration, without the count.
    """

    family: str
    version: Count
    method: str
    params: str
    declaration: str
    index: Count
    original: Input
    edits: tuple[Edit, ...]
    perturbed: Input
    validity: Validity | UnsetType = UNSET
