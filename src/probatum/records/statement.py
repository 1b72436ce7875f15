"""The noun `statement`: what a signature is made over (in-toto Statement v1)."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from probatum.records.base import (
    UNSET,
    Count,
    PlanId,
    SessionId,
    SpecId,
    StatementId,
    TableId,
    TargetId,
    UnsetType,
    Value,
)
from probatum.records.session import Sequence40, Timestamp
from probatum.records.table import Row

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"

Hex64 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]


class Sha256(Value, frozen=True, kw_only=True):
    """The only digest a subject may carry."""

    sha256: Hex64


class Subject(Value, frozen=True, kw_only=True):
    """The one thing that a statement is about.

    Attributes:
        name: ``inventory`` for a session.
    """

    name: str
    digest: Sha256


class KindCount(Value, frozen=True, kw_only=True):
    """How many objects of a kind the closure holds."""

    kind: str
    count: Count


class SessionPredicate(Value, frozen=True, kw_only=True):
    """What is vouched for beside the inventory.

    Up to 1,000 cases stand in `cases`; above that `tables` names the results
    tables, and a manifest file carries them on further lines.

    Attributes:
        root: The session record, from which the closure is walked.
        store: The store in which the session was made; shown, not enforced.
        environment: SHA-256 of the canonical environment.
        merkle_root: RFC 6962 root over the inventory's lines, which lets a
            single object be disclosed.
    """

    root: SessionId
    store: str
    seq: Sequence40
    prev: tuple[StatementId, ...]
    producer: str
    name: str
    spec: SpecId
    plan: PlanId
    target: TargetId
    verdict: str
    falsifiability: str
    complete: bool
    start: Timestamp
    end: Timestamp
    tool: str
    environment: Hex64
    invocation: str
    objects: tuple[KindCount, ...]
    merkle_root: Hex64
    cases: tuple[Row, ...] | UnsetType = UNSET
    tables: tuple[TableId, ...] | UnsetType = UNSET
    continues: StatementId | UnsetType = UNSET


class RemovalPredicate(Value, frozen=True, kw_only=True):
    """A session was taken out of the store, on purpose."""

    removes: StatementId
    seq: Sequence40
    store: str
    reason: str
    time: Timestamp


class SessionStatement(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="predicateType",
    tag="urn:probatum:attestation:session:v1",
    gc=False,
):
    """A statement about one session."""

    type_: Literal["https://in-toto.io/Statement/v1"] = msgspec.field(name="_type")
    subject: tuple[Subject]
    predicate: SessionPredicate


class RemovalStatement(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="predicateType",
    tag="urn:probatum:attestation:removal:v1",
    gc=False,
):
    """A statement that a session was removed; its subject is that statement."""

    type_: Literal["https://in-toto.io/Statement/v1"] = msgspec.field(name="_type")
    subject: tuple[Subject]
    predicate: RemovalPredicate


Statement = SessionStatement | RemovalStatement
