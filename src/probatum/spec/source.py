"""Authored bytes: read once, bounded, decoded with the offset of what is no text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from probatum.errors import LimitError, NotFoundError, SpecError

MAX_SOURCE: Final = 16 * 1024 * 1024
"""Largest authored file, in bytes."""

Files = Mapping[str, bytes]
"""Authored files that are at hand in memory, by the path they were given as."""


def reader(files: Files | None) -> Callable[[str], bytes]:
    """Return a function that reads a path: from `files` and nowhere else, if they are given."""
    if files is None:
        return _read

    def read(path: str) -> bytes:
        if path not in files:
            raise NotFoundError(
                f"{path}: not among the files at hand", code="no-such-file", candidates=list(files)
            )
        return _capped(path, files[path])

    return read


def slashed(path: Path) -> str:
    """Return a path as it is stored: as given, with forward slashes."""
    return path.as_posix()


def _read(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return _capped(path, file.read(MAX_SOURCE + 1))
    except FileNotFoundError:
        raise SpecError(
            f"{path}: no such file", code="no-such-file", hint="check the path"
        ) from None
    except IsADirectoryError:
        raise SpecError(
            f"{path}: is a folder", code="unreadable", hint="name the file in it"
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SpecError(f"{path}: cannot be read: {reason}", code="unreadable") from None


def _capped(path: str, data: bytes) -> bytes:
    if len(data) > MAX_SOURCE:
        raise LimitError(f"{path}: larger than 16 MiB", code="too-large", hint="split the file")
    return data


def decode(path: str, data: bytes) -> str:
    """Return the text of a file without its byte-order mark.

    Raises:
        SpecError: ``not-utf8``, with line, column and byte offset.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        hint = "save the file as UTF-8"
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            hint = "the file looks like UTF-16: save it as UTF-8"
        problem = (
            f"{path}:{line}:{column}: not UTF-8: "
            f"byte 0x{data[error.start]:02x} at offset {error.start}"
        )
        raise SpecError(problem, problems=[problem], code="not-utf8", hint=hint) from None
    return text.removeprefix("\ufeff")
