"""Objects that are put one by one: a file each, holding exactly what is hashed.

``sha256sum`` on such a file prints its own name. Each put costs an fsync of
file and folder; whatever comes in numbers goes through a journal instead.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from probatum.digest import Digest
from probatum.errors import IntegrityError, LimitError
from probatum.store.backend import Backend
from probatum.store.pack import MAX_PREIMAGE

_FAN: Final = r"[0-9a-f]{2}"
_REST: Final = r"[0-9a-f]{62}"


def path_of(name: Digest) -> str:
    """Return where an object lies, relative to the store."""
    return f"obj/{name[:2]}/{name[2:]}"


def read(backend: Backend, name: Digest) -> bytes | None:
    """Return the bytes of an object's file, not yet hashed, or nothing.

    Raises:
        IntegrityError: If it is no regular file, or larger than any object.
    """
    try:
        return backend.read(path_of(name), MAX_PREIMAGE)
    except LimitError as error:
        raise IntegrityError(str(error), code="object-corrupt") from None


def write(backend: Backend, name: Digest, preimage: bytes) -> None:
    """Keep an object durably; one that is there is only marked as wanted.

    A file of that name whose bytes are damaged is replaced.
    """
    path = path_of(name)
    if backend.create(path, preimage):
        return
    with suppress(IntegrityError):
        stored = read(backend, name)
        if stored is not None and hashlib.sha256(stored).hexdigest() == name:
            backend.touch(path)
            return
    backend.create(path, preimage, replace=True)


def names(backend: Backend, prefix: str = "") -> Iterator[Digest]:
    """Yield the ids of all loose objects that begin with `prefix`, ascending."""
    for fan in backend.list("obj"):
        if re.fullmatch(_FAN, fan) and (prefix.startswith(fan) or not prefix):
            for rest in backend.list(f"obj/{fan}"):
                if re.fullmatch(_REST, rest) and f"{fan}{rest}".startswith(prefix):
                    yield Digest(fan + rest)
