"""A laboratory: a folder, a store, a clock that counts, and systems made of a few lines."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probatum.engine import pipeline
from probatum.engine.pipeline import RunResult, Setting
from probatum.engine.sources import Sources
from probatum.plugins.protocols import Answer, Request, SystemConfig
from probatum.plugins.registry import Registry
from probatum.records.session import Environment
from probatum.records.target import Target
from probatum.spec.compiled import Compiled
from probatum.spec.load import load_spec
from probatum.store import Store

ENVIRONMENT = Environment(
    tool="probatum 0", python="3.11", implementation="cpython", os="linux", machine="x", packages=()
)

CASE: dict[str, Any] = {
    "id": "one",
    "input": {"text": "Where is my parcel, please?"},
    "perturbations": [{"type": "typo_noise", "count": 3}, {"type": "casing"}],
    "invariants": [{"type": "contains", "values": ["parcel"]}],
}


class Scripted:
    """A provider and system in one, whose answers a test decides."""

    name = "python"
    bounded = True
    target = Target(provider="python", model="scripted", params="{}")

    def __init__(self, answer: Callable[[Request], Any]) -> None:
        self._answer = answer
        self.asked: list[Request] = []
        self.closed = 0

    def open(self, config: SystemConfig) -> Scripted:
        self.config = config
        return self

    def call(self, request: Request) -> Any:
        self.asked.append(request)
        found = self._answer(request)
        return Answer(found) if isinstance(found, str | bytes) else found

    def close(self) -> None:
        self.closed += 1


class Scripts(Registry):
    """The built-in plugins, with a scripted system in place of Python callables."""

    def __init__(self, system: Scripted) -> None:
        super().__init__()
        self.system = system

    def provider(self, name: str) -> Any:
        return self.system


class Lab:
    """What a test of the engine needs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = Store.memory()
        self.registry = Registry()
        ticks = itertools.count(1_700_000_000_000_000, 1_000)
        self.clock = lambda: next(ticks)

    def compile(self, *cases: dict[str, Any], **sections: Any) -> Compiled:
        """Compile a spec; each case is changed from the usual one by what is given."""
        spec = {
            "falsify": {"version": "1.0", "name": "lab"},
            "model": {"provider": "python", "model": "bot.py:answer"},
            "run": {"seed": 7, **sections.pop("run", {})},
            "cases": [{**CASE, **case} for case in cases or ({},)],
            **sections,
        }
        path = self.folder / "spec.yaml"
        path.write_text(json.dumps(spec, indent=1))
        return load_spec(path, self.registry)

    def callable(self, source: str) -> None:
        """Write the callable that specs name."""
        (self.folder / "bot.py").write_text(source)

    def scripted(self, answer: Callable[[Request], Any]) -> Scripted:
        """Let a function of the request answer instead of a callable."""
        system = Scripted(answer)
        self.registry = Scripts(system)
        return system

    def setting(self, **given: Any) -> Setting:
        """Return a setting."""
        return Setting(
            **{
                "clock": self.clock,
                "environment": lambda: ENVIRONMENT,
                "invocation": "{}",
                "folder": self.folder,
                **given,
            }
        )

    def run(self, compiled: Compiled, **given: Any) -> RunResult:
        """Run a spec."""
        where = {name: given.pop(name) for name in ("journal", "continues") if name in given}
        return pipeline.run(
            compiled,
            registry=self.registry,
            store=self.store,
            setting=self.setting(**given),
            **where,
        )

    def recompile(self, sources: Sources) -> Compiled:
        """Compile what a journal or a session has kept."""
        first = Path(sources.files[0][0])
        return load_spec(first, self.registry, files=dict(sources.files))


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """Return a fresh laboratory."""
    return Lab(tmp_path)
