"""Authored files compiled again."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from sessions import build, remove

from probatum import __version__
from probatum.records.base import UNSET
from probatum.workspace import respec as module
from probatum.workspace.deep import rederivation
from probatum.workspace.respec import respec

THIS = f"probatum {__version__}"


def session(**fields: Any) -> Any:
    def change(record: Any) -> Any:
        environment = msgspec.structs.replace(record.environment, tool=fields.pop("tool", THIS))
        return msgspec.structs.replace(record, environment=environment, **fields)

    return {"session": change}


def test_files_that_do_not_compile_did_not_make_this_session() -> None:
    built = build(hooks=session())
    found = respec(built.store, built.statement)
    assert found.root == built.ids["session"]
    assert found.differs.startswith("its authored files do not compile: spec.yaml: ")
    made = rederivation(built.store, built.statement)
    finding = made.findings[0]
    assert (finding.id, finding.object) == ("spec-not-rederived", built.ids["session"])
    assert all(item.what != "spec" for item in made.not_rederived)


def test_what_another_release_compiled_is_left() -> None:
    built = build(hooks=session(tool="probatum 9.9"))
    assert respec(built.store, built.statement).left == "other-release"
    made = rederivation(built.store, built.statement)
    assert (made.not_rederived[0].what, made.not_rederived[0].why) == ("spec", "other-release")
    assert all(finding.id != "spec-not-rederived" for finding in made.findings)


def test_without_files_nothing_can_be_compiled() -> None:
    built = build(hooks=session(sources=()))
    assert respec(built.store, built.statement).left == "no-sources"


def test_huge_files_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SOURCES", 3)
    built = build(hooks=session())
    assert respec(built.store, built.statement).left == "limit"


@pytest.mark.parametrize("label", ["session", "plan", "target", "source"])
def test_what_is_damaged_is_left(label: str) -> None:
    built = build(hooks=session(), omit={label})
    assert respec(built.store, built.statement).left == "damaged"


@pytest.mark.parametrize("params", ['{"temperature":"0.9"}', "{}", "[]", '{"a": 1}', "no"])
def test_parameters_that_the_files_do_not_give(params: str) -> None:
    source = b"""
probatum: {version: "1", name: desk}
model: {provider: python, name: "faq.py:answer", temperature: 0.5}
run: {seed: 1}
cases: [{id: alpha, input: {text: hi there}}]
"""

    def change(record: Any) -> Any:
        return msgspec.structs.replace(record, params=params)

    hooks = {**session(), "source": lambda _: source, "target": change}
    built = build(hooks=hooks)
    differs = respec(built.store, built.statement).differs
    assert "they give other parameters of the system" in differs
    assert "they give another spec" in differs
    assert "provider" not in differs


def test_a_removal_has_no_spec() -> None:
    built = build(hooks=session(continues=UNSET))
    assert respec(built.store, remove(built.store, built.statement)).left == "damaged"
