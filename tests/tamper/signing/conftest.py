"""Keys with fixed seeds, a fixed present and a statement to tamper with."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from probatum.digest import Digest
from probatum.records import codec
from probatum.records.base import StatementId
from probatum.records.statement import RemovalPredicate, RemovalStatement, Sha256, Subject
from probatum.signing.keyfiles import PrivateKey


@pytest.fixture(scope="session")
def key() -> Callable[[int], PrivateKey]:
    def make(seed: int) -> PrivateKey:
        return PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32))

    return make


@pytest.fixture(scope="session")
def now() -> datetime:
    return datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def statement() -> bytes:
    removed = "4332c0d2a91b5e8f" * 4
    return codec.encode(
        RemovalStatement(
            type_="https://in-toto.io/Statement/v1",
            subject=(Subject(name="statement", digest=Sha256(sha256=removed)),),
            predicate=RemovalPredicate(
                removes=StatementId(Digest(removed)),
                seq=2,
                store="0f1e2d3c4b5a69788796a5b4c3d2e1f0",
                reason="superseded",
                time="2026-01-31T12:00:00.000Z",
            ),
        )
    )
