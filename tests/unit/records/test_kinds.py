"""What points to what."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from probatum.records import codec
from probatum.records.executions import Execution, Executions
from probatum.records.inputs import BlobPart, Input, Message, TextPart, text_input
from probatum.records.invariant import Invariant
from probatum.records.judgment import Judgment
from probatum.records.kinds import Edge, strong_edges, strong_ids, weak_edges
from probatum.records.output import Output
from probatum.records.perturbation import Perturbation
from probatum.records.session import Session
from probatum.records.trials import Trial, Trials

GOLDEN = json.loads(
    (Path(__file__).resolve().parents[2] / "golden" / "ids.json").read_text("utf-8")
)["objects"]


def of_kind(kind: str) -> list[codec.AnyRecord]:
    return [codec.decode(kind, row["payload"].encode()) for row in GOLDEN if row["kind"] == kind]


def test_strong_edges_name_the_kind_they_expect() -> None:
    ids = {row["id"]: row["kind"] for row in GOLDEN}
    seen = set()
    for row in GOLDEN:
        if row["kind"] == "blob":
            continue
        record = codec.decode(row["kind"], row["payload"].encode())
        assert set(strong_ids(record)) == {edge.id for edge in strong_edges(record)}
        for edge in strong_edges(record):
            assert ids.get(edge.id, edge.kind) == edge.kind
            seen.add((row["kind"], edge.kind))
    assert seen == {
        ("case", "invariant"),
        ("executions", "trials"),
        ("judgment", "invariant"),
        ("judgment", "output"),
        ("output", "blob"),
        ("plan", "spec"),
        ("plan", "table"),
        ("plan-case", "case"),
        ("plan-case", "perturbation"),
        ("session", "blob"),
        ("session", "plan"),
        ("session", "table"),
        ("session", "target"),
        ("spec", "table"),
        ("statement", "session"),
        ("table", "case"),
        ("table", "executions"),
        ("table", "plan-case"),
        ("table", "verdict"),
        ("trials", "judgment"),
        ("trials", "output"),
        ("trials", "perturbation"),
        ("verdict", "case"),
        ("verdict", "trials"),
    }


def test_documents_are_followed_wherever_they_stand() -> None:
    blob = "b" * 64
    seen = Input(
        messages=(
            Message(role="system", content="look"),
            Message(
                role="user",
                content=(TextPart(text="at"), BlobPart(blob=blob, media_type="image/png")),
            ),
        )
    )
    perturbation = Perturbation(
        family="casing",
        version=1,
        method="upper",
        params="{}",
        declaration="casing-1",
        index=0,
        original=seen,
        edits=(),
        perturbed=seen,
    )
    assert strong_edges(perturbation) == [Edge("blob", blob)] * 2
    invariant = Invariant(
        name="schema_match", version=1, params="{}", severity="high", normalize=(), document=blob
    )
    assert strong_edges(invariant) == [Edge("blob", blob)]
    relative = Judgment(
        invariant="1" * 64, subject="2" * 64, baseline="3" * 64, result="pass", evidence=()
    )
    assert strong_edges(relative)[-1] == Edge("output", "3" * 64)
    assert strong_edges(Output(finish="stop", text="a")) == []
    failed = Trial(arm="baseline", repeat=0, judgments=(), failure="raised")
    assert strong_edges(Trials(rows=(failed,))) == []
    assert set(strong_ids(Trials(rows=(failed,)))) == set()
    assert text_input("hi") == Input(messages=(Message(role="user", content="hi"),))


def test_weak_edges_name_other_sessions() -> None:
    session = of_kind("session")[0]
    assert isinstance(session, Session)
    assert weak_edges(session) == []
    later = msgspec.structs.replace(session, seq=2, prev=("1" * 64,), continues="2" * 64)
    assert weak_edges(later) == [Edge("statement", "1" * 64), Edge("statement", "2" * 64)]
    rows = (
        Execution(start_us=1, latency_us=1, attempts=1),
        Execution(start_us=1, latency_us=1, attempts=1, reused_from="3" * 64),
    )
    executions = Executions(trials="4" * 64, rows=rows)
    assert weak_edges(executions) == [Edge("statement", "3" * 64)]
    removal = of_kind("statement")[-1]
    assert [edge.kind for edge in weak_edges(removal)] == ["statement"]
    assert strong_edges(removal) == []
    assert weak_edges(of_kind("trials")[0]) == []
