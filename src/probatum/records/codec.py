"""From bytes to records and back, strictly, for every kind there is."""

from typing import Any, Final

import msgspec

from probatum import canonical
from probatum.digest import Digest, object_id
from probatum.errors import IntegrityError, LimitError
from probatum.records.case import Case
from probatum.records.executions import Executions
from probatum.records.invariant import Invariant
from probatum.records.judgment import Judgment
from probatum.records.output import Output
from probatum.records.perturbation import Perturbation
from probatum.records.plan import Plan, PlanCase
from probatum.records.session import Session
from probatum.records.spec import Spec
from probatum.records.statement import RemovalStatement, SessionStatement, Statement
from probatum.records.table import Table
from probatum.records.target import Target
from probatum.records.trials import Trials
from probatum.records.verdict import Verdict

MAX_SIZE: Final = 16 * 1024 * 1024
"""Largest payload of any object, in bytes."""

AnyRecord = (
    Spec
    | Case
    | Invariant
    | Plan
    | PlanCase
    | Perturbation
    | Output
    | Judgment
    | Trials
    | Verdict
    | Table
    | Target
    | Executions
    | Session
    | SessionStatement
    | RemovalStatement
)

RECORDS: Final[dict[str, Any]] = {
    "spec": Spec,
    "case": Case,
    "invariant": Invariant,
    "plan": Plan,
    "plan-case": PlanCase,
    "perturbation": Perturbation,
    "output": Output,
    "judgment": Judgment,
    "trials": Trials,
    "verdict": Verdict,
    "table": Table,
    "target": Target,
    "executions": Executions,
    "session": Session,
    "statement": Statement,
}
"""Every kind that holds a record; ``blob`` holds raw bytes."""

_KIND_OF: Final[dict[type, str]] = {
    kind_type: kind for kind, kind_type in RECORDS.items() if kind != "statement"
} | {SessionStatement: "statement", RemovalStatement: "statement"}

_decoders: dict[str, msgspec.json.Decoder[Any]] = {}


def kind_of(record: AnyRecord) -> str:
    """Return the kind under which a record is stored."""
    return _KIND_OF[type(record)]


def encode(record: AnyRecord) -> bytes:
    """Return a record's canonical payload.

    Raises:
        LimitError: If it is larger than 16 MiB.
        CanonicalError: If a string holds a lone surrogate.
    """
    payload = canonical.encode_record(record)
    if len(payload) > MAX_SIZE:
        raise LimitError(f"a {kind_of(record)} of {len(payload)} bytes is over the 16 MiB limit")
    return payload


def identify(record: AnyRecord) -> Digest:
    """Return the id that a record has once stored."""
    return object_id(kind_of(record), encode(record))


def decode(kind: str, payload: bytes) -> AnyRecord:
    """Return the record that a payload spells.

    Raises:
        IntegrityError: ``unknown-kind``, ``bad-record`` or ``non-canonical``.
    """
    decoder = _decoders.get(kind)
    if decoder is None:
        if kind not in RECORDS:
            raise IntegrityError(f"no record of kind {kind!r} is known", code="unknown-kind")
        decoder = _decoders[kind] = msgspec.json.Decoder(RECORDS[kind])
    record: AnyRecord = canonical.decode_record(payload, decoder)
    return record
