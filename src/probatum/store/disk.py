"""A store's files in a folder on disk.

Folders are opened one by one, relative to the folder above, and never through
a symbolic link, so that a link planted inside a store leads nowhere. What is
written is durable in this order: temporary file, its bytes, fsync, its name,
fsync of the folder.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from probatum.errors import EnvironmentFault, IntegrityError, LimitError
from probatum.store.disklog import DiskLog, take
from probatum.store.faults import fault, faults
from probatum.store.locks import exclusive

_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS: Final = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_CHUNK: Final = 1 << 20


class DiskBackend:
    """Files under one root folder, which exists.

    Args:
        root: The store's own folder; it alone may be reached through a link.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, path: str, limit: int) -> bytes | None:
        """Return a whole file, or nothing if it is absent."""
        with self._reading(path) as fd:
            if fd is None:
                return None
            size = os.fstat(fd).st_size
            if size > limit:
                raise LimitError(f"{self.root / path}: {size} bytes, over the limit of {limit}")
            return _pread(fd, 0, size)

    def read_at(self, path: str, offset: int, size: int) -> bytes | None:
        """Return up to `size` bytes from `offset`, or nothing if the file is absent."""
        with self._reading(path) as fd:
            return None if fd is None else _pread(fd, offset, size)

    def size(self, path: str) -> int | None:
        """Return a file's size, or nothing if it is absent."""
        with self._reading(path) as fd:
            return None if fd is None else os.fstat(fd).st_size

    def list(self, folder: str) -> list[str]:
        """Return the sorted names in a folder; none if it is absent."""
        with faults(self.root / folder):
            try:
                with self.folder(folder) as fd:
                    return sorted(os.listdir(fd))  # noqa: PTH208  (pathlib opens no descriptors)
            except FileNotFoundError:
                return []

    def create(self, path: str, data: bytes, *, replace: bool = False) -> bool:
        """Write a whole file durably, leaving one that is there unless told to replace it."""
        staged = self.stage()
        staged.write(data)
        return staged.commit(path, replace=replace)

    def touch(self, path: str) -> None:
        """Set a file's times to now; a store that cannot be written is left alone."""
        parent, _, name = path.rpartition("/")
        with suppress(OSError), self.folder(parent) as folder:
            os.utime(name, dir_fd=folder, follow_symlinks=False)

    def stage(self) -> DiskStaged:
        """Begin a file whose name is known only at its end."""
        return DiskStaged(self)

    def create_log(self, path: str, data: bytes) -> DiskLog:
        """Make a new log, locked before its name is visible."""
        staged = self.stage()
        staged.write(data)
        return staged.commit_log(path)

    def open_log(self, path: str) -> DiskLog | None:
        """Take over a log that nobody holds, or nothing if it is absent."""
        with faults(self.root / path):
            return take(self, path)

    def is_held(self, path: str) -> bool:
        """Tell whether another process, or another object here, holds a log."""
        with self._reading(path) as fd:
            if fd is None:
                return False
            try:
                fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            return False

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the store's lock file for moving refs."""
        with faults(self.root / "lock"):
            fd = self.open_file("lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            with faults(self.root / "lock"):
                exclusive(fd, self.root / "lock")
            yield
        finally:
            os.close(fd)

    @contextmanager
    def folder(self, path: str, *, make: bool = False) -> Iterator[int]:
        """Open a folder of the store by its descriptor; make it first if asked to.

        Raises:
            FileNotFoundError: If it is absent.
            IntegrityError: If a link or a file stands there.
        """
        fd = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in path.split("/") if path else ():
                below = self._below(fd, part, path, make=make)
                os.close(fd)
                fd = below
            yield fd
        finally:
            os.close(fd)

    def open_file(self, path: str, flags: int) -> int:
        """Open a regular file and return its descriptor.

        Raises:
            FileNotFoundError: If it is absent.
            IntegrityError: If anything but a regular file stands there.
        """
        parent, _, name = path.rpartition("/")
        with self.folder(parent) as folder:
            try:
                fd = os.open(name, flags, 0o666, dir_fd=folder)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
                    raise self._strange(path) from None
                raise
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise self._strange(path)
        return fd

    @contextmanager
    def _reading(self, path: str) -> Iterator[int | None]:
        with faults(self.root / path):
            try:
                fd = self.open_file(path, _READ)
            except FileNotFoundError:
                yield None
                return
            try:
                yield fd
            finally:
                os.close(fd)

    def _below(self, fd: int, part: str, path: str, *, make: bool) -> int:
        try:
            return os.open(part, _FOLDER, dir_fd=fd)
        except FileNotFoundError:
            if not make:
                raise
        except OSError as error:
            if error.errno in (errno.ENOTDIR, errno.ELOOP):
                raise IntegrityError(
                    f"{self.root / path}: not a folder",
                    code="not-a-folder",
                    hint="a link or a file stands where the store keeps a folder",
                ) from None
            raise
        with suppress(FileExistsError):
            os.mkdir(part, dir_fd=fd)
        os.fsync(fd)
        return self._below(fd, part, path, make=False)

    def _strange(self, path: str) -> IntegrityError:
        return IntegrityError(
            f"{self.root / path}: not a regular file",
            code="not-a-file",
            hint="a link, a folder or a device stands where the store keeps a file",
        )


class DiskStaged:
    """A file in ``tmp/`` that is published under its name, or vanishes."""

    def __init__(self, disk: DiskBackend) -> None:
        self._disk = disk
        self._name = f"{os.urandom(12).hex()}.part"
        self._path = disk.root / "tmp" / self._name
        with faults(self._path), disk.folder("tmp", make=True) as tmp:
            self._fd = os.open(self._name, _NEW, 0o666, dir_fd=tmp)
        self._size = 0

    def write(self, data: bytes) -> None:
        """Append `data`; on failure the file is gone."""
        with self._or_nothing():
            view = memoryview(data)
            while view:
                view = view[os.write(self._fd, view) :]
            self._size += len(data)

    def commit(self, path: str, *, replace: bool = False) -> bool:
        """Make the file durable and visible at `path`."""
        with self._or_nothing():
            os.fsync(self._fd)
            published = self._publish(path, replace=replace)
        self.abort()
        return published

    def commit_log(self, path: str) -> DiskLog:
        """Publish the file as a log that this process holds from the first moment."""
        with self._or_nothing():
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.fsync(self._fd)
            self._publish(path, replace=False)
        fd, self._fd = self._fd, -1
        self._unlink()
        return DiskLog(self._disk, path, fd, self._size)

    def abort(self) -> None:
        """Drop the temporary name; harmless after a commit."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
            self._unlink()

    def _publish(self, path: str, *, replace: bool) -> bool:
        parent, _, name = path.rpartition("/")
        with self._disk.folder(parent, make=True) as into, self._disk.folder("tmp") as tmp:
            if replace:
                os.rename(self._name, name, src_dir_fd=tmp, dst_dir_fd=into)
            elif not self._link(tmp, into, name):
                return False
            os.fsync(into)
        return True

    def _link(self, tmp: int, into: int, name: str) -> bool:
        try:
            os.link(self._name, name, src_dir_fd=tmp, dst_dir_fd=into, follow_symlinks=False)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            # A file system without hard links: two writers of one name carry the same bytes.
            if name in os.listdir(into):
                return False
            os.rename(self._name, name, src_dir_fd=tmp, dst_dir_fd=into)
        return True

    def _unlink(self) -> None:
        with suppress(OSError), self._disk.folder("tmp") as tmp:
            os.unlink(self._name, dir_fd=tmp)

    @contextmanager
    def _or_nothing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.abort()
            raise fault(error, self._path) from error
        except (IntegrityError, EnvironmentFault):
            self.abort()
            raise


def _pread(fd: int, offset: int, size: int) -> bytes:
    data = os.pread(fd, size, offset)
    if len(data) == size or not data:
        return data
    parts = [data]
    have = len(data)
    while have < size and (data := os.pread(fd, min(size - have, _CHUNK), offset + have)):
        parts.append(data)
        have += len(data)
    return b"".join(parts)
