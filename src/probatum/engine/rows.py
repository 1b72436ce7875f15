"""The rows of a run: which there must be, and how one is noted in the journal."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from probatum.errors import IntegrityError
from probatum.records.base import (
    UNSET,
    OutputId,
    PerturbationId,
    PlanId,
    StatementId,
    TargetId,
    UnsetType,
)
from probatum.records.executions import Execution
from probatum.records.plan import PlanCase
from probatum.records.trials import Arm, Failure


class Place(NamedTuple):
    """A row's place among the rows of its case.

    Attributes:
        declaration: Empty outside the perturbation arm.
        number: Index of the control run or the perturbation; 0 for the baseline.
    """

    arm: Arm
    declaration: str
    number: int
    repeat: int


class Slot(NamedTuple):
    """A row that there must be."""

    place: Place
    perturbation: PerturbationId | UnsetType


def slots_of(plan_case: PlanCase, repeats: int, control: int) -> list[Slot]:
    """Return the rows of a case: baseline, controls, then the plan's perturbations."""
    slots = [Slot(Place("baseline", "", 0, repeat), UNSET) for repeat in range(repeats)]
    for index in range(control):
        slots += [Slot(Place("control", "", index, repeat), UNSET) for repeat in range(repeats)]
    for planned in plan_case.perturbations:
        for repeat in range(repeats):
            place = Place("perturbation", planned.declaration, planned.index, repeat)
            slots.append(Slot(place, planned.perturbation))
    return slots


class Made(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A row that was made: an output or a failure, and how it came about."""

    case: str
    arm: Arm
    declaration: str
    index: int
    repeat: int
    output: OutputId | None
    failure: Failure | None
    execution: Execution

    @property
    def place(self) -> Place:
        """Where the row belongs."""
        return Place(self.arm, self.declaration, self.index, self.repeat)


class Opened(msgspec.Struct, frozen=True, tag="opened", tag_field="note"):
    """All inputs are made and the system is known: rows follow."""

    plan: PlanId
    target: TargetId


class Rows(msgspec.Struct, frozen=True, tag="rows", tag_field="note"):
    """Some rows were made."""

    rows: tuple[Made, ...]


class Sealing(msgspec.Struct, frozen=True, tag="sealing", tag_field="note"):
    """The statement is made; what remains is to seal, sign and publish."""

    statement: StatementId


Note = Opened | Rows | Sealing

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Note)


def spell(note: Note) -> bytes:
    """Return a note as the journal keeps it."""
    return _encoder.encode(note)


def read(notes: Iterator[bytes] | list[bytes]) -> Iterator[Note]:
    """Read the notes of a journal.

    Raises:
        IntegrityError: If one is not a note of this release.
    """
    for data in notes:
        try:
            yield _decoder.decode(data)
        except msgspec.DecodeError as error:
            raise IntegrityError(f"a journal note is damaged: {error}", code="bad-note") from None
