"""Files whose content decides about trust: read and written without surprises.

Private keys and trust files are opened without following a symbolic link in
the last part of their path, must be plain files, and must not be open to
those who could misuse them. New content is complete before it has its name.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from probatum.errors import KeyFault


class FileRule(msgspec.Struct, frozen=True, gc=False):
    """What a file of some sort must be like to be read.

    Attributes:
        noun: What people call it.
        code: First word of the codes of its errors.
        limit: Largest size, in bytes.
        closed: Permission bits that it may not have.
        danger: What those bits allow, in words.
        missing: What to do if there is none.
    """

    noun: str
    code: str
    limit: int
    closed: int
    danger: str
    missing: str


def read_file(path: Path, rule: FileRule) -> bytes:
    """Return a file's bytes.

    Raises:
        KeyFault: ``<code>-missing``, ``-symlink``, ``-unreadable``,
            ``-exposed`` or ``-too-large``.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise KeyFault(
            f"no {rule.noun} at {path}", code=f"{rule.code}-missing", hint=rule.missing
        ) from None
    except (OSError, ValueError) as error:
        raise _unopened(path, rule, error) from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise KeyFault(f"{path} is not a plain file", code=f"{rule.code}-unreadable")
        if status.st_mode & rule.closed:
            raise KeyFault(
                f"{rule.noun} {path} may be {rule.danger} (mode {status.st_mode & 0o7777:04o})",
                code=f"{rule.code}-exposed",
                hint=f"chmod {status.st_mode & 0o777 & ~rule.closed:o} {path}",
            )
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(rule.limit + 1)
    finally:
        os.close(descriptor)
    if len(data) > rule.limit:
        raise KeyFault(f"{path} is too large for a {rule.noun}", code=f"{rule.code}-too-large")
    return data


def _unopened(path: Path, rule: FileRule, error: OSError | ValueError) -> KeyFault:
    if isinstance(error, OSError) and path.is_symlink():
        return KeyFault(
            f"{rule.noun} {path} is a symbolic link",
            code=f"{rule.code}-symlink",
            hint="name the file itself",
        )
    why = error.strerror if isinstance(error, OSError) else error
    return KeyFault(f"{rule.noun} {path} cannot be read: {why}", code=f"{rule.code}-unreadable")


@contextlib.contextmanager
def complete_file(path: Path, data: bytes, mode: int) -> Iterator[Path]:
    """Write `data` durably beside `path` and give its temporary name.

    The caller links or moves it to `path`; whatever is left under the
    temporary name afterwards is removed.

    Args:
        path: The name it is to get.
        data: Its whole content.
        mode: Permission bits from the first byte on, whatever the umask adds.

    Raises:
        OSError: If it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def folder_of(path: Path) -> Iterator[int]:
    """Open the folder of `path`, made if it is missing, and sync it afterwards.

    Gives the folder's descriptor, on which it can also be locked.

    Raises:
        OSError: If it cannot be made or opened.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
