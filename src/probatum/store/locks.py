"""Waiting for the store's lock, for a while."""

from __future__ import annotations

import fcntl
import time
from pathlib import Path
from typing import Final

from probatum.errors import ConflictError

PATIENCE: Final = 10.0
"""Seconds after which a held lock is reported instead of waited for."""

_PAUSE: Final = 0.01


def exclusive(fd: int, path: Path, *, patience: float = PATIENCE) -> None:
    """Take the exclusive lock of an open file; it ends when `fd` is closed.

    Raises:
        ConflictError: If others hold it for longer than `patience` seconds.
        OSError: If the file system has no locks.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise ConflictError(
                    f"{path}: held by another process", code="locked", hint="try again"
                ) from None
            time.sleep(_PAUSE)
        else:
            return
