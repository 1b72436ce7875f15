"""What lies in a store folder, and making or recognising one.

None of these names makes git take the folder for a repository, or is hidden
by a common ``.gitignore``; the attributes keep git from changing a byte.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Final

from probatum import canonical
from probatum.errors import EnvironmentFault, IntegrityError, NotFoundError
from probatum.store.disk import DiskBackend
from probatum.store.faults import faults

FORMAT: Final = "probatum-store/1"
MARKER: Final = "store.json"
ATTRIBUTES: Final = (
    b"* -text -ident -filter -working-tree-encoding -diff -merge -export-subst -export-ignore\n"
)
IGNORE: Final = b"tmp/\nincoming/\ntrash/\nlock\ncache/\n"
FOLDERS: Final = (
    "cache",
    "incoming",
    "obj",
    "pack",
    "ref/baselines",
    "ref/sessions",
    "ref/tags",
    "sig",
    "tmp",
    "trash",
)
NAMES: Final = frozenset(
    {folder.partition("/")[0] for folder in FOLDERS}
    | {MARKER, ".gitattributes", ".gitignore", "lock"}
)
_ID: Final = re.compile(r"[0-9a-f]{32}")
_MAX_MARKER: Final = 4096


def open_folder(path: Path, *, create: bool) -> tuple[DiskBackend, str]:
    """Return the backend and id of the store at `path`.

    Args:
        path: The store's folder.
        create: Make the store if there is nothing at `path`, or an empty
            folder, or one whose making was cut short.

    Raises:
        NotFoundError: ``no-store``.
        EnvironmentFault: If it is a file, holds something else, or is of a
            newer format.
        IntegrityError: If ``store.json`` is damaged.
    """
    backend = DiskBackend(path)
    with faults(path):
        if path.exists() and not path.is_dir():
            raise EnvironmentFault(
                f"{path}: not a folder", code="not-a-folder", hint="give a folder: --store DIR"
            )
        marker = backend.read(MARKER, _MAX_MARKER) if path.is_dir() else None
        if marker is None:
            if not create:
                raise NotFoundError(
                    f"{path}: no store here",
                    code="no-store",
                    hint="`probatum run` makes one; --store DIR names another",
                )
            _refuse_strangers(path)
            path.mkdir(parents=True, exist_ok=True)
    if marker is None:
        marker = _make(backend)
    return backend, _store_id(marker, path / MARKER)


def new_id() -> str:
    """Return a random store id: 32 hex digits."""
    return os.urandom(16).hex()


def _make(backend: DiskBackend) -> bytes:
    for folder in FOLDERS:
        with faults(backend.root / folder), backend.folder(folder, make=True):
            pass
    backend.create(".gitattributes", ATTRIBUTES)
    backend.create(".gitignore", IGNORE)
    # The marker comes last: a folder without it is no store yet. Whoever makes it first wins.
    marker = canonical.encode({"format": FORMAT, "hash": "sha256", "id": new_id()})
    backend.create(MARKER, marker)
    return backend.read(MARKER, _MAX_MARKER) or marker


def _refuse_strangers(path: Path) -> None:
    strangers = sorted(set(_names(path)) - NAMES)
    if strangers:
        raise EnvironmentFault(
            f"{path}: holds other files, such as {strangers[0]!r}",
            code="not-a-store",
            hint="give an empty folder, or one that is a store: --store DIR",
        )


def _names(path: Path) -> list[str]:
    return [entry.name for entry in path.iterdir()] if path.is_dir() else []


def _store_id(marker: bytes, path: Path) -> str:
    try:
        value: Any = canonical.decode(marker)
    except IntegrityError as error:
        raise IntegrityError(
            f"{path}: damaged: {error}",
            code="store-damaged",
            hint="take this file from a backup or from version control",
        ) from None
    form = value.get("format") if isinstance(value, dict) else None
    if isinstance(form, str) and form.startswith("probatum-store/") and form != FORMAT:
        raise EnvironmentFault(
            f"{path}: format {form[:40]!r} is not known to this release",
            code="newer-format",
            hint="use a newer probatum",
        )
    if (
        form != FORMAT
        or value.keys() != {"format", "hash", "id"}
        or value["hash"] != "sha256"
        or not (isinstance(value["id"], str) and _ID.fullmatch(value["id"]))
    ):
        raise IntegrityError(
            f"{path}: not a store description",
            code="store-damaged",
            hint="take this file from a backup or from version control",
        )
    return value["id"]
