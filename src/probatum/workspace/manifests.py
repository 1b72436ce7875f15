"""Manifest files, which need no store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from probatum.errors import EnvironmentFault, IntegrityError

if TYPE_CHECKING:
    from probatum.evidence.diff import SessionDiff
    from probatum.evidence.manifest import Manifest


def diff_manifests(old: Path, new: Path) -> SessionDiff:
    """Compare two manifest files.

    Raises:
        IntegrityError: If one of them is no manifest, or is damaged.
        EnvironmentFault: If one of them cannot be read.
    """
    from probatum.evidence.diff import diff_manifests as compare

    return compare(read_manifest(old), read_manifest(new))


def read_manifest(path: Path) -> Manifest:
    """Read a manifest file, bounded in size."""
    from probatum.evidence.manifest import MAX_FILE
    from probatum.evidence.manifest import read_manifest as parse

    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        raise EnvironmentFault(
            f"{path} cannot be read: {error.strerror}", code="unreadable"
        ) from None
    try:
        return parse(data)
    except IntegrityError as error:
        raise IntegrityError(
            f"{path}: {error}",
            code=error.code,
            hint=error.hint or "`probatum manifest REF -o FILE` writes a manifest",
        ) from None
