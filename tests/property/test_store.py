"""A store against a model of it, and packs of anything."""

from __future__ import annotations

import shutil
import tempfile
from array import array
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
)
from stores import remove, session_statement

from probatum.digest import Digest, object_id
from probatum.errors import IntegrityError
from probatum.records import codec
from probatum.records.base import StatementId
from probatum.store import Finding, Journal, Scanned, Store, frames, pack
from probatum.store.journalfile import MAGIC, frame, frames_of
from probatum.store.memory import MemoryBackend, MemoryLog

BODIES = st.binary(max_size=300) | st.integers(0, 9).map(lambda n: b"%d" % n * 70_000)
KINDS = st.from_regex(r"[a-z][a-z0-9-]{0,31}", fullmatch=True)


@given(st.lists(st.tuples(KINDS, BODIES), max_size=40))
@settings(max_examples=60, deadline=None)
def test_a_pack_gives_back_whatever_it_was_given(objects: list[tuple[str, bytes]]) -> None:
    store = Store.memory()
    store.write_pack(objects)
    distinct = {object_id(*item): item for item in objects}
    for name, item in distinct.items():
        assert store.get(name) == item
        assert name in store.find(name[:8])
    found = list(store.scan())
    assert [item.id for item in found if isinstance(item, Scanned)] == list(distinct)
    assert len(found) == len(distinct)
    assert list(store.check_packs()) == []


@given(st.binary(max_size=2000), st.integers(0, 3000))
def test_a_frame_opens_only_at_its_own_size(raw: bytes, size: int) -> None:
    frame = frames.compress(raw)
    if size == len(raw):
        assert frames.decompress(frame, size) == raw
    else:
        try:
            frames.decompress(frame, size)
        except IntegrityError:
            return
        raise AssertionError


@given(st.binary(max_size=400))
def test_readers_of_any_bytes_raise_their_own_errors_alone(data: bytes) -> None:
    for read in (
        lambda: frames.decompress(data, 10),
        lambda: pack.split(data),
        lambda: pack.parse_trailer(data[-pack.TAIL :], len(data)),
        lambda: pack.parse_index(data, pack.Trailer(12, 1, 1, len(data), 40)),
        lambda: list(frames_of(MemoryLog(MemoryBackend(), "x", data))),
        lambda: list(frames_of(MemoryLog(MemoryBackend(), "x", MAGIC + data))),
    ):
        try:
            read()
        except IntegrityError:
            continue


@given(st.binary(min_size=65, max_size=65), st.integers(0, 65))
def test_an_index_of_any_columns_is_whole_or_refused(columns: bytes, keep: int) -> None:
    memory = MemoryBackend()
    Store(memory, "0" * 32, None).write_pack(("blob", b"%d" % n) for n in range(3))
    (data,) = memory.files.values()
    trailer = pack.parse_trailer(data[-pack.TAIL :], len(data))
    whole = frames.decompress(data[trailer.at : -pack.TAIL], trailer.raw)
    changed = whole[:keep] + columns[keep:]
    try:
        index = pack.parse_index(frames.compress(changed), trailer)
    except IntegrityError:
        return
    assert sorted(index.places) == [0, 1, 2]
    assert sum(extent.objects for extent in index.extents) == 3


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_planes_are_only_another_order(numbers: list[int]) -> None:
    column = array("Q", numbers)
    spelled = pack._planes(column)
    assert sorted(spelled) == sorted(column.tobytes())
    assert pack._column("Q", spelled, 0, len(numbers)) == (column, len(spelled))


@given(st.lists(st.binary(max_size=100), max_size=8), st.data())
def test_a_journal_loses_only_its_end(bodies: list[bytes], data: st.DataObject) -> None:
    spelled = MAGIC
    for body in bodies:
        spelled += frame(body, at=len(spelled), synced=0)
    cut = data.draw(st.integers(len(MAGIC), len(spelled)))
    tail = data.draw(st.binary(max_size=50))
    log = MemoryLog(MemoryBackend(), "x", spelled[:cut] + tail)
    found = [body for _, body in frames_of(log)]
    assert found == bodies[: len(found)]


class StoreMachine(RuleBasedStateMachine):
    """Put, run, seal, publish, tag, remove and reopen, beside plain dictionaries."""

    journals = Bundle("journals")
    statements = Bundle("statements")

    def __init__(self) -> None:
        super().__init__()
        self.folder: Path | None = None
        self.objects: dict[Digest, tuple[str, bytes]] = {}
        self.pending: dict[str, dict[Digest, tuple[str, bytes]]] = {}
        self.notes: dict[str, list[bytes]] = {}
        self.published: dict[StatementId, int] = {}
        self.removed: set[StatementId] = set()
        self.tags: dict[str, StatementId | None] = {}

    @initialize(on_disk=st.booleans())
    def begin(self, on_disk: bool) -> None:
        if on_disk:
            self.folder = Path(tempfile.mkdtemp(prefix="store-"))
            self.store = Store.open(self.folder, create=True)
        else:
            self.store = Store.memory()

    @rule(body=BODIES)
    def put(self, body: bytes) -> None:
        self.objects[self.store.put("blob", body)] = "blob", body

    @rule(bodies=st.lists(BODIES, max_size=5))
    def write_pack(self, bodies: list[bytes]) -> None:
        self.store.write_pack(("blob", body) for body in bodies)
        self.objects |= {object_id("blob", body): ("blob", body) for body in bodies}

    @rule(target=journals)
    def start(self) -> Journal:
        journal = self.store.start_journal({})
        self.pending[journal.name] = {}
        self.notes[journal.name] = []
        return journal

    @rule(journal=journals, body=BODIES, row=st.binary(max_size=50))
    def run(self, journal: Journal, body: bytes, row: bytes) -> None:
        name = journal.put("blob", body)
        journal.note(row)
        self.pending[journal.name][name] = "blob", body
        self.notes[journal.name].append(row)
        assert journal.get(name) == ("blob", body)

    @rule(target=journals, journal=consumes(journals))
    def interrupt(self, journal: Journal) -> Journal:
        journal.close()
        reopened = self.store.reopen_journal(journal.name)
        assert reopened.ids == list(self.pending[journal.name])
        assert reopened.notes == self.notes[journal.name]
        return reopened

    @rule(target=statements, journal=consumes(journals))
    def seal(self, journal: Journal) -> StatementId:
        seq, prev = self.store.chain()
        body = codec.encode(session_statement(self.store.id, seq, prev=prev, name=journal.name))
        name = StatementId(journal.put("statement", body))
        journal.seal()
        self.store.publish_session(name)
        journal.discard()
        self.objects |= self.pending.pop(journal.name)
        self.objects[name] = "statement", body
        self.published[name] = seq
        return name

    @rule(statement=statements)
    def remove(self, statement: StatementId) -> None:
        remove(self.store, statement)
        self.removed.add(statement)

    @rule(name=st.sampled_from(["v1", "v2"]), statement=statements)
    def tag(self, name: str, statement: StatementId) -> None:
        self.store.move("tags", name, statement)
        self.tags[name] = statement

    @rule(name=st.sampled_from(["v1", "v2"]))
    def untag(self, name: str) -> None:
        self.store.move("tags", name, None)
        self.tags[name] = None

    @rule()
    def reopen(self) -> None:
        if self.folder is not None:
            self.store = Store.open(self.folder)

    @invariant()
    def objects_are_what_they_were(self) -> None:
        for name, (kind, payload) in self.objects.items():
            assert self.store.get(name) == (kind, payload)

    @invariant()
    def sessions_are_in_order(self) -> None:
        if not hasattr(self, "store"):
            return
        living = {seq: name for name, seq in self.published.items() if name not in self.removed}
        listed = [head.id for head in self.store.session_heads()]
        assert set(listed) == {name for name in self.published if name not in self.removed}
        assert [self.published[name] for name in listed] == sorted(
            self.published[name] for name in listed
        )
        if living:
            assert self.published[self.store.resolve_name("latest")] == max(living)
        for name, target in self.tags.items():
            assert self.store.target("tags", name) == target

    @invariant()
    def journals_are_all_there(self) -> None:
        if hasattr(self, "store"):
            assert {info.name for info in self.store.journals()} == set(self.pending)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            assert [item for item in self.store.scan() if isinstance(item, Finding)] == []
        if self.folder is not None:
            shutil.rmtree(self.folder)


StoreMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
TestStore = StoreMachine.TestCase
