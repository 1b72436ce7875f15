"""The same promises for a store on disk and a store in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from probatum.store import Store
from probatum.store.backend import Backend
from probatum.store.disk import DiskBackend
from probatum.store.memory import MemoryBackend


@pytest.fixture(params=["disk", "memory"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    """An empty place for files."""
    return DiskBackend(tmp_path) if request.param == "disk" else MemoryBackend()


@pytest.fixture(params=["disk", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """An empty store."""
    if request.param == "memory":
        return Store.memory()
    return Store.open(tmp_path / ".probatum", create=True)


@pytest.fixture
def again(store: Store) -> Callable[[], Store]:
    """What another process sees when it opens the store now."""

    def open_again() -> Store:
        if store.path is not None:
            return Store.open(store.path)
        return Store(store._backend, store.id, None)

    return open_again
