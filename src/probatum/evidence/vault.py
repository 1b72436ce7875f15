"""Reading a closure once, byte for byte, while noting everything that is wrong with it.

A `Vault` never raises for what it reads: bytes that are not what their id
says, records in another spelling, and objects that are missing or of another
kind become findings, and the caller gets ``None``. Whoever reads to show, not
to check, uses `fetch`, which raises instead.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from probatum import canonical
from probatum.digest import Digest, is_digest, short
from probatum.errors import IntegrityError, LimitError, NotFoundError
from probatum.evidence.findings import Finding, found
from probatum.records import codec
from probatum.records.codec import AnyRecord
from probatum.records.kinds import Edge, strong_edges

if TYPE_CHECKING:
    from probatum.store import Stored

_T = TypeVar("_T")

_KIND: Final = {noun: kind for kind, noun in codec.RECORDS.items() if kind != "statement"}

_WIDE: Final = frozenset({"session", "plan", "spec", "table", "statement"})
"""Kinds whose edges lead to all cases; they are followed once, after the cases."""

_CODES: Final = frozenset({"bad-record", "non-canonical", "unknown-kind", "bad-reference"})

KEPT: Final = 50_000
"""Decoded records kept at most; shared ones are then read and hashed again."""


class Objects(Protocol):
    """Where objects are read; a store is one."""

    def get(self, object_id: Digest, /) -> Stored:
        """Return an object whose bytes are what its id says.

        Raises:
            NotFoundError: If it is not there.
            IntegrityError: If it is damaged.
        """
        ...


class Counting:
    """Objects of another place, counted as they are read.

    Attributes:
        read: How many were read so far.
    """

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self.read = 0

    def get(self, object_id: Digest, /) -> Stored:
        """Return an object of the other place."""
        self.read += 1
        return self._objects.get(object_id)


def read_object(store: Objects, object_id: Digest) -> Stored:
    """Return an object that a record names.

    Raises:
        NotFoundError: If it is not there.
        IntegrityError: If what names it is no id, or it is damaged.
    """
    try:
        return store.get(object_id)
    except NotFoundError:
        if is_digest(object_id):
            raise
        message = f"not an object id: {object_id[:80]!r}"
        raise IntegrityError(message, code="bad-reference") from None


def fetch(store: Objects, object_id: Digest, noun: type[_T]) -> _T:
    """Return the record of the given type that is stored under an id.

    Raises:
        NotFoundError: If it is not there.
        IntegrityError: If its bytes, form or kind are not what they must be.
    """
    stored = read_object(store, object_id)
    if stored.kind != _KIND[noun]:
        raise IntegrityError(
            f"{short(object_id)} is a {stored.kind}, not a {_KIND[noun]}", code="wrong-kind"
        )
    record = codec.decode(stored.kind, stored.payload)
    assert isinstance(record, noun)
    return record


class Vault:
    """The verified contents of one closure.

    Attributes:
        findings: What was wrong, in the order of reading.
        sizes: Kind and payload size of every object that could be read.
        total_bytes: Payload bytes read, every object counted once.
    """

    def __init__(self, store: Objects) -> None:
        self._store = store
        self._kept: dict[Digest, AnyRecord] = {}
        self._broken: set[Digest] = set()
        self._misnamed: set[Edge] = set()
        self._spelled: set[tuple[Edge, str]] = set()
        self._wide: list[Edge] = []
        self._pending: list[tuple[Edge, Digest]] = []
        self.findings: list[Finding] = []
        self.sizes: dict[Digest, tuple[str, int]] = {}
        self.total_bytes = 0

    def record(self, object_id: Digest, noun: type[_T], referrer: Digest) -> _T | None:
        """Return a record, or none after noting why it cannot be had."""
        record = self._kept.get(object_id)
        if record is None:
            record = self._read(Edge(_KIND[noun], object_id), referrer)
        if isinstance(record, noun):
            return record
        if record is not None:
            self._wrong_kind(Edge(_KIND[noun], object_id), referrer)
        return None

    def check_text(self, object_id: Digest, kind: str, field: str, text: str) -> None:
        """Note a text inside a record that must be canonical JSON and is not."""
        edge = Edge(kind, object_id)
        if (edge, field) in self._spelled:
            return
        self._spelled.add((edge, field))
        try:
            canonical.decode(text.encode())
        except IntegrityError as error:
            detail = f"its {field}: {error}"
            self.findings.append(found("non-canonical", detail, object=object_id, kind=kind))

    def drain(self) -> None:
        """Read what is reachable from the records of a case that were read so far."""
        pending = self._pending
        while pending:
            edge, referrer = pending.pop()
            self._follow(edge, referrer)
        if len(self._kept) > KEPT:
            self._kept.clear()

    def finish(self) -> None:
        """Read whatever is reachable and was not read yet."""
        self.drain()
        while self._wide:
            wide = self._wide.pop()
            record = self._kept.get(wide.id) or self._load(wide, wide.id)
            for edge in strong_edges(record) if record is not None else ():
                self._follow(edge, wide.id)
            self.drain()

    @property
    def broken(self) -> bool:
        """Whether anything could not be read, so that the closure is not known."""
        return bool(self._broken)

    def counts(self) -> Counter[str]:
        """Return how many objects of each kind were read."""
        return Counter(kind for kind, _ in self.sizes.values())

    def _follow(self, edge: Edge, referrer: Digest) -> None:
        seen = self.sizes.get(edge.id)
        if seen is None:
            self._read(edge, referrer)
        elif seen[0] != edge.kind:
            self._wrong_kind(edge, referrer)

    def _read(self, edge: Edge, referrer: Digest) -> AnyRecord | None:
        first = edge.id not in self.sizes
        record = self._load(edge, referrer)
        if record is not None and first:
            kind = self.sizes[edge.id][0]
            if kind in _WIDE:
                self._wide.append(Edge(kind, edge.id))
            else:
                edges = strong_edges(record)
                edges.reverse()
                self._pending.extend([(below, edge.id) for below in edges])
        return record

    def _load(self, edge: Edge, referrer: Digest) -> AnyRecord | None:
        """Read, hash, decode and keep an object."""
        if edge.id in self._broken:
            return None
        try:
            stored = read_object(self._store, edge.id)
            self._count(edge.id, stored.kind, len(stored.payload))
            if stored.kind != edge.kind:
                self._wrong_kind(edge, referrer)
            if stored.kind == "blob":
                return None
            record = codec.decode(stored.kind, stored.payload)
        except NotFoundError:
            self._break("object-missing", edge, f"named by {short(referrer)}")
            return None
        except (IntegrityError, LimitError) as error:
            finding = error.code if error.code in _CODES else "object-corrupt"
            self._break(finding, edge, str(error))
            return None
        self._kept[edge.id] = record
        return record

    def _count(self, object_id: Digest, kind: str, size: int) -> None:
        if object_id not in self.sizes:
            self.sizes[object_id] = (kind, size)
            self.total_bytes += size

    def _break(self, finding: str, edge: Edge, detail: str) -> None:
        self._broken.add(edge.id)
        self.findings.append(found(finding, detail, object=edge.id, kind=edge.kind))

    def _wrong_kind(self, edge: Edge, referrer: Digest) -> None:
        if edge in self._misnamed:
            return
        self._misnamed.add(edge)
        kind = self.sizes[edge.id][0]
        detail = f"{short(referrer)} names it as {edge.kind}; it is a {kind}"
        self.findings.append(found("wrong-kind", detail, object=edge.id, kind=edge.kind))
