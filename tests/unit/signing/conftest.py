"""Keys with fixed seeds and a fixed present, shared by the signing tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from probatum.signing.keyfiles import PrivateKey


@pytest.fixture(scope="session")
def key() -> Callable[[int], PrivateKey]:
    def make(seed: int) -> PrivateKey:
        return PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32))

    return make


@pytest.fixture(scope="session")
def now() -> datetime:
    return datetime(2026, 6, 1, 12, tzinfo=UTC)
