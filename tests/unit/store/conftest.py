"""A store on disk whose files can be changed behind its back."""

from __future__ import annotations

from pathlib import Path

import pytest

from probatum.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store in `tmp_path/.probatum`."""
    return Store.open(tmp_path / ".probatum", create=True)


@pytest.fixture
def root(store: Store) -> Path:
    """The store's folder."""
    assert store.path is not None
    return store.path
