"""The scenes of the unit tests, which turn words into records."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

BUILDER = Path(__file__).parents[2] / "unit" / "verdicts" / "builder.py"


@pytest.fixture
def scenes():
    """The module of `Scene` and `Fam`."""
    name = "probatum_verdict_scenes"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, BUILDER)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]
