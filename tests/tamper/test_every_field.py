"""Every field of every record, edited, with all that follows from it made to fit, and signed again.

The forger has the key and knows the format; see `forge.Forger`. What can be
derived must be found by ``verify``, or by ``verify --deep``. What cannot, is
listed here with the reason, and nothing else may go unnoticed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from fields import Edit, Fields, apply, every_field
from forge import Forger
from sessions import NOW, trusting

from probatum import __version__
from probatum.digest import Digest
from probatum.engine.pipeline import Setting
from probatum.evidence.verify import verify
from probatum.records import codec
from probatum.records.base import StatementId
from probatum.records.session import Environment
from probatum.workspace import Workspace
from probatum.workspace.deep import rederivation

SPEC: Final = """
probatum: {version: "1", name: fields}
model: {provider: python, name: "system.py:answer", temperature: 0.5, max_tokens: 9}
run: {seed: 20261130, control: 1, repeats: 2}
cases:
  - id: plain
    tags: [text, more]
    input: {text: "When will the 3 parcels, ordered on 2026-11-30, arrive in Zurich?"}
    expected: {contains: ["days"]}
    perturbations:
      - {type: typo_noise, count: 3, rate: 0.2}
      - {type: casing}
      - {type: unicode, count: 2}
    invariants:
      - {type: contains, values: ["3 to 5 days", "zurich"], normalize: [nfc, spaces]}
      - {type: not_contains, values: ["sorry"], severity: critical}
      - {type: length, min: 10, max: 200, severity: low}
    verdict_config: {stable_threshold: 0.6, claim: {stability: 0.5}}
  - id: structured
    input:
      messages:
        - {role: system, content: "Answer in JSON."}
        - role: assistant
          content: ""
          tool_calls: [{id: c1, name: find, arguments: {number: A-17}}]
        - {role: tool, tool_call_id: c1, content: '{"state": "shipped"}'}
        - {role: user, content: "the json"}
      tools:
        - {name: find, description: Look up., parameters: {type: object}}
    perturbations:
      - {type: typo_noise, id: mild, count: 3, rate: 0.3}
    invariants:
      - type: schema_match
        schema: {type: object, required: [city], properties: {city: {type: string}}}
"""
OTHER: Final = (
    SPEC.replace("fields", "others").replace("20261130", "5").replace("0.5, max", "0.7, max")
)
"""Another session in the same store, whose objects can be put in the place of this one's."""

SYSTEM: Final = """
import json

def answer(text):
    if "json" in text:
        return json.dumps({"city": "Zurich"})
    if text.isupper():
        return "x" * 70_000 + " 3 to 5 days to Zurich"
    if "3 par" not in text.lower():
        raise ValueError("no idea")
    return ("" if "Z" in text else "sorry, ") + "3 to 5 days to Zurich"
"""

OBSERVED = "only the system could show what it answered, and how it failed"
MEASURED = "the runner's claim of times, costs and what happened on the way"
NAMED = "the runner's claim of what the system is; its name and parameters are as authored"
WHERE = "the runner's claim of the machine"
HOW = "the runner's claim of how the command was called; it decides nothing"
WHICH = "shown, not enforced: evidence travels"

UNNOTICED: Final = {
    "output.finish": OBSERVED,
    "output.text": OBSERVED,
    "output.tool_calls": OBSERVED,
    "output.parsed": OBSERVED,
    "trials.rows[].failure": OBSERVED,
    "executions.rows": MEASURED,
    "executions.rows[].start_us": MEASURED,
    "executions.rows[].latency_us": MEASURED,
    "executions.rows[].attempts": MEASURED,
    "executions.rows[].input_tokens": MEASURED,
    "executions.rows[].output_tokens": MEASURED,
    "executions.rows[].cost_usd": MEASURED,
    "executions.rows[].model": MEASURED,
    "executions.rows[].response_id": MEASURED,
    "executions.rows[].reused_from": MEASURED,
    "executions.rows[].error": MEASURED,
    "target.params": NAMED,
    "target.endpoint": NAMED,
    "target.tools": NAMED,
    "target.code": NAMED,
    "session.environment.tool": WHERE,
    "session.environment.python": WHERE,
    "session.environment.implementation": WHERE,
    "session.environment.os": WHERE,
    "session.environment.machine": WHERE,
    "session.environment.packages": WHERE,
    "session.environment.packages[][]": WHERE,
    "session.producer": HOW,
    "session.invocation": HOW,
    "session.settings": HOW,
    "session.sources[].path": HOW,
    "session.start": MEASURED,
    "session.continues": WHICH,
    "statement.predicate.store": WHICH,
}
"""Fields of which an edit can go unnoticed, and why."""

LEFT: Final = {"session.sources"}
"""Fields of which an edit can do no more than keep a deep check from being made.

The report says so, and counts what was left.
"""

TWICE: Final = 2
"""How many places of a field each edit is tried at."""

KINDS: Final = sorted(set(codec.RECORDS) - {"statement"})


class Tried(NamedTuple):
    """What became of the edits of one kind."""

    fields: set[str]
    unnoticed: dict[str, list[str]]
    left: set[str]


@pytest.fixture(scope="module")
def forger(tmp_path_factory: pytest.TempPathFactory) -> Forger:
    folder = tmp_path_factory.mktemp("fields")
    (folder / "spec.yaml").write_text(SPEC)
    (folder / "system.py").write_text(SYSTEM)
    (folder / "other.yaml").write_text(OTHER)
    workspace = Workspace.in_memory()
    others = Forger(workspace.store, run(workspace, folder / "other.yaml"))
    forger = Forger(workspace.store, run(workspace, folder / "spec.yaml"))
    forger.others = others.kinds
    return forger


def run(workspace: Workspace, spec: Path) -> StatementId:
    ticks = iter(range(1_767_225_600_000_000, 1_777_000_000_000_000, 1000))
    environment = Environment(
        tool=f"probatum {__version__}",
        python="3",
        implementation="any",
        os="any",
        machine="any",
        packages=(("a", "1"), ("b", "2")),
    )
    setting = Setting(
        clock=lambda: next(ticks),
        environment=lambda: environment,
        invocation='{"spec":"spec.yaml"}',
        folder=spec.parent,
    )
    return workspace.run(Workspace.compile(spec), setting).statement_id


def errors(forger: Forger, statement: Digest) -> set[str]:
    """Return what a plain verification finds."""
    report = verify(forger.store, StatementId(statement), trust=trusting(7), now=NOW)
    assert report.trusted
    return {finding.id for finding in report.findings if finding.severity == "error"}


def outcome(forger: Forger, name: Digest, edit: Edit) -> str | None:
    """Return how an edit is noticed: found, left or not at all; none if it is no record."""
    statement = forger.build(name, apply(edit))
    if statement is None:
        return None
    if errors(forger, statement):
        return "found"
    deep = rederivation(forger.store, StatementId(statement))
    if {finding.id for finding in deep.findings} == {"falsifiability-not-rederived"}:
        if edit.field.endswith("falsifiability"):
            return "found"
        # Whoever edits an invariant can state the falsifiability that follows, too.
        share = deep.findings[0].detail.rpartition("stored, ")[2].split()[0]
        statement = forger.build(name, apply(edit), share=share)
        assert statement is not None
        assert not errors(forger, statement)
        deep = rederivation(forger.store, StatementId(statement))
    if deep.findings:
        return "found"
    return "left" if deep.not_rederived else "unnoticed"


def edits(forger: Forger, kind: str) -> Iterator[tuple[Digest, Edit]]:
    fields = Fields({**forger.others, **forger.kinds})
    for name in forger.order:
        if forger.kinds[name] == kind:
            yield from ((name, edit) for edit in fields.edits(kind, forger.values[name]))


def tried(forger: Forger, kind: str) -> Tried:
    """Try every edit of every field of a kind."""
    done: Counter[tuple[str, str]] = Counter()
    found = Tried(set(), {}, set())
    for name, edit in edits(forger, kind):
        if done[edit.field, edit.what] == TWICE:
            continue
        came = outcome(forger, name, edit)
        if came is None:
            continue
        done[edit.field, edit.what] += 1
        found.fields.add(edit.field)
        if came == "unnoticed":
            found.unnoticed.setdefault(edit.field, []).append(edit.what)
        elif came == "left":
            found.left.add(edit.field)
    return found


def of(kind: str, fields: Any) -> set[str]:
    return {field for field in fields if field.split(".")[0] == kind}


def test_the_session_is_whole(forger: Forger) -> None:
    """Nothing of what follows is found in the session as it is, nor in a faithful copy."""
    statement = forger.order[-1]
    assert forger.build(statement, lambda value: value) == statement
    assert not errors(forger, statement)
    deep = rederivation(forger.store, StatementId(statement))
    assert deep == ((), ())


@pytest.mark.parametrize("kind", [*KINDS, "statement"])
def test_every_edit_is_noticed(forger: Forger, kind: str) -> None:
    found = tried(forger, kind)
    top = {".".join(field.replace("[]", "").split(".")[:2]) for field in found.fields}
    assert every_field(kind) == top - {"statement.predicate"}
    surprises = {name: what for name, what in found.unnoticed.items() if name not in UNNOTICED}
    assert not surprises
    assert of(kind, UNNOTICED) == found.unnoticed.keys(), "the list has more than is needed"
    assert of(kind, LEFT) == found.left
