from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from probatum.digest import Digest, object_id
from probatum.errors import IntegrityError, NotFoundError
from probatum.records import codec
from probatum.records.base import BlobId, CaseId, InvariantId, OutputId
from probatum.records.case import Case, Policy, Rule
from probatum.records.inputs import BlobPart, Input, Message, TextPart, text_input
from probatum.records.invariant import Invariant
from probatum.records.judgment import Judgment
from probatum.records.output import Output
from probatum.records.perturbation import Perturbation
from probatum.records.table import Row, Table
from probatum.store import Closure, Entry, Stored, closure, inventory_bytes, merkle_root
from probatum.store.walk import inventory_lines


class Shelf:
    """Objects in a dictionary, damaged or hidden at will."""

    def __init__(self) -> None:
        self.objects: dict[Digest, Stored] = {}
        self.corrupt: set[Digest] = set()
        self.reads: list[Digest] = []

    def put(self, record: codec.AnyRecord | bytes) -> Digest:
        kind, payload = (
            ("blob", record)
            if isinstance(record, bytes)
            else (codec.kind_of(record), codec.encode(record))
        )
        name = object_id(kind, payload)
        self.objects[name] = Stored(kind, payload)
        return name

    def get(self, name: Digest) -> Stored:
        self.reads.append(name)
        if name in self.corrupt:
            raise IntegrityError("flipped")
        if name not in self.objects:
            raise NotFoundError("gone")
        return self.objects[name]


class Graph:
    """A case with an invariant that has a document, and an input with one."""

    def __init__(self) -> None:
        self.shelf = Shelf()
        self.schema = self.shelf.put(b"{}")
        self.image = self.shelf.put(b"\x89PNG")
        self.invariant = self.shelf.put(
            Invariant(
                name="schema_match",
                version=1,
                params="{}",
                severity="high",
                normalize=(),
                document=BlobId(self.schema),
            )
        )
        content = (
            TextPart(text='{"blob":"no edge"}'),
            BlobPart(blob=BlobId(self.image), media_type="image/png"),
        )
        self.case = self.shelf.put(
            Case(
                id="a",
                tags=(),
                input=Input(messages=(Message(role="user", content=content),)),
                policy=Policy(stable_threshold="0.95", min_perturbations=2),
                perturbations=(),
                invariants=(Rule(invariant=InvariantId(self.invariant), role="check"),) * 2,
            )
        )
        self.root = self.shelf.put(
            Table(kinds=("case",), prefix="", rows=(Row(case="a", ids=(CaseId(self.case),)),))
        )

    def walk(self) -> Closure:
        return closure(self.shelf, self.root, kind="table")


@pytest.fixture
def graph() -> Graph:
    return Graph()


def test_a_closure_holds_everything_once_and_sorted(graph: Graph) -> None:
    found = graph.walk()
    assert found.missing == []
    assert found.entries == sorted(
        Entry(kind, name, len(payload)) for name, (kind, payload) in graph.shelf.objects.items()
    )
    assert sorted(graph.shelf.reads) == sorted(graph.shelf.objects)


def test_a_visitor_sees_every_object_once_and_decoded(graph: Graph) -> None:
    seen: dict[Digest, tuple[str, bytes, object]] = {}

    def visit(kind: str, name: Digest, payload: bytes, record: object) -> None:
        assert name not in seen
        seen[name] = kind, payload, record

    found = closure(graph.shelf, graph.root, kind="table", visit=visit)
    assert found == graph.walk()
    assert {name: Stored(kind, payload) for name, (kind, payload, _) in seen.items()} == (
        graph.shelf.objects
    )
    for kind, payload, record in seen.values():
        assert record is None if kind == "blob" else codec.encode(record) == payload  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("label", "kind", "referrer"),
    [
        ("image", "blob", "case"),
        ("schema", "blob", "invariant"),
        ("invariant", "invariant", "case"),
        ("case", "case", "root"),
    ],
)
def test_what_is_missing_is_named_with_its_referrer(
    label: str, kind: str, referrer: str, graph: Graph
) -> None:
    name = getattr(graph, label)
    del graph.shelf.objects[name]
    found = graph.walk()
    assert [gap[:4] for gap in found.missing] == [(name, kind, getattr(graph, referrer), "missing")]
    assert name not in {entry.id for entry in found.entries}


def test_a_missing_root_has_no_referrer() -> None:
    root = object_id("session", b"")
    assert closure(Shelf(), root) == ([], [(root, "session", "", "missing", "gone")])


def test_damage_is_told_from_absence(graph: Graph) -> None:
    graph.shelf.corrupt.add(graph.invariant)
    (gap,) = graph.walk().missing
    assert gap == (graph.invariant, "invariant", graph.case, "corrupt", "flipped")


def test_an_object_named_twice_as_missing_is_reported_once(graph: Graph) -> None:
    del graph.shelf.objects[graph.invariant]
    assert [gap.id for gap in graph.walk().missing] == [graph.invariant]


@pytest.mark.parametrize("first", ["case", "blob"])
def test_an_object_of_another_kind_is_told_on_every_edge(graph: Graph, first: str) -> None:
    kinds = ("case", "blob") if first == "case" else ("blob", "case")
    row = Row(case="a", ids=(graph.case, graph.case))
    root = graph.shelf.put(Table(kinds=kinds, prefix="", rows=(row,)))
    found = closure(graph.shelf, root, kind="table")
    (gap,) = found.missing
    assert gap[:4] == (graph.case, "blob", root, "wrong-kind")
    assert "is a case, not a blob" in gap.detail
    assert len(found.entries) == 5


def test_a_record_that_does_not_decode_is_told_and_not_followed(graph: Graph) -> None:
    for payload in (b"{}", b'{"v":1, "kind":"case"}', b"\xff"):
        name = object_id("case", payload)
        graph.shelf.objects[name] = Stored("case", payload)
        row = Row(case="a", ids=(name,))
        root = graph.shelf.put(Table(kinds=("case",), prefix="", rows=(row,)))
        found = closure(graph.shelf, root, kind="table")
        assert [gap[:4] for gap in found.missing] == [(name, "case", root, "bad-record")]
        assert len(found.entries) == 2


def perturbation(part: TextPart | BlobPart) -> Perturbation:
    message = Message(role="user", content=(part,))
    return Perturbation(
        family="casing",
        version=1,
        method="upper",
        params="{}",
        declaration="d",
        index=0,
        original=text_input("a"),
        edits=(),
        perturbed=Input(messages=(message,)),
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda blob: Output(finish="stop", blob=blob),
        lambda blob: perturbation(BlobPart(blob=blob, media_type="image/png")),
    ],
    ids=["output", "perturbation"],
)
def test_leaves_are_followed_to_their_blobs(
    make: Callable[[BlobId], codec.AnyRecord], graph: Graph
) -> None:
    record = make(BlobId(graph.image))
    name = graph.shelf.put(record)
    found = closure(graph.shelf, name, kind=codec.kind_of(record))
    assert [entry.id for entry in found.entries] == [graph.image, name]


@pytest.mark.parametrize(
    "record",
    [
        Output(finish="stop", text='"blob":"' + "a" * 64),
        Output(finish="stop", text='{"blob":"x"}', parsed='{"blob":"x"}'),
        perturbation(TextPart(text='"blob":"x"')),
    ],
)
def test_text_about_blobs_is_no_edge(record: codec.AnyRecord) -> None:
    shelf = Shelf()
    name = shelf.put(record)
    kind = codec.kind_of(record)
    found = closure(shelf, name, kind=kind)
    assert found == ([(kind, name, len(shelf.objects[name].payload))], [])


def test_a_walk_is_as_deep_as_it_needs_to_be() -> None:
    shelf = Shelf()
    kind, name = "blob", shelf.put(b"")
    for _ in range(5000):
        row = Row(case="a", ids=(name,))
        kind, name = "table", shelf.put(Table(kinds=(kind,), prefix="", rows=(row,)))
    assert len(closure(shelf, name, kind="table").entries) == 5001


def test_the_walk_goes_in_field_order(graph: Graph) -> None:
    output = graph.shelf.put(Output(finish="stop", text="a"))
    baseline = graph.shelf.put(Output(finish="stop", text="b"))
    judgment = graph.shelf.put(
        Judgment(
            invariant=InvariantId(graph.invariant),
            subject=OutputId(output),
            baseline=OutputId(baseline),
            result="pass",
            evidence=(),
        )
    )
    closure(graph.shelf, judgment, kind="judgment")
    assert graph.shelf.reads == [judgment, graph.invariant, graph.schema, output, baseline]


def test_an_inventory_is_sorted_lines() -> None:
    entries = [
        Entry("plan-case", Digest("b" * 64), 7),
        Entry("plan", Digest("c" * 64), 10),
        Entry("plan", Digest("a" * 64), 9),
    ]
    expected = b"plan %b 9\nplan %b 10\nplan-case %b 7\n" % (b"a" * 64, b"c" * 64, b"b" * 64)
    assert inventory_bytes(entries) == expected == inventory_bytes(sorted(entries))
    assert b"".join(line + b"\n" for line in inventory_lines(sorted(entries))) == expected
    assert inventory_bytes([]) == b""


# Leaves and roots of the RFC 6962 reference implementation's test vectors.
LEAVES = [
    bytes.fromhex(leaf)
    for leaf in (
        *("", "00", "10", "2021", "3031", "40414243"),
        *("5051525354555657", "606162636465666768696a6b6c6d6e6f"),
    )
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


@pytest.mark.parametrize("count", range(9))
def test_the_merkle_root_is_that_of_rfc_6962(count: int) -> None:
    assert merkle_root(LEAVES[:count]) == ROOTS[count]


@pytest.mark.parametrize("count", [*range(1, 40), 100, 1000])
def test_the_merkle_root_follows_the_definition(count: int) -> None:
    def tree(lines: list[bytes]) -> bytes:
        if len(lines) == 1:
            return hashlib.sha256(b"\x00" + lines[0]).digest()
        cut = 1 << (len(lines) - 1).bit_length() - 1
        return hashlib.sha256(b"\x01" + tree(lines[:cut]) + tree(lines[cut:])).digest()

    lines = [b"%d" % number for number in range(count)]
    assert merkle_root(lines) == tree(lines).hex()
