"""The noun `spec`: what was asked, whatever model answers and however it is run."""

from typing import Annotated, Literal

from msgspec import Meta

from probatum.records.base import Count, Record, TableId


class Spec(Record, frozen=True, kw_only=True, tag="spec"):
    """A set of cases under one name.

    Holds no model, no source text and no run setting, so that the same cases
    under another model are the same spec.

    Attributes:
        format: The authored format that gave these cases their meaning.
        control: Control runs a case, beside its baseline.
        repeats: Runs of every arm.
        cases: Tables of ``case`` ids.
    """

    name: str
    format: Literal["falsify/1.0", "probatum/1", "suite"]
    control: Count
    repeats: Annotated[int, Meta(ge=1, le=1_000_000)]
    cases: tuple[TableId, ...]
