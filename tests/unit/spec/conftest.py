"""Specs small enough to read, and what loading them says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from probatum.errors import SpecError
from probatum.plugins.registry import Registry
from probatum.spec.compiled import Compiled
from probatum.spec.load import load_spec

BASE = """\
falsify: {version: "1.0", name: small}
model: {provider: python, model: "bot:answer"}
run: {seed: 1}
cases:
  - id: one
    input: {text: hello}
    perturbations: [{type: typo_noise}]
    invariants: [{type: contains, values: [x]}]
"""


@pytest.fixture
def registry() -> Registry:
    return Registry()


@pytest.fixture
def base() -> str:
    """A spec of one case; line 6 holds its input, 7 and 8 its lists."""
    return BASE


@pytest.fixture
def load(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Compiled]:
    """Load a text as ``s.yaml`` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(text: str | bytes, *changes: tuple[str, str]) -> Compiled:
        data = text.encode() if isinstance(text, str) else text
        for old, new in changes:
            assert old.encode() in data
            data = data.replace(old.encode(), new.encode(), 1)
        Path("s.yaml").write_bytes(data)
        return load_spec(Path("s.yaml"), registry)

    return run


@pytest.fixture
def refused(load: Callable[..., Compiled]) -> Callable[..., SpecError]:
    """Load a text that is wrong and return the error."""

    def run(text: str | bytes, *changes: tuple[str, str]) -> SpecError:
        with pytest.raises(SpecError) as caught:
            load(text, *changes)
        return caught.value

    return run
