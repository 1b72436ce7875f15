"""Detached signatures: files beside the statements, which never change."""

from __future__ import annotations

import re
from typing import Final

from probatum.digest import Digest, is_digest
from probatum.errors import ConflictError, LimitError, UsageError
from probatum.store.backend import Backend

MAX_SIGNATURES: Final = 16
MAX_SIGNATURE: Final = 64 * 1024
NAME: Final = re.compile(r"([0-9a-f]{64})\.([0-9a-f]{16,64})\.json")


def read(backend: Backend, statement: Digest) -> list[bytes]:
    """Return every signature file of a statement, by key fingerprint.

    Raises:
        LimitError: If there are more than 16, or one is over 64 KiB.
    """
    files = [
        file
        for file in backend.list("sig")
        if (match := NAME.fullmatch(file)) and match[1] == statement
    ]
    if len(files) > MAX_SIGNATURES:
        raise LimitError(
            f"{len(files)} signatures on one statement, over the limit of {MAX_SIGNATURES}"
        )
    found = (backend.read(f"sig/{file}", MAX_SIGNATURE) for file in files)
    return [data for data in found if data is not None]


def add(backend: Backend, statement: Digest, fingerprint: str, data: bytes) -> bool:
    """Keep a signature durably and return whether it was new.

    Args:
        backend: Where the store is kept.
        statement: What was signed.
        fingerprint: 16 to 64 hex digits of the key's SHA-256.
        data: The signature file.

    Raises:
        UsageError: If `fingerprint` is malformed.
        LimitError: If `data` is over 64 KiB or the statement has 16 others.
        ConflictError: If this key has signed it with other bytes.
    """
    file = f"{statement}.{fingerprint}.json"
    if not is_digest(statement) or not NAME.fullmatch(file):
        raise UsageError(f"not a key fingerprint: {fingerprint[:80]!r}")
    if len(data) > MAX_SIGNATURE:
        raise LimitError(f"a signature of {len(data)} bytes is over the limit of {MAX_SIGNATURE}")
    if len(read(backend, statement)) >= MAX_SIGNATURES and backend.size(f"sig/{file}") is None:
        raise LimitError(f"a statement takes at most {MAX_SIGNATURES} signatures")
    if backend.create(f"sig/{file}", data):
        return True
    if backend.read(f"sig/{file}", MAX_SIGNATURE) != data:
        raise ConflictError(
            f"sig/{file}: another signature by this key is there",
            code="signature-differs",
            hint="move that file away if it is damaged",
        )
    return False
