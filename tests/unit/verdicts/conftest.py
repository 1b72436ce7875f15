"""Scenes for the tests of verdicts."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest


def _builder():
    name = "probatum_verdict_scenes"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("builder.py"))
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture
def scene():
    """The class `Scene`, which makes the records of a case from words."""
    return _builder().Scene


@pytest.fixture
def fam():
    """Makes a family of n perturbations of which the first k pass."""
    return _builder().fam


@pytest.fixture
def runs_of():
    """Makes a family from the words for its perturbations."""
    return lambda family, *runs, **rest: _builder().Fam(family, runs=runs, **rest)
