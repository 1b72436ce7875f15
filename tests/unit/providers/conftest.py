"""A folder to put systems into, and a way to ask them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probatum.plugins.protocols import Request, SystemConfig
from probatum.records.inputs import Input, text_input

Configure = Callable[..., SystemConfig]
Ask = Callable[..., Request]


@pytest.fixture
def configure(tmp_path: Path) -> Configure:
    """Return a maker of configurations whose folder is the test's own."""

    def make(name: str, timeout: float = 10.0, **given: Any) -> SystemConfig:
        return SystemConfig(
            name=name,
            options=given.pop("options", {}),
            params=given.pop("params", {}),
            folder=given.pop("folder", tmp_path),
            timeout=timeout,
            parallel=2,
            **given,
        )

    return make


@pytest.fixture
def ask() -> Ask:
    """Return a maker of requests."""

    def make(value: str | Input = "hello", **place: Any) -> Request:
        full: dict[str, Any] = {
            "case": "c",
            "arm": "baseline",
            "declaration": "",
            "index": 0,
            "repeat": 0,
            **place,
        }
        return Request(text_input(value) if isinstance(value, str) else value, **full)

    return make
