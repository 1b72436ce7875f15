"""Manifest files, which need no store."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from probatum.errors import EnvironmentFault, IntegrityError, LimitError

if TYPE_CHECKING:
    from probatum.evidence.diff import SessionDiff
    from probatum.evidence.manifest import Manifest


def diff_manifests(
    old: Path, new: Path, *, now: datetime, warn: Callable[[str], None] | None = None
) -> SessionDiff:
    """Compare two manifest files.

    Args:
        old: One of them.
        new: The other.
        now: The present time, with a zone.
        warn: Told of each that nobody has signed.

    Raises:
        IntegrityError: If one of them is no manifest, is damaged, or has a
            signature that does not fit.
        EnvironmentFault: If one of them cannot be read.
    """
    from probatum.evidence.diff import diff_manifests as compare

    found = [(path, read_manifest(path, now=now)) for path in (old, new)]
    for path, manifest in found:
        if warn is not None and not manifest.signatures:
            warn(f"{path} is not signed: anybody can have changed it")
    return compare(found[0][1], found[1][1])


def read_manifest(path: Path, *, now: datetime) -> Manifest:
    """Read a manifest file, bounded in size, and hold its signatures against it.

    Whose signatures they are is not asked: anybody can sign, but nobody can
    change what was signed.
    """
    from probatum.evidence.manifest import check_manifest
    from probatum.evidence.manifest import read_manifest as parse
    from probatum.signing import State

    try:
        manifest = parse(_read(path))
    except IntegrityError as error:
        raise IntegrityError(
            f"{path}: {error}",
            code=error.code,
            hint=error.hint or "`probatum manifest REF -o FILE` writes a manifest",
        ) from None
    for check in check_manifest(manifest, None, now=now).checks:
        if check.state is State.INVALID:
            raise IntegrityError(
                f"{path}: a signature does not fit what it signs",
                code="bad-signature",
                hint="it was changed after it was signed; ask for it again",
            )
    return manifest


def _read(path: Path) -> bytes:
    from probatum.evidence.manifest import MAX_FILE

    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            data = b"" if size > MAX_FILE else file.read(MAX_FILE + 1)
    except OSError as error:
        raise EnvironmentFault(
            f"{path} cannot be read: {error.strerror}", code="unreadable", hint="check the path"
        ) from None
    if max(size, len(data)) > MAX_FILE:
        raise LimitError(
            f"{path}: over the limit of {MAX_FILE} bytes", hint="it is no manifest of a session"
        )
    return data
