"""One session of each sort, shared by the render tests."""

from __future__ import annotations

import pytest
from sessions import Built, build


@pytest.fixture(scope="session")
def built() -> Built:
    return build()


def roles(text: str, role: str) -> str:
    """A style that can be seen in a test."""
    return f"<{role}>{text}</>"
