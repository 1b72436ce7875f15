"""Documents for programs, and the page that lists their fields."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from sessions import NOW, Built, build, trusting

from probatum.evidence.diff import diff_manifests, diff_sessions
from probatum.evidence.findings import found
from probatum.evidence.history import History, history
from probatum.evidence.inspect import inspect
from probatum.evidence.log import Log, log
from probatum.evidence.manifest import build_manifest, read_manifest
from probatum.evidence.replay import replay
from probatum.evidence.report import StoreReport
from probatum.evidence.statements import Damaged, read_statement
from probatum.evidence.vault import fetch
from probatum.evidence.verify import verify, verify_all
from probatum.records.base import UNSET
from probatum.records.inputs import ToolCall
from probatum.records.session import Session
from probatum.render import json as render
from probatum.store import Store

RECORDS = {
    "accounting", "detail", "environment", "execution", "new", "old", "perturbation", "record",
    "target", "totals", "invocation", "settings",
}  # fmt: skip
"""Fields that hold a stored record, or a part of one, which the format pages describe."""

MAPS = {"objects", "axes", "classes", "counts", "rows"}
"""Fields that hold a value for each of several names."""


def rich() -> tuple[Store, Built, Built]:
    def calls(record: Any) -> Any:
        return msgspec.structs.replace(record, tool_calls=(ToolCall(name="f", arguments="{}"),))

    store = Store.memory()
    one = build(store=store, control=1, broken={("alpha", 0)}, missing={("alpha", 2)})
    hooks = {"output:beta:1": calls}
    two = build(store=store, control=1, cases={"alpha": {1}, "beta": set()}, hooks=hooks)
    return store, one, two


def documents() -> dict[str, list[Any]]:
    """Return examples of every document, by name."""
    store, one, two = rich()
    blobs = build(long={"beta"})
    session = fetch(store, read_statement(store, one.statement).predicate.root, Session)
    rows = read_statement(store, one.statement).predicate.cases
    result = SimpleNamespace(statement_id=one.statement, session=session, rows=rows)
    with_stray = build().store
    with_stray.put("blob", b"stray")
    files = [read_manifest(build_manifest(store, it.statement)) for it in (one, two)]
    damaged = build(hooks={"verdict:beta": lambda it: msgspec.structs.replace(it, traits=("x",))})
    deep = SimpleNamespace(findings=(found("pack-block", place="pack/x"),), not_rederived=())
    broken = (Damaged(statement=one.statement, error="gone"),)
    stray = StoreReport(sessions=(), findings=deep.findings, objects=0, quick=False)
    texts = [
        render.run(result, signed="local key 7f3a", store="x"),
        render.replay(replay(store, one.statement, trust=trusting(7), now=NOW)),
        render.replay(replay(store, one.statement)),
        render.log(log(store)),
        render.log(Log(entries=(), damaged=broken)),
        render.history(history(store, "beta")),
        render.history(History(case="x", points=(), sessions=0, damaged=broken)),
        render.inspect(inspect(store, one.statement, "alpha")),
        render.inspect(inspect(store, two.statement, "beta")),
        render.inspect(inspect(blobs.store, blobs.statement, "beta")),
        render.diff(diff_sessions(store, two.statement, one.statement)),
        render.diff(diff_manifests(files[0], files[1])),
        render.verify(verify(store, one.statement, trust=trusting(7), now=NOW)),
        render.verify(verify(damaged.store, damaged.statement, now=NOW, deep=deep)),
        render.verify(verify(store, one.ids["spec"], now=NOW)),
        render.verify_all(verify_all(store, now=NOW), require_trust=True),
        render.verify_all(verify_all(with_stray, now=NOW)),
        render.verify_all(stray),
    ]
    made: dict[str, list[Any]] = {}
    for text in texts:
        assert text.isascii()
        value = json.loads(text, parse_float=pytest.fail)
        name, slash, version = value.pop("document").partition("/")
        assert (slash, version) == ("/", "1")
        made.setdefault(name.removeprefix("probatum-"), []).append(value)
    return made


DOCUMENTS = documents()


def paths(value: Any, prefix: str = "") -> set[str]:
    """Return the dotted paths of all fields, records and maps taken as one."""
    found: set[str] = set()
    if isinstance(value, list):
        return {path for item in value for path in paths(item, prefix)}
    for name, item in value.items():
        path = f"{prefix}{name}"
        found.add(path)
        # `old` and `new` are whole sessions at the top, and summaries below.
        opaque = name in MAPS | RECORDS and not (name in ("old", "new") and not prefix)
        parts = [item] if isinstance(item, dict) else item if isinstance(item, list) else []
        if not opaque and any(isinstance(part, dict) for part in parts):
            found |= paths(parts, f"{path}.")
    return found


def page(repository: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    name = ""
    for line in (repository / "docs/json.md").read_text("utf-8").splitlines():
        if heading := re.fullmatch(r"## `probatum-([a-z-]+)/1`", line):
            name = heading[1]
            found[name] = set()
        elif line.startswith("## "):
            name = ""
        elif name and line.startswith("| `"):
            cell = line.split(" | ")[0]
            found[name] |= set(re.findall(r"`([^`]+)`", cell))
    return found


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_page_lists_every_field(repository: Path, name: str) -> None:
    shown = {path for value in DOCUMENTS[name] for path in paths(value)}
    if name == "verify-all":  # its sessions are documents of verify
        shown = {path for path in shown if not path.startswith("sessions.")}
    assert shown - page(repository)[name] == set()
    assert page(repository)[name] - shown == set()


def test_codes_that_apply() -> None:
    assert DOCUMENTS["run"][0]["exit_codes"] == [3, 1]
    assert DOCUMENTS["diff"][0]["exit_codes"] == [5, 4]
    assert DOCUMENTS["verify"][0]["exit_codes"] == [0]
    assert DOCUMENTS["verify"][1]["exit_codes"] == [7]
    assert DOCUMENTS["verify-all"][0]["exit_codes"] == [8]


def test_a_run_that_is_complete(built: Built) -> None:
    predicate = read_statement(built.store, built.statement).predicate
    session = fetch(built.store, predicate.root, Session)
    result = SimpleNamespace(statement_id=built.statement, session=session, rows=predicate.cases)
    value = json.loads(render.run(result, signed="", store="x"))
    assert value["exit_codes"] == [1]
    assert value["session"] == built.statement
    assert [case["verdict"] for case in value["cases"]] == ["STABLE", "FRAGILE"]


def test_rows_without_a_summary(built: Built) -> None:
    value = built.store
    hooked = build(hooks={"row:beta": lambda row: msgspec.structs.replace(row, summary=UNSET)})
    cases = json.loads(render.replay(replay(hooked.store, hooked.statement)))["cases"]
    assert "rule" not in cases[1]
    assert cases[1]["detail"]["verdict"] == "FRAGILE"
    assert value is built.store


def test_damaged_sessions_are_listed(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store", create=True)
    name = build(store=store).statement
    file = tmp_path / "store" / "obj" / name[:2] / name[2:]
    file.chmod(0o600)
    file.write_bytes(b"")
    value = json.loads(render.log(log(Store.open(tmp_path / "store"))))
    assert value["sessions"] == []
    assert [item["session"] for item in value["damaged"]] == [name]


def test_documents_are_harmless_and_exact() -> None:
    built = build(cases={"a\u202e\x1b": set()})
    text = render.replay(replay(built.store, built.statement))
    assert text.isascii()
    assert "\x1b" not in text
    assert json.loads(text)["cases"][0]["case"] == "a\u202e\x1b"


def test_document_for_other_faces() -> None:
    assert json.loads(render.document("tag", name="x", deleted=False)) == {
        "document": "probatum-tag/1",
        "name": "x",
        "deleted": False,
    }
