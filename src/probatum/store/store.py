"""The one door to a store."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, overload

import msgspec

from probatum.digest import Digest, short
from probatum.errors import IntegrityError, NotFoundError
from probatum.records import codec
from probatum.records.base import StatementId
from probatum.records.codec import AnyRecord
from probatum.store import journal, layout, scan, signatures
from probatum.store.backend import Backend
from probatum.store.journal import Journal, JournalInfo
from probatum.store.memory import MemoryBackend
from probatum.store.objects import Objects, Stored
from probatum.store.refs import Head, Refs, Space
from probatum.store.scan import Finding, Item
from probatum.store.sessions import SessionHead, Sessions

_R = TypeVar("_R", bound=msgspec.Struct)


class Store:
    """Objects, journals, refs and signatures in one place.

    Made by `open` or `memory`. Reading never writes. Several processes may
    use one store at once.

    Attributes:
        id: 32 random hex digits, given when the store was made.
        path: Its folder; nothing for a store in memory.
    """

    def __init__(self, backend: Backend, store_id: str, path: Path | None) -> None:
        self.id = store_id
        self.path = path
        self._backend = backend
        self._objects = Objects(backend)
        self._refs = Refs(backend)
        self._sessions = Sessions(self._objects, self._refs, store_id)

    @classmethod
    def open(cls, path: Path, *, create: bool = False) -> Store:
        """Open the store at `path`; with `create`, make it if nothing is there.

        Raises:
            NotFoundError: ``no-store``.
            EnvironmentFault: If `path` is a file or holds something else, the
                machine refuses, or the format is newer (``newer-format``).
            IntegrityError: If ``store.json`` is damaged.
        """
        backend, store_id = layout.open_folder(Path(path), create=create)
        return cls(backend, store_id, Path(path))

    @classmethod
    def memory(cls) -> Store:
        """Return a new store that ends with the process."""
        return cls(MemoryBackend(), layout.new_id(), None)

    # Objects

    def get(self, name: Digest) -> Stored:
        """Return an object, hashed on this very read.

        Raises:
            NotFoundError: ``no-object``.
            IntegrityError: If no copy of it is whole.
        """
        return self._objects.get(name)

    @overload
    def record(self, name: Digest, kind: str) -> AnyRecord: ...
    @overload
    def record(self, name: Digest, kind: type[_R]) -> _R: ...
    def record(self, name: Digest, kind: str | type[_R]) -> AnyRecord | _R:
        """Return a record, strictly decoded, of the kind or class that is expected.

        Raises:
            NotFoundError: ``no-object``.
            IntegrityError: If it is damaged, not canonical, or something else
                (``wrong-kind``).
        """
        actual, payload = self._objects.get(name)
        record = codec.decode(actual, payload)
        if actual == kind or (not isinstance(kind, str) and isinstance(record, kind)):
            return record
        wanted = kind if isinstance(kind, str) else kind.__name__
        raise IntegrityError(f"{short(name)} is a {actual}, not a {wanted}", code="wrong-kind")

    def has(self, name: Digest) -> bool:
        """Tell whether a file of the store claims to hold an object; reads no object."""
        return self._objects.has(name)

    def put(self, kind: str, payload: bytes) -> Digest:
        """Keep one object durably, as a file of its own; see `start_journal` for many.

        Raises:
            LimitError: If it is larger than 16 MiB.
        """
        return self._objects.put(kind, payload)

    def put_record(self, record: AnyRecord) -> Digest:
        """Keep one record durably, as a file of its own."""
        return self._objects.put(codec.kind_of(record), codec.encode(record))

    def write_pack(self, objects: Iterable[tuple[str, bytes]]) -> Digest:
        """Keep many objects, given as kind and payload, durably in one pack; return its name."""
        return self._objects.write_pack(objects)

    def find(self, prefix: str) -> list[Digest]:
        """Return the ids of all objects that begin with 8 or more hex digits, ascending.

        Raises:
            UsageError: If `prefix` is nothing of the kind.
        """
        return self._objects.find(prefix)

    def find_one(self, prefix: str) -> Digest:
        """Return the only object whose id begins with `prefix`.

        Raises:
            NotFoundError: If there is none, or more than one.
            UsageError: If `prefix` is not 8 or more hex digits.
        """
        found = self._objects.find(prefix)
        if len(found) == 1:
            return found[0]
        if not found:
            raise NotFoundError(f"no object begins with {prefix!r}", code="no-object")
        raise NotFoundError(
            f"{len(found)} objects begin with {prefix!r}",
            candidates=found,
            code="ambiguous-name",
            hint="give more digits: " + ", ".join(name[: len(prefix) + 8] for name in found[:5]),
        )

    # Journals

    def start_journal(
        self, header: Mapping[str, Any], *, clock: Callable[[], float] = time.monotonic
    ) -> Journal:
        """Begin the journal of a session; `header` is canonical JSON and comes back on reopening.

        Args:
            header: What is needed to resume.
            clock: Seconds, for the interval between syncs alone.
        """
        name = os.urandom(12).hex()
        return journal.start(self._backend, self._objects, name, header, clock)

    def journals(self) -> list[JournalInfo]:
        """Return all journals: of sessions that run, and of sessions that were cut short."""
        return journal.listing(self._backend)

    def reopen_journal(self, name: str, *, clock: Callable[[], float] = time.monotonic) -> Journal:
        """Take over the journal of a session that was cut short.

        Raises:
            NotFoundError: ``no-journal``.
            ConflictError: ``journal-held`` if it is still being written.
            IntegrityError: ``journal-damaged``.
        """
        return journal.reopen(self._backend, self._objects, name, clock)

    # Sessions and names

    def sessions(self) -> list[StatementId]:
        """Return the sessions that are published and not removed, ``latest`` last.

        Those whose statement cannot be read come first: reading them says why.
        """
        return self._sessions.ids()

    def session_heads(self) -> list[SessionHead]:
        """Return what orders and chains the sessions, ``latest`` last.

        Raises:
            IntegrityError: If a statement cannot be read: no order is known.
        """
        return self._sessions.listed()

    def removals(self) -> frozenset[StatementId]:
        """Return the sessions that removals of this store name."""
        return self._sessions.removals()

    def published(self) -> list[StatementId]:
        """Return every published statement, removals and removed ones too, ascending."""
        return self._refs.statements()

    def is_published(self, statement: StatementId) -> bool:
        """Tell whether a statement has a ref."""
        return self._refs.is_published(statement)

    def publish_session(self, statement: StatementId) -> bool:
        """Give a stored statement, of a session or a removal, its ref; return whether it is new.

        This is the last step of every write: what the statement needs is
        durable before it.

        Raises:
            IntegrityError: If it is not in the store, or no such statement.
        """
        self._sessions.read(statement)
        return self._refs.publish(statement)

    def chain(self) -> tuple[int, tuple[StatementId, ...]]:
        """Return ``seq`` and ``prev`` for the session that is sealed next."""
        return self._sessions.chain()

    def resolve_name(self, text: str) -> StatementId:
        """Return the session that a person means; see `Sessions.resolve`.

        Raises:
            NotFoundError: ``unknown-name`` or ``ambiguous-name``, with candidates.
            ConflictError: ``two-heads``.
        """
        return self._sessions.resolve(text)

    def names(self, space: Space) -> list[str]:
        """Return all tags or baselines that lead somewhere, sorted."""
        return self._refs.names(space)

    def heads(self, space: Space, name: str) -> list[Head]:
        """Return the entries of a name that none replaces: one, unless two branches moved it."""
        return self._refs.heads(space, name)

    def target(self, space: Space, name: str) -> StatementId | None:
        """Return where a tag or baseline leads; nothing if it is unknown or deleted.

        Raises:
            ConflictError: ``two-heads``.
        """
        return self._refs.target(space, name)

    def move(self, space: Space, name: str, target: StatementId | None) -> Digest:
        """Make a tag or baseline lead to a session, or nowhere; return the entry's digest.

        Raises:
            UsageError: ``bad-name``.
        """
        return self._refs.move(space, name, target)

    # Signatures

    def signatures(self, statement: Digest) -> list[bytes]:
        """Return the signature files of a statement, by key fingerprint.

        Raises:
            LimitError: If there are more than 16, or one is over 64 KiB.
        """
        return signatures.read(self._backend, statement)

    def add_signature(self, statement: Digest, fingerprint: str, data: bytes) -> bool:
        """Keep a signature beside its statement; return whether it was new."""
        return signatures.add(self._backend, statement, fingerprint, data)

    # Checking

    def scan(self, packs: Collection[Digest] | None = None) -> Iterator[Item]:
        """Read every byte and yield every object and everything that is wrong.

        Args:
            packs: Read these packs alone.
        """
        return scan.scan(self._backend, packs)

    def check_packs(self) -> Iterator[Finding]:
        """Hash the pack files alone and yield those whose name is not their hash."""
        return scan.check_packs(self._backend)

    def packs_holding(self, name: Digest) -> list[Digest]:
        """Return the names of the packs that hold an object."""
        return self._objects.packs_holding(name)
