"""The id of every stored object, and how people shorten it.

An id is the SHA-256 of a *preimage*: ``pb1 <kind> <size>``, a NUL byte, then
the payload. Kind and length are inside the hash, so bytes of one kind can
never be passed off as another. A loose object file holds exactly its
preimage, which is why ``sha256sum`` prints the file's own name.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import Final, NewType

from probatum.errors import IntegrityError

Digest = NewType("Digest", str)
"""64 lower-case hex digits. Records name the kind they expect by subtypes of it."""

SHORT: Final = 12
"""Hex digits shown to people."""

MIN_PREFIX: Final = 8
"""Fewest hex digits taken from people."""

KIND = re.compile(r"[a-z][a-z0-9-]{0,31}")
_HEADER: Final = 60


def preimage(kind: str, payload: bytes) -> bytes:
    """Return the bytes that are hashed for an object of `kind`."""
    return b"%b%d\x00%b" % (_begin(kind), len(payload), payload)


@lru_cache(maxsize=64)
def _begin(kind: str) -> bytes:
    return b"pb1 %b " % kind.encode("ascii")


def object_id(kind: str, payload: bytes) -> Digest:
    """Return the id of an object."""
    return Digest(hashlib.sha256(preimage(kind, payload)).hexdigest())


def sha256_hex(data: bytes) -> str:
    """Return the plain SHA-256 of `data` as lower-case hex."""
    return hashlib.sha256(data).hexdigest()


def split_preimage(data: bytes) -> tuple[str, bytes]:
    """Take a preimage apart into kind and payload.

    Raises:
        IntegrityError: If the header is malformed or its size is not the
            payload's.
    """
    header, nul, payload = data.partition(b"\x00")
    parts = header.split(b" ")
    if not nul or len(header) > _HEADER or len(parts) != 3 or parts[0] != b"pb1":
        raise IntegrityError("object has no header", code="bad-header")
    kind = _kind(parts[1])
    if not kind or parts[2] != b"%d" % len(payload):
        raise IntegrityError("object header does not fit its payload", code="bad-header")
    return kind, payload


@lru_cache(maxsize=64)
def _kind(name: bytes) -> str:
    """Return a kind's name, or none if it cannot be one."""
    kind = name.decode("ascii", "replace")
    return kind if KIND.fullmatch(kind) else ""


def is_digest(text: str) -> bool:
    """Tell whether `text` is a whole, well-formed id."""
    return len(text) == 64 and not text.strip("0123456789abcdef")


def short(digest: str) -> str:
    """Return the form of an id that people see; never stored."""
    return digest[:SHORT]
