"""Refs: immutable entries that give names to statements.

Nothing is ever overwritten. A tag or baseline is moved, moved back or deleted
by a new entry that names the entries it replaces; its heads are the entries
that none replaces. Two heads come from two branches that moved it apart, and
are settled by moving it once more.
"""

import os
import re
from typing import Final, Literal, NamedTuple

import msgspec

from probatum import canonical
from probatum.digest import Digest, is_digest, sha256_hex, short
from probatum.errors import ConflictError, IntegrityError, UsageError
from probatum.records.base import UNSET, StatementId
from probatum.records.ref import RefEntry
from probatum.store.backend import Backend

Space = Literal["tags", "baselines"]
SPACES: Final[tuple[Space, ...]] = ("tags", "baselines")
VERBS: Final[dict[Space, str]] = {"tags": "tag", "baselines": "baseline"}
"""What people call a name of each space; also the command that moves it."""

MAX_ENTRY: Final = 64 * 1024
_NAME: Final = r"[a-z0-9][a-z0-9._-]{0,63}"
_LIKE_ID: Final = r"[0-9a-f]{8,64}"
_DEVICE: Final = r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?"
_decoder: Final = msgspec.json.Decoder(RefEntry)


class Head(NamedTuple):
    """An entry that no other replaces.

    Attributes:
        entry: The entry's own digest.
        target: Where the name leads; nothing if it was deleted.
    """

    entry: Digest
    target: StatementId | None


def check_name(name: str) -> str:
    """Return `name` if a tag or baseline may be called so.

    Raises:
        UsageError: If it may not.
    """
    if not re.fullmatch(_NAME, name):
        why = "use 1 to 64 of a-z 0-9 . _ -, beginning with a letter or digit"
    elif name.endswith((".lock", ".")):
        why = "it may not end with '.lock' or '.'"
    elif re.fullmatch(_DEVICE, name):
        why = "some systems take it for a device"
    elif name == "latest" or re.fullmatch(_LIKE_ID, name):
        why = "it looks like 'latest' or an id"
    else:
        return name
    raise UsageError(f"not a name: {name[:80]!r}", code="bad-name", hint=why)


class Refs:
    """The refs of a store."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def statements(self) -> list[StatementId]:
        """Return the ids of all published statements, ascending."""
        return [
            StatementId(Digest(name))
            for name in self._backend.list("ref/sessions")
            if is_digest(name)
        ]

    def publish(self, statement: StatementId) -> bool:
        """Name a statement, durably; return whether it was new."""
        data = canonical.encode({"target": statement})
        return self._backend.create(f"ref/sessions/{statement}", data)

    def is_published(self, statement: StatementId) -> bool:
        """Tell whether a statement is named, be it by something that is no file."""
        try:
            return self._backend.size(f"ref/sessions/{statement}") is not None
        except IntegrityError:
            return True

    def names(self, space: Space) -> list[str]:
        """Return every name that leads somewhere, sorted; those in conflict too."""
        return [
            name
            for name in self._all(space)
            if any(head.target is not None for head in self.heads(space, name))
        ]

    def entries(self, space: Space, name: str) -> dict[Digest, RefEntry]:
        """Return every entry of a name.

        Raises:
            IntegrityError: ``ref-corrupt`` if one is damaged.
        """
        folder = f"ref/{space}/{check_name(name)}"
        found: dict[Digest, RefEntry] = {}
        for file in self._backend.list(folder):
            data = self._backend.read(f"{folder}/{file}", MAX_ENTRY)
            if data is not None:
                found[Digest(file)] = read_entry(f"{folder}/{file}", file, data)
        return found

    def heads(self, space: Space, name: str) -> list[Head]:
        """Return the entries that none replaces, by digest; none for an unknown name."""
        entries = self.entries(space, name)
        replaced = {old for entry in entries.values() for old in entry.replaces}
        return [
            Head(digest, None if entry.target is UNSET else entry.target)
            for digest, entry in sorted(entries.items())
            if digest not in replaced
        ]

    def target(self, space: Space, name: str) -> StatementId | None:
        """Return where a name leads; nothing if it is unknown or deleted.

        Raises:
            ConflictError: If it leads to two places.
        """
        heads = self.heads(space, name)
        targets = {head.target for head in heads}
        if len(targets) > 1:
            raise _conflict(space, name, heads)
        return next(iter(targets), None)

    def move(self, space: Space, name: str, target: StatementId | None) -> Digest:
        """Make a name lead to `target`, or nowhere, and return the new entry's digest.

        The new entry replaces all heads, so moving also settles a conflict.

        Raises:
            UsageError: If the name may not be used.
        """
        check_name(name)
        with self._backend.lock():
            replaces = tuple(head.entry for head in self.heads(space, name))
            entry = RefEntry(
                replaces=replaces,
                nonce=os.urandom(16).hex(),
                target=UNSET if target is None else target,
            )
            data = canonical.encode_record(entry)
            digest = Digest(sha256_hex(data))
            self._backend.create(f"ref/{space}/{name}/{digest}", data)
        return digest

    def _all(self, space: Space) -> list[str]:
        return [name for name in self._backend.list(f"ref/{space}") if is_name(name)]


def is_name(name: str) -> bool:
    """Tell whether a tag or baseline may be called so."""
    try:
        check_name(name)
    except UsageError:
        return False
    return True


def read_entry(path: str, digest: str, data: bytes) -> RefEntry:
    """Return the entry that a file spells.

    Raises:
        IntegrityError: ``ref-corrupt`` if its bytes do not have the digest
            that names it, or are no entry.
    """
    if sha256_hex(data) != digest:
        raise IntegrityError(
            f"{path}: not what its name says",
            code="ref-corrupt",
            hint="take this file from a backup or from version control",
        )
    try:
        return canonical.decode_record(data, _decoder)
    except IntegrityError as error:
        raise IntegrityError(f"{path}: {error}", code="ref-corrupt") from None


def _conflict(space: Space, name: str, heads: list[Head]) -> ConflictError:
    verb = VERBS[space]
    places = [short(head.target) if head.target else "nowhere" for head in heads]
    some = next(head.target for head in heads if head.target)
    return ConflictError(
        f"{verb} {name!r} leads to {' and to '.join(places)}",
        code="two-heads",
        hint=f"choose one: probatum {verb} {name} {short(some)}",
    )
