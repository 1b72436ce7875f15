"""The trust file on disk: read strictly, changed under a lock, replaced whole.

Every problem of a file is told at once. A file that a symbolic link leads to
is refused, since a link inside a repository or bundle would let its author
choose whom the reader trusts; so is one that anybody may write.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from probatum import canonical
from probatum.digest import sha256_hex
from probatum.errors import CanonicalError, KeyFault, LimitError
from probatum.signing.disk import FileRule, complete_file, folder_of, read_file
from probatum.signing.keys import parse_public_key
from probatum.signing.trust import (
    TIME_FIELDS,
    KeyState,
    TrustedKey,
    TrustRule,
    TrustStore,
    trust_fault,
    unknown,
)

FORMAT: Final = "probatum-trust/1"
_RULE: Final = FileRule(
    noun="trust file",
    code="trust",
    limit=1024 * 1024,
    closed=stat.S_IWOTH,
    danger="written by anybody",
    missing="`probatum trust add` makes one",
)
TIME_FORMAT: Final = "%Y-%m-%dT%H:%M:%SZ"

_FIELDS: Final = ("format", "version", "keys", "rules")
_KEY_FIELDS: Final = ("name", "key", "state", *TIME_FIELDS, "scopes")
_RULE_FIELDS: Final = ("type", "threshold", "keys")


def load_trust(path: Path, *, at_least: int = 1) -> TrustStore:
    """Read a trust file.

    Args:
        path: Where it is; the last part may not be a symbolic link.
        at_least: The version that was seen before, if one was.

    Raises:
        KeyFault: ``trust-missing``, ``trust-symlink``, ``trust-exposed``,
            ``trust-unreadable``, ``trust-too-large``, ``trust-rollback``, or ``bad-trust`` with
            every problem.
    """
    trust = parse_trust(read_file(path, _RULE))
    if trust.version < at_least:
        raise KeyFault(
            f"{path} has version {trust.version}, but {at_least} was seen before",
            code="trust-rollback",
            hint="an older file may trust keys that were revoked since",
        )
    return trust


def parse_trust(data: bytes) -> TrustStore:
    """Read the bytes of a trust file.

    Raises:
        KeyFault: ``bad-trust`` with every problem.
    """
    try:
        value = canonical.foreign_json(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise trust_fault(["it is not UTF-8"]) from None
    except (CanonicalError, LimitError) as error:
        raise trust_fault([str(error)]) from None
    reader = _Reader()
    keys, rules, version = reader.file(value)
    if reader.problems:
        raise trust_fault(reader.problems)
    trust = TrustStore(version=version, keys=tuple(keys), rules=tuple(rules))
    return msgspec.structs.replace(trust, digest=sha256_hex(data))


def encode_trust(trust: TrustStore) -> bytes:
    """Return the bytes of a trust file; equal content gives equal bytes."""
    value = {
        "format": FORMAT,
        "version": trust.version,
        "keys": [_key_value(entry) for entry in trust.keys],
        "rules": [_rule_value(rule) for rule in trust.rules],
    }
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def update_trust(path: Path, edit: Callable[[TrustStore], TrustStore]) -> TrustStore:
    """Change a trust file, making it if there is none.

    Two who change it at the same time do so one after the other. The file is
    replaced whole or not at all; an edit that changes nothing writes nothing.

    Args:
        path: Where the file is; its folder is made if it is missing.
        edit: Returns what shall be trusted from then on.

    Returns:
        What the file now says, digest included.

    Raises:
        KeyFault: As `load_trust`, whatever `edit` raises, and
            ``trust-unwritable``.
    """
    try:
        with folder_of(path) as folder:
            fcntl.flock(folder, fcntl.LOCK_EX)
            old = load_trust(path) if os.path.lexists(path) else None
            new = edit(old or TrustStore())
            version = 1
            if old is not None:
                if (new.keys, new.rules) == (old.keys, old.rules):
                    return old
                version = old.version + 1
            data = encode_trust(msgspec.structs.replace(new, version=version))
            trust = parse_trust(data)
            with complete_file(path, data, 0o644) as temporary:
                temporary.replace(path)
            return trust
    except OSError as error:
        raise KeyFault(
            f"trust file {path} cannot be written: {error.strerror}", code="trust-unwritable"
        ) from None


class _Reader:
    """Reads shapes, and goes on after a problem to find the next."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def file(self, value: Any) -> tuple[list[TrustedKey], list[TrustRule], int]:
        if not self.is_object(value, "the file", _FIELDS):
            return [], [], 1
        if value.get("format") != FORMAT:
            self.problems.append(f"format is not {FORMAT!r}")
        version = self.number(value, "version", "version")
        keys = [
            self.key(item, f"keys[{index}]")
            for index, item in enumerate(self.list(value, "keys", "keys"))
        ]
        rules = [
            self.rule(item, f"rules[{index}]")
            for index, item in enumerate(self.list(value, "rules", "rules", required=False))
        ]
        return [key for key in keys if key], [rule for rule in rules if rule], version

    def key(self, value: Any, place: str) -> TrustedKey | None:
        if not self.is_object(value, place, _KEY_FIELDS):
            return None
        name = self.text(value, "name", place)
        text = self.text(value, "key", place)
        times = {field: self.time(value, field, place) for field in TIME_FIELDS}
        scopes = self.texts(value, "scopes", place)
        state = value.get("state", "active")
        if state not in tuple(KeyState):
            self.problems.append(f"{place}.state: {unknown('state', str(state), tuple(KeyState))}")
            state = "active"
        try:
            key = parse_public_key(text)
        except KeyFault as error:
            self.problems.append(f"{place}.key: {error}")
            return None
        return TrustedKey(name=name, key=key, state=KeyState(state), scopes=scopes, **times)

    def rule(self, value: Any, place: str) -> TrustRule | None:
        if not self.is_object(value, place, _RULE_FIELDS):
            return None
        return TrustRule(
            type=self.text(value, "type", place),
            threshold=self.number(value, "threshold", f"{place}.threshold"),
            keys=self.texts(value, "keys", place),
        )

    def is_object(self, value: Any, place: str, fields: tuple[str, ...]) -> bool:
        if not isinstance(value, dict):
            self.problems.append(f"{place} is not a JSON object")
            return False
        self.problems += [
            f"{place}: {unknown('field', name, fields)}" for name in value if name not in fields
        ]
        return True

    def text(self, value: dict[str, Any], field: str, place: str) -> str:
        text = value.get(field)
        if isinstance(text, str):
            return text
        self.problems.append(f"{place}.{field} is missing or not text")
        return ""

    def number(self, value: dict[str, Any], field: str, place: str) -> int:
        number = value.get(field, 1)
        if isinstance(number, int) and not isinstance(number, bool):
            return number
        self.problems.append(f"{place} is not a whole number")
        return 1

    def list(
        self, value: dict[str, Any], field: str, place: str, *, required: bool = True
    ) -> list[Any]:
        items = value.get(field, None if required else [])
        if isinstance(items, list):
            return items
        self.problems.append(f"{place} is missing or not a list")
        return []

    def texts(self, value: dict[str, Any], field: str, place: str) -> tuple[str, ...]:
        items = self.list(value, field, f"{place}.{field}", required=False)
        if field in value and not items:
            self.problems.append(f"{place}.{field} is empty; leave it out to mean all")
        if all(isinstance(item, str) for item in items):
            return tuple(items)
        self.problems.append(f"{place}.{field} holds something else than text")
        return ()

    def time(self, value: dict[str, Any], field: str, place: str) -> datetime | None:
        if field not in value:
            return None
        try:
            time = datetime.strptime(value[field], TIME_FORMAT).replace(tzinfo=UTC)
            if time.strftime(TIME_FORMAT) == value[field]:
                return time
        except (TypeError, ValueError):
            pass
        self.problems.append(f"{place}.{field} is not a time such as 2026-01-31T12:00:00Z")
        return None


def _key_value(entry: TrustedKey) -> dict[str, Any]:
    value: dict[str, Any] = {
        "name": entry.name,
        "key": entry.key.openssh(),
        "state": entry.state.value,
    }
    for field in TIME_FIELDS:
        time = getattr(entry, field)
        if time is not None:
            value[field] = time.astimezone(UTC).strftime(TIME_FORMAT)
    if entry.scopes:
        value["scopes"] = sorted(set(entry.scopes))
    return value


def _rule_value(rule: TrustRule) -> dict[str, Any]:
    value: dict[str, Any] = {"type": rule.type, "threshold": rule.threshold}
    if rule.keys:
        value["keys"] = sorted(set(rule.keys))
    return value
