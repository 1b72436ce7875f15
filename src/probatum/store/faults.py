"""From what the operating system refuses to one line with a code and a hint."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from probatum.errors import EnvironmentFault

_KNOWN: Final[dict[int, tuple[str, str, str]]] = {
    errno.ENOSPC: ("no-space", "no space left", "free some space, then run it again"),
    errno.EDQUOT: ("no-space", "disk quota used up", "free some space, then run it again"),
    errno.EFBIG: ("no-space", "file size limit reached", "raise the limit of the file system"),
    errno.EROFS: (
        "read-only",
        "read-only file system",
        "give a store that can be written: --store DIR",
    ),
    errno.EACCES: ("permission", "permission denied", "check the owner and mode of the store"),
    errno.EPERM: ("permission", "operation not permitted", "check the owner and mode of the store"),
    errno.ENOTDIR: ("not-a-folder", "not a folder", "give a folder: --store DIR"),
    errno.EMFILE: ("too-many-files", "too many open files", "raise the limit: ulimit -n"),
    errno.ENFILE: ("too-many-files", "too many open files", "close other programs"),
    errno.ENAMETOOLONG: ("name-too-long", "path too long", "give a shorter path: --store DIR"),
    errno.ENOLCK: ("no-locks", "no file locks here", "keep the store on a local disk"),
    errno.EOPNOTSUPP: ("no-locks", "not supported here", "keep the store on a local disk"),
}


def fault(error: OSError, path: Path) -> EnvironmentFault:
    """Return what to raise for `error`, seen while working on `path`.

    An input/output error or a stale handle is a fault of the machine, never
    a file that is absent.
    """
    code, words, hint = _KNOWN.get(error.errno or 0, ("disk", error.strerror or str(error), ""))
    return EnvironmentFault(f"{path}: {words}", code=code, hint=hint)


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Turn any operating-system error inside into an ``EnvironmentFault``."""
    try:
        yield
    except OSError as error:
        raise fault(error, path) from error
