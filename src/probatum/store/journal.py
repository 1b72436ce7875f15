"""The journal of a running session: fast, append-only, readable after a crash.

The first frame holds the header, canonical JSON. Every other frame holds a
run of items, each either an object's preimage or a note (``note <size>``, a
NUL byte, the note): they become durable together or not at all, in the order
in which they were put. ``journalfile`` says how frames are spelled.
"""

import hashlib
import re
import threading
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from probatum import canonical
from probatum.digest import KIND, Digest, preimage
from probatum.errors import IntegrityError, LimitError, NotFoundError, UsageError
from probatum.records import codec
from probatum.store.backend import Backend, Log
from probatum.store.journalfile import BATCH, MAGIC, MAX_HEADER, START, body_at, frame, frames_of
from probatum.store.objects import Objects, Stored, stored
from probatum.store.pack import split
from probatum.store.packwriter import PackWriter

SYNC_BYTES: Final = 4 * 1024 * 1024
SYNC_SECONDS: Final = 0.5
_AHEAD: Final = 16 * 1024
_WINDOWS: Final = 128
_NAME: Final = re.compile(r"[0-9a-f]{24}")

# Offset and length of an object are kept as one number: there may be very many.
_LENGTH_BITS: Final = 25
_LENGTH_MASK: Final = (1 << _LENGTH_BITS) - 1

Clock = Callable[[], float]


class JournalInfo(NamedTuple):
    """A journal in a store, as seen from outside.

    Attributes:
        name: 24 hex digits, for `Store.reopen_journal`.
        header: What it was started with; empty if that cannot be read.
        running: Whether somebody holds it now; if not, it was left behind.
        size: Bytes.
    """

    name: str
    header: Mapping[str, Any]
    running: bool
    size: int


class Journal:
    """The growing record of one session.

    Safe to use from several threads. Memory grows by the ids and notes, not
    by the payloads. What is put is written every 64 KiB and made durable
    every half second or 4 MiB, whenever the next `put`, `note` or `tick`
    comes; what was put before `flush` returned survives any crash.

    Attributes:
        name: 24 hex digits.
        header: What the journal was started with.
        notes: Every note, in order.
    """

    def __init__(
        self,
        name: str,
        header: Mapping[str, Any],
        log: Log,
        *,
        backend: Backend,
        objects: Objects,
        clock: Clock,
        notes: Iterable[bytes] = (),
        places: Mapping[Digest, int] | None = None,
        bodies: Iterable[int] = (),
    ) -> None:
        self.name = name
        self.header = header
        self.notes = [*notes]
        self._log = log
        self._ahead = _Ahead(log)
        self._backend = backend
        self._objects = objects
        self._clock = clock
        self._lock = threading.RLock()
        self._places = dict(places or {})
        self._bodies = [*bodies]
        self._pending: list[bytes] = []
        self._begin()
        self._synced = log.size
        self._due = clock() + SYNC_SECONDS
        self._known = {"blob", *codec.RECORDS}

    def put(self, kind: str, payload: bytes) -> Digest:
        """Keep an object, unless the journal has it, and return its id.

        Raises:
            LimitError: If it is larger than 16 MiB.
        """
        if kind not in self._known:
            self._learn(kind)
        if len(payload) > codec.MAX_SIZE:
            raise LimitError(f"a {kind} of {len(payload)} bytes is over the 16 MiB limit")
        data = preimage(kind, payload)
        name = Digest(hashlib.sha256(data).hexdigest())
        with self._lock:
            if name not in self._places:
                self._places[name] = self._end << _LENGTH_BITS | len(data)
                self._append(data)
        return name

    def put_record(self, record: codec.AnyRecord) -> Digest:
        """Keep a record, unless the journal has it, and return its id."""
        return self.put(codec.kind_of(record), codec.encode(record))

    def note(self, row: bytes) -> None:
        """Keep an opaque row; it never becomes durable before what was put earlier.

        Raises:
            LimitError: If it is larger than 16 MiB.
        """
        if len(row) > codec.MAX_SIZE:
            raise LimitError(f"a note of {len(row)} bytes is over the 16 MiB limit")
        with self._lock:
            self.notes.append(row)
            self._append(b"note %d\x00%b" % (len(row), row))

    def get(self, name: Digest) -> Stored:
        """Return an object of the journal, or else of its store, freshly hashed.

        Raises:
            NotFoundError: If neither has it.
            IntegrityError: If the stored bytes are not what the id says.
        """
        return stored(self._preimage(name))

    def has(self, name: Digest) -> bool:
        """Tell whether the journal itself holds an object."""
        return name in self._places

    @property
    def ids(self) -> list[Digest]:
        """The ids of the journal's objects, in the order they were put."""
        return list(self._places)

    def flush(self) -> None:
        """Return once everything put so far is durable."""
        with self._lock:
            self._write()
            if self._log.size != self._synced:
                self._log.sync()
                self._synced = self._log.size
            self._due = self._clock() + SYNC_SECONDS

    def tick(self) -> None:
        """Flush if that is due; for a caller that waits without putting."""
        with self._lock:
            if self._clock() >= self._due:
                self.flush()

    def seal(self, order: Iterable[Digest] | None = None) -> Digest:
        """Write objects to one durable pack and return the pack's name.

        Each object was hashed when it was put, or when the journal was
        reopened, and is not hashed again: what is read back is what was
        hashed, since the checksum of its frame is compared. Objects that the
        journal does not hold are taken from the store, which hashes them, so
        that the pack holds all that is asked for. The journal stays until
        `discard`, which belongs after the ref is published.

        Args:
            order: The ids to write, in the order in which they shall lie; by
                default all of the journal in the order they were put.

        Raises:
            NotFoundError: If an object is nowhere.
            IntegrityError: If what lies in journal or store is damaged.
        """
        self.flush()
        names = self.ids if order is None else list(order)
        writer = PackWriter(self._backend)
        try:
            writer.extend(self._read(names))
            return writer.finish()
        finally:
            writer.abort()

    def close(self) -> None:
        """Make everything durable and let go of the journal; it can be reopened."""
        try:
            self.flush()
        finally:
            self._log.close()

    def discard(self) -> None:
        """Delete the journal: what it held is sealed and published, or given up."""
        with self._lock:
            self._pending.clear()
            self._log.remove()

    def _learn(self, kind: str) -> None:
        if not KIND.fullmatch(kind):
            raise UsageError(f"not a kind of object: {kind[:80]!r}")
        self._known.add(kind)

    def _append(self, item: bytes) -> None:
        """Take an item into the batch, and write and sync what is due."""
        self._pending.append(item)
        self._end += len(item)
        if self._end >= self._full:
            self._write()
            if self._log.size - self._synced >= SYNC_BYTES:
                self.flush()
        if self._clock() >= self._due:
            self.flush()

    def _write(self) -> None:
        if self._pending:
            # When the disk is full this raises, the file is as before, and the batch is kept.
            body = b"".join(self._pending)
            self._log.append(frame(body, at=self._log.size, synced=self._synced))
            self._bodies.append(self._end - len(body))
            self._pending.clear()
            self._begin()

    def _begin(self) -> None:
        """Say where in the file the next item will lie, and at which place a batch is full."""
        self._end = self._log.size + START
        self._full = self._end + BATCH

    def _read(self, names: Iterable[Digest]) -> Iterator[tuple[bytes, bytes]]:
        """Yield raw ids and preimages; those of the journal lie in frames that are checked."""
        start, body = 0, b""
        for name in names:
            place = self._places.get(name)
            if place is None:
                data = self._objects.preimage(name)
            else:
                offset = place >> _LENGTH_BITS
                if not start <= offset < start + len(body):
                    start = self._bodies[bisect(self._bodies, offset) - 1]
                    body = body_at(self._log, start)
                at = offset - start
                data = body[at : at + (place & _LENGTH_MASK)]
            yield bytes.fromhex(name), data

    def _preimage(self, name: Digest) -> bytes:
        with self._lock:
            place = self._places.get(name)
            if place is None:
                return self._objects.preimage(name)
            if place >> _LENGTH_BITS >= self._log.size:
                self._write()
            data = self._ahead.read(place)
        if hashlib.sha256(data).hexdigest() != name:
            raise self._damaged(name)
        return data

    def _damaged(self, name: Digest) -> IntegrityError:
        return IntegrityError(
            f"journal {self.name}: object {name[:12]} is damaged", code="journal-damaged"
        )


def start(
    backend: Backend, objects: Objects, name: str, header: Mapping[str, Any], clock: Clock
) -> Journal:
    """Make a new journal, durable and held from the moment it is visible.

    Raises:
        CanonicalError: If `header` is not canonical JSON.
        LimitError: If `header` is larger than 1 MiB.
    """
    body = canonical.encode(dict(header))
    if len(body) > MAX_HEADER:
        raise LimitError(f"a journal header of {len(body)} bytes is over the 1 MiB limit")
    data = MAGIC + frame(body, at=len(MAGIC), synced=0)
    log = backend.create_log(_path(name), data)
    return Journal(name, header, log, backend=backend, objects=objects, clock=clock)


def reopen(backend: Backend, objects: Objects, name: str, clock: Clock) -> Journal:
    """Take over a journal that was left behind, without what its end has lost.

    Raises:
        NotFoundError: If there is none of that name.
        ConflictError: If somebody holds it.
        IntegrityError: ``journal-damaged`` if acknowledged data cannot be read.
    """
    log = backend.open_log(_path(name)) if _NAME.fullmatch(name) else None
    if log is None:
        raise NotFoundError(f"no interrupted session {name[:80]!r}", code="no-journal")
    try:
        return _replayed(name, log, backend, objects, clock)
    except BaseException:
        log.close()
        raise


def listing(backend: Backend) -> list[JournalInfo]:
    """Return every journal of a store, by name."""
    found: list[JournalInfo] = []
    for file in backend.list("tmp"):
        name, _, extension = file.partition(".")
        if extension == "pbj" and _NAME.fullmatch(name):
            size = backend.size(_path(name))
            if size is not None:
                running = backend.is_held(_path(name))
                found.append(JournalInfo(name, _header(backend, name, size), running, size))
    return found


class _Ahead:
    """Reads objects of a log that lie near each other with few calls.

    What is in a log never changes; what came after a window was read is read apart.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._window = lru_cache(maxsize=_WINDOWS)(self._load)
        self._last = (0, b"")

    def read(self, place: int) -> bytes:
        """Return the object at a place."""
        offset, length = place >> _LENGTH_BITS, place & _LENGTH_MASK
        start, data = self._last
        at = offset - start
        if not 0 <= at <= len(data) - length:
            number, at = divmod(offset, _AHEAD)
            data = self._window(number)
            if at + length > len(data):
                return self._log.read_at(offset, length)
            self._last = (number * _AHEAD, data)
        return data[at : at + length]

    def _load(self, number: int) -> bytes:
        return self._log.read_at(number * _AHEAD, _AHEAD)


class _Window(NamedTuple):
    """The beginning of a journal, read without holding it."""

    data: bytes

    @property
    def size(self) -> int:
        return len(self.data)

    def read_at(self, offset: int, size: int) -> bytes:
        return self.data[offset : offset + size]


def _path(name: str) -> str:
    return f"tmp/{name}.pbj"


def _header(backend: Backend, name: str, size: int) -> Mapping[str, Any]:
    reach = len(MAGIC) + START + MAX_HEADER
    window = _Window(backend.read_at(_path(name), 0, min(size, reach)) or b"")
    try:
        for _, body in frames_of(window):
            return _mapping(body)
    except IntegrityError:
        pass
    return {}


def _mapping(body: bytes) -> dict[str, Any]:
    header = canonical.decode(body)
    if not isinstance(header, dict):
        raise IntegrityError("journal has no header", code="journal-damaged")
    return header


def _replayed(name: str, log: Log, backend: Backend, objects: Objects, clock: Clock) -> Journal:
    frames = frames_of(log)
    at, body = next(frames, (0, b""))
    header = _mapping(body)
    notes: list[bytes] = []
    places: dict[Digest, int] = {}
    bodies: list[int] = []
    end = at + len(body)
    for end, body in frames:
        bodies.append(end)
        for item in split(body):
            if item.startswith(b"note "):
                notes.append(item[item.index(b"\x00") + 1 :])
            else:
                item_id = Digest(hashlib.sha256(item).hexdigest())
                places[item_id] = end << _LENGTH_BITS | len(item)
            end += len(item)
    if end < log.size:
        log.truncate(end)
    return Journal(
        name,
        header,
        log,
        backend=backend,
        objects=objects,
        clock=clock,
        notes=notes,
        places=places,
        bodies=bodies,
    )
