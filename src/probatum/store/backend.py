"""What the store needs from the place it is kept in.

Paths are relative to the store, with forward slashes, and made by the store
itself: nothing that evidence says ever becomes a path. A file is either
absent or whole: it is written under another name first, then published.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol


class Staged(Protocol):
    """A file that nobody sees until it is committed."""

    def write(self, data: bytes) -> None:
        """Append `data`; on failure the file is gone."""
        ...

    def commit(self, path: str, *, replace: bool = False) -> bool:
        """Make the file durable and visible at `path`.

        Returns:
            Whether it is there because of this call: without `replace`, a
            file that was there before is left as it is.
        """
        ...

    def abort(self) -> None:
        """Drop the file, unless it is committed."""
        ...


class Log(Protocol):
    """A file that grows, held by one process at a time."""

    @property
    def size(self) -> int:
        """Bytes in the file."""
        ...

    def append(self, data: bytes) -> None:
        """Write `data` at the end, or leave the file as it was and raise."""
        ...

    def sync(self) -> None:
        """Return once everything appended is durable."""
        ...

    def read_at(self, offset: int, size: int) -> bytes:
        """Return up to `size` bytes; fewer only at the end."""
        ...

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes, durably."""
        ...

    def close(self) -> None:
        """Let go of the file; it stays. Closing twice is allowed."""
        ...

    def remove(self) -> None:
        """Delete the file and let go of it."""
        ...


class Backend(Protocol):
    """A place for files.

    Every method raises ``EnvironmentFault`` when the machine refuses and
    ``IntegrityError`` (``not-a-file``, ``not-a-folder``) when something other
    than a regular file or folder stands where one is expected.
    """

    def read(self, path: str, limit: int) -> bytes | None:
        """Return a whole file of up to `limit` bytes, or nothing if it is absent.

        Raises:
            LimitError: If it is larger.
        """
        ...

    def read_at(self, path: str, offset: int, size: int) -> bytes | None:
        """Return up to `size` bytes of a file, or nothing if it is absent."""
        ...

    def size(self, path: str) -> int | None:
        """Return a file's size in bytes, or nothing if it is absent."""
        ...

    def list(self, folder: str) -> list[str]:
        """Return the sorted names in a folder; none if it is absent."""
        ...

    def create(self, path: str, data: bytes, *, replace: bool = False) -> bool:
        """Write a whole file durably; see ``Staged.commit`` for the result."""
        ...

    def touch(self, path: str) -> None:
        """Mark a file as wanted now, so that a collector leaves it alone."""
        ...

    def stage(self) -> Staged:
        """Begin a file whose name is known only at its end."""
        ...

    def create_log(self, path: str, data: bytes) -> Log:
        """Make a new log that holds `data`, locked before anyone can see it."""
        ...

    def open_log(self, path: str) -> Log | None:
        """Take over a log that nobody holds, or nothing if it is absent.

        Raises:
            ConflictError: If another process or object holds it.
        """
        ...

    def is_held(self, path: str) -> bool:
        """Tell whether somebody holds a log."""
        ...

    def lock(self) -> AbstractContextManager[None]:
        """Keep others from moving refs meanwhile.

        Raises:
            ConflictError: If it stays held for several seconds.
        """
        ...
