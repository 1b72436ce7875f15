"""A store's files in memory, for ``:memory:`` and for tests.

It keeps the same promises as a folder on disk but one: nothing outlives the
process.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from probatum.errors import ConflictError, LimitError


class MemoryBackend:
    """Files in a dictionary."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.logs: dict[str, MemoryLog] = {}
        self._lock = threading.RLock()

    def read(self, path: str, limit: int) -> bytes | None:
        """Return a whole file, or nothing if it is absent."""
        data = self._content(path)
        if data is not None and len(data) > limit:
            raise LimitError(f"{path}: {len(data)} bytes, over the limit of {limit}")
        return data

    def read_at(self, path: str, offset: int, size: int) -> bytes | None:
        """Return up to `size` bytes from `offset`, or nothing if the file is absent."""
        data = self._content(path)
        return None if data is None else data[offset : offset + size]

    def size(self, path: str) -> int | None:
        """Return a file's size, or nothing if it is absent."""
        data = self._content(path)
        return None if data is None else len(data)

    def list(self, folder: str) -> list[str]:
        """Return the sorted names in a folder; none if it is absent."""
        start = f"{folder}/" if folder else ""
        with self._lock:
            paths = [*self.files, *self.logs]
        return sorted({p[len(start) :].split("/")[0] for p in paths if p.startswith(start)})

    def create(self, path: str, data: bytes, *, replace: bool = False) -> bool:
        """Keep a whole file, leaving one that is there unless told to replace it."""
        with self._lock:
            if path in self.files and not replace:
                return False
            self.files[path] = data
            return True

    def touch(self, path: str) -> None:
        """Do nothing: nothing in memory is ever collected."""

    def stage(self) -> MemoryStaged:
        """Begin a file whose name is known only at its end."""
        return MemoryStaged(self)

    def create_log(self, path: str, data: bytes) -> MemoryLog:
        """Make a new log that holds `data`, held by the caller."""
        log = MemoryLog(self, path, data)
        with self._lock:
            self.logs[path] = log
        return log

    def open_log(self, path: str) -> MemoryLog | None:
        """Take over a log that nobody holds, or nothing if it is absent."""
        with self._lock:
            log = self.logs.get(path)
            if log is not None and log.held:
                raise ConflictError(
                    "the session is still being written", code="journal-held", hint="close it first"
                )
            if log is not None:
                log.held = True
            return log

    def is_held(self, path: str) -> bool:
        """Tell whether somebody holds a log."""
        log = self.logs.get(path)
        return log is not None and log.held

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the store's lock for moving refs."""
        with self._lock:
            yield

    def _content(self, path: str) -> bytes | None:
        log = self.logs.get(path)
        return self.files.get(path) if log is None else bytes(log.data)


class MemoryStaged:
    """Chunks that become a file when they are committed."""

    def __init__(self, memory: MemoryBackend) -> None:
        self._memory = memory
        self._chunks: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Append `data`."""
        self._chunks.append(data)

    def commit(self, path: str, *, replace: bool = False) -> bool:
        """Make the file visible at `path`."""
        return self._memory.create(path, b"".join(self._chunks), replace=replace)

    def abort(self) -> None:
        """Drop what was written."""
        self._chunks.clear()


class MemoryLog:
    """A growing file."""

    def __init__(self, memory: MemoryBackend, path: str, data: bytes) -> None:
        self._memory = memory
        self._path = path
        self.data = bytearray(data)
        self.held = True

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return len(self.data)

    def append(self, data: bytes) -> None:
        """Write `data` at the end."""
        self.data += data

    def sync(self) -> None:
        """Do nothing: memory is as durable as it gets."""

    def read_at(self, offset: int, size: int) -> bytes:
        """Return up to `size` bytes; fewer only at the end."""
        return bytes(self.data[offset : offset + size])

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes."""
        del self.data[size:]

    def close(self) -> None:
        """Let go of the file; it stays."""
        self.held = False

    def remove(self) -> None:
        """Delete the file and let go of it."""
        self._memory.logs.pop(self._path, None)
        self.held = False
