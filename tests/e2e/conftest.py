"""The desk that every test of a command sits at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> Desk:
    """A desk of one's own."""
    return Desk(tmp_path, monkeypatch, capfd)
