"""What a run has written down so far, so that it can end well or go on later."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from probatum.digest import Digest
from probatum.engine.rows import Made, Note, Opened, Place, Rows, Sealing, read, spell
from probatum.errors import IntegrityError
from probatum.records import codec
from probatum.records.base import BlobId, StatementId
from probatum.records.codec import AnyRecord
from probatum.records.kinds import strong_ids
from probatum.store import Closure, Entry, Journal, Store, closure

_FORMAT: Final = "probatum-run/1"
_LEAVES: Final = frozenset({"blob", "perturbation", "output"})
"""Kinds that point to blobs at most."""


class Heading(NamedTuple):
    """What a journal is started with.

    Attributes:
        folder: Absolute folder of the spec.
        sources: Path as given, and blob, of each authored file.
        start: Microseconds since the Unix epoch.
    """

    folder: str
    sources: tuple[tuple[str, BlobId], ...]
    start: int
    invocation: str
    continues: StatementId | None

    def header(self) -> dict[str, Any]:
        """Return the journal's header."""
        header = {
            "format": _FORMAT,
            "folder": self.folder,
            "sources": [list(item) for item in self.sources],
            "start": self.start,
            "invocation": self.invocation,
        }
        if self.continues is not None:
            header["continues"] = self.continues
        return header


def heading_of(header: Mapping[str, Any]) -> Heading:
    """Read a journal's header.

    Raises:
        IntegrityError: If it is not that of a run.
    """
    if header.get("format") != _FORMAT:
        raise IntegrityError(
            "the journal was not written by a run of this release", code="bad-journal"
        )
    try:
        return Heading(
            folder=str(header["folder"]),
            sources=tuple((str(path), BlobId(Digest(blob))) for path, blob in header["sources"]),
            start=int(header["start"]),
            invocation=str(header["invocation"]),
            continues=header.get("continues"),
        )
    except (KeyError, TypeError, ValueError):
        raise IntegrityError("the journal has no valid header", code="bad-journal") from None


class Log:
    """The journal of a run, with what the run needs to know of it.

    While everything that is put is named by something else that is put, the
    closure of the last one is everything, and no walk is needed to know it.

    Attributes:
        opened: Plan and target, once rows may follow.
        rows: The rows noted before this process took the journal over.
        sealing: The statement, if only publishing was left.
    """

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.heading = heading_of(journal.header)
        self.opened: Opened | None = None
        self.sealing: StatementId | None = None
        self.rows: dict[str, dict[Place, Made]] = {}
        self._sizes: defaultdict[str, dict[Digest, int]] = defaultdict(dict)
        self._named: set[Digest] = set()
        for note in read(journal.notes):
            if isinstance(note, Opened):
                self.opened = note
            elif isinstance(note, Sealing):
                self.sealing = note.statement
            else:
                for made in note.rows:
                    self.rows.setdefault(made.case, {})[made.place] = made

    def put(self, kind: str, payload: bytes) -> Digest:
        """Keep raw bytes."""
        name = self.journal.put(kind, payload)
        self._sizes[kind][name] = len(payload)
        return name

    def put_record(self, record: AnyRecord) -> Digest:
        """Keep a record."""
        kind = codec.kind_of(record)
        payload = codec.encode(record)
        name = self.journal.put(kind, payload)
        sizes = self._sizes[kind]
        if name not in sizes:
            sizes[name] = len(payload)
            if kind not in _LEAVES or b'"blob":"' in payload:
                self._named.update(strong_ids(record))
        return name

    def blob(self, name: BlobId) -> bytes:
        """Return a blob's bytes, from the journal or its store."""
        return self.journal.get(name).payload

    def record(self, name: Digest) -> AnyRecord:
        """Return a record, from the journal or its store."""
        return codec.decode(*self.journal.get(name))

    def note(self, note: Note) -> None:
        """Write a note; it is durable with the next flush."""
        self.journal.note(spell(note))

    def note_rows(self, rows: Iterable[Made]) -> None:
        """Note rows that were made, if there are any."""
        made = tuple(rows)
        if made:
            self.note(Rows(made))

    def closure(self, root: Digest) -> Closure:
        """Return the closure of the session record `root`."""
        kinds = sorted(self._sizes.items())
        named = self._named | {root}
        if len(named) == sum(len(sizes) for _, sizes in kinds) and all(
            named.issuperset(sizes) for _, sizes in kinds
        ):
            found = [
                Entry(kind, name, sizes[name]) for kind, sizes in kinds for name in sorted(sizes)
            ]
            return Closure(found, [])
        return closure(self.journal, root)


def start(store: Store, heading: Heading, files: Iterable[tuple[str, bytes]]) -> Log:
    """Start a journal that holds the authored files, durably."""
    log = Log(store.start_journal(heading.header()))
    for _, data in files:
        log.put("blob", data)
    log.journal.flush()
    return log
