"""The trust file: whose signatures count, for what, and how many of them.

Trust never comes from evidence. The file lies outside every store and bundle,
and whoever calls says where. What is in it is read strictly: a misspelled
state or statement type would otherwise silently mean something weaker.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from probatum.canonical import MAX_INT
from probatum.errors import KeyFault
from probatum.signing.keys import PublicKey

STATEMENT_TYPES: Final = ("session", "plan", "removal", "note")
"""What a key may sign and a rule may speak of."""

TIME_FIELDS: Final = ("valid_after", "valid_before", "revoked_from")

MAX_KEYS: Final = 1000

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")


class KeyState(StrEnum):
    """Where a trusted key stands in its life."""

    ACTIVE = "active"
    RETIRED = "retired"
    REVOKED = "revoked"


class TrustedKey(msgspec.Struct, frozen=True, kw_only=True):
    """One key and what its owner may vouch for.

    Attributes:
        name: How people and rules call it.
        valid_after: Start of its window, included; open if absent.
        valid_before: End of its window, excluded; open if absent.
        revoked_from: Since when a revoked key may be in wrong hands; absent
            means that it never counts.
        scopes: Statement types it counts for; empty means all.
    """

    name: str
    key: PublicKey
    state: KeyState = KeyState.ACTIVE
    valid_after: datetime | None = None
    valid_before: datetime | None = None
    revoked_from: datetime | None = None
    scopes: tuple[str, ...] = ()


class TrustRule(msgspec.Struct, frozen=True, kw_only=True):
    """How many distinct keys a statement type needs.

    Attributes:
        type: The statement type.
        threshold: Fewest distinct keys.
        keys: Names of the keys that count; empty means all.
    """

    type: str
    threshold: int = 1
    keys: tuple[str, ...] = ()


class TrustStore(msgspec.Struct, frozen=True, kw_only=True):
    """What one trust file says.

    Attributes:
        version: Counts up with every change of the file.
        keys: Sorted by name.
        rules: Sorted by type; a type without one needs one signature by any key.
        digest: SHA-256 of the file's bytes; empty for what no file says yet.

    Raises:
        KeyFault: ``bad-trust``, naming every contradiction.
    """

    version: int = 1
    keys: tuple[TrustedKey, ...] = ()
    rules: tuple[TrustRule, ...] = ()
    digest: str = ""

    def __post_init__(self) -> None:
        keys = tuple(sorted(self.keys, key=lambda key: key.name))
        rules = tuple(sorted(self.rules, key=lambda rule: rule.type))
        msgspec.structs.force_setattr(self, "keys", keys)
        msgspec.structs.force_setattr(self, "rules", rules)
        problems = [*_key_problems(keys), *_rule_problems(keys, rules)]
        if not 1 <= self.version <= MAX_INT:
            problems.append(f"version {self.version} is out of range")
        if problems:
            raise trust_fault(problems)

    def rule(self, statement_type: str) -> TrustRule:
        """Return the rule for a statement type, the default one if none is given."""
        found = (rule for rule in self.rules if rule.type == statement_type)
        return next(found, TrustRule(type=statement_type))

    def find(self, name: str) -> TrustedKey | None:
        """Return the key of that name."""
        return next((key for key in self.keys if key.name == name), None)

    def owner(self, key: PublicKey) -> TrustedKey | None:
        """Return the entry of a key, compared by its 32 bytes."""
        return next((entry for entry in self.keys if entry.key == key), None)

    def add(self, *entries: TrustedKey) -> TrustStore:
        """Return a store that trusts these keys too.

        Raises:
            KeyFault: ``bad-trust`` if a name or a key is there already.
        """
        return msgspec.structs.replace(self, keys=(*self.keys, *entries), digest="")

    def amend(self, entry: TrustedKey) -> TrustStore:
        """Return a store with another entry for the key of the same name.

        Raises:
            KeyFault: ``key-unknown`` if there is no such name.
        """
        kept = self._without(entry.name)
        return msgspec.structs.replace(self, keys=(*kept, entry), digest="")

    def remove(self, name: str) -> TrustStore:
        """Return a store that does not know the key of that name.

        Raises:
            KeyFault: ``key-unknown``, or ``bad-trust`` if a rule needs it.
        """
        return msgspec.structs.replace(self, keys=self._without(name), digest="")

    def _without(self, name: str) -> tuple[TrustedKey, ...]:
        if self.find(name) is None:
            known = ", ".join(key.name for key in self.keys) or "none"
            raise KeyFault(
                f"no trusted key is called {name!r}", code="key-unknown", hint=f"known: {known}"
            )
        return tuple(key for key in self.keys if key.name != name)


def trust_fault(problems: list[str]) -> KeyFault:
    """Return the one error that tells all problems of a trust file."""
    shown = "; ".join(problems[:20])
    more = f"; and {len(problems) - 20} more" if len(problems) > 20 else ""
    return KeyFault(f"trust file cannot be used: {shown}{more}", code="bad-trust")


def _key_problems(keys: tuple[TrustedKey, ...]) -> list[str]:
    problems: list[str] = []
    if len(keys) > MAX_KEYS:
        problems.append(f"{len(keys)} keys are over the limit of {MAX_KEYS}")
    names: dict[PublicKey, str] = {}
    seen: set[str] = set()
    for entry in keys:
        if entry.name in seen:
            problems.append(f"two keys are called {entry.name!r}")
        seen.add(entry.name)
        first = names.setdefault(entry.key, entry.name)
        if first != entry.name:
            problems.append(f"{first!r} and {entry.name!r} are the same key")
        problems += [f"key {entry.name[:80]!r}: {why}" for why in _entry_problems(entry)]
    return problems


def _entry_problems(entry: TrustedKey) -> list[str]:
    problems = [unknown("scope", scope, STATEMENT_TYPES) for scope in _others(entry.scopes)]
    if not is_name(entry.name):
        problems.append("a name is 1 to 64 ASCII letters, digits and ._@+-")
    if entry.revoked_from is not None and entry.state is not KeyState.REVOKED:
        problems.append("revoked_from is given, but its state is not revoked")
    for field in TIME_FIELDS:
        time = getattr(entry, field)
        if time is not None and (time.utcoffset() is None or time.microsecond):
            return [*problems, f"{field} is not a whole second of a time zone"]
    start, end = entry.valid_after, entry.valid_before
    if start is not None and end is not None and start >= end:
        problems.append("valid_after is not before valid_before")
    return problems


def _rule_problems(keys: tuple[TrustedKey, ...], rules: tuple[TrustRule, ...]) -> list[str]:
    problems = [
        unknown("statement type", other, STATEMENT_TYPES)
        for other in _others(rule.type for rule in rules)
    ]
    names = {key.name for key in keys}
    seen: set[str] = set()
    for rule in rules:
        if rule.type in seen:
            problems.append(f"two rules are for {rule.type!r}")
        seen.add(rule.type)
        problems += [
            f"rule {rule.type!r} names {name!r}, which is no key here"
            for name in sorted(set(rule.keys) - names)
        ]
        count = sum(
            (not rule.keys or key.name in rule.keys) and (not key.scopes or rule.type in key.scopes)
            for key in keys
        )
        if not 1 <= rule.threshold <= count:
            problems.append(
                f"rule {rule.type!r}: threshold {rule.threshold} cannot be met by {count} keys"
            )
    return problems


def _others(types: Iterable[str]) -> list[str]:
    return sorted(set(types) - set(STATEMENT_TYPES))


def is_name(text: str) -> bool:
    """Tell whether `text` can be a trusted key's name."""
    return _NAME.fullmatch(text) is not None


def unknown(what: str, given: str, known: Iterable[str]) -> str:
    """Return what to say about a word that is none of the known ones."""
    import difflib

    words = [str(word) for word in known]
    near = difflib.get_close_matches(given, words, n=1)
    guess = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(words)}"
    return f"unknown {what} {given[:80]!r}; {guess}"
