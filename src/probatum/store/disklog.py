"""The growing file of a journal on disk, held by one process through a lock.

The lock belongs to the open file, so it ends with the process, however that
ends: a log that nobody holds was left by a crash.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from probatum.errors import ConflictError
from probatum.store.faults import fault, faults

_ATTEMPTS: Final = 5
_PAUSE: Final = 0.02


class Folders(Protocol):
    """What a log needs from the folder it lives in."""

    root: Path

    def open_file(self, path: str, flags: int) -> int:
        """Open a regular file by its path in the store."""
        ...


class DiskLog:
    """An open, locked log.

    Args:
        disk: The folder that holds it.
        path: Its path in the store.
        fd: Its descriptor, locked exclusively.
        size: Its size in bytes.
    """

    def __init__(self, disk: Folders, path: str, fd: int, size: int) -> None:
        self._path = disk.root / path
        self._fd = fd
        self.size = size

    def append(self, data: bytes) -> None:
        """Write `data` at the end, or leave the file as it was and raise."""
        view = memoryview(data)
        at = self.size
        try:
            while view:
                count = os.pwrite(self._fd, view, at)
                at += count
                view = view[count:]
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._fd, self.size)
            raise fault(error, self._path) from error
        self.size = at

    def sync(self) -> None:
        """Return once everything appended is durable."""
        with faults(self._path):
            os.fdatasync(self._fd)

    def read_at(self, offset: int, size: int) -> bytes:
        """Return up to `size` bytes; fewer only at the end."""
        try:
            return os.pread(self._fd, size, offset)
        except OSError as error:
            raise fault(error, self._path) from error

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes, durably."""
        with faults(self._path):
            os.ftruncate(self._fd, size)
            os.fsync(self._fd)
        self.size = size

    def close(self) -> None:
        """Let go of the file and its lock; the file stays."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def remove(self) -> None:
        """Delete the file and let go of it."""
        with faults(self._path):
            self._path.unlink(missing_ok=True)
        self.close()


def take(disk: Folders, path: str) -> DiskLog | None:
    """Open and lock a log that exists, or return nothing if it does not.

    Raises:
        ConflictError: If somebody holds it.
    """
    try:
        fd = disk.open_file(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    if not _locked(fd):
        os.close(fd)
        raise ConflictError(
            "the session is still being written by another process",
            code="journal-held",
            hint="wait for it to end, or stop it",
        )
    # Whoever held it before may have finished and deleted it between opening and locking.
    status = os.fstat(fd)
    if status.st_nlink == 0:
        os.close(fd)
        return None
    return DiskLog(disk, path, fd, status.st_size)


def _locked(fd: int) -> bool:
    # A listing holds a shared lock for an instant; that is not a reason to give up.
    for _ in range(_ATTEMPTS):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE)
        else:
            return True
    return False
