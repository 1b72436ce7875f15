"""The trust file: whose signatures count, for what, and how many of them.

Trust never comes from evidence. The file lies outside every store and bundle,
and whoever calls says where. What is in it is read strictly: a misspelled
state or statement type would otherwise silently mean something weaker.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from probatum.canonical import MAX_INT
from probatum.errors import KeyFault
from probatum.signing.keys import PublicKey

STATEMENT_TYPES: Final = ("session", "plan", "removal", "note")
"""What a key may sign and a rule may speak of."""

FORMAT: Final = "probatum-trust/1"


class KeyState(StrEnum):
    """Where a trusted key stands in its life."""

    ACTIVE = "active"
    RETIRED = "retired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedKey:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustRule:
    """How many distinct keys a statement type needs.

    Attributes:
        type: The statement type.
        threshold: Fewest distinct keys.
        keys: Names of the keys that count; empty means all.
    """

    type: str
    threshold: int = 1
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustStore:
    """What one trust file says.

    Attributes:
        version: Counts up with every change.
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
        object.__setattr__(self, "keys", tuple(sorted(self.keys, key=lambda key: key.name)))
        object.__setattr__(self, "rules", tuple(sorted(self.rules, key=lambda rule: rule.type)))
        problems = [*_key_problems(self.keys), *_rule_problems(self.keys, self.rules)]
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
        return replace(self, keys=(*self.keys, *entries), version=self.version + 1, digest="")

    def remove(self, name: str) -> TrustStore:
        """Return a store that does not know the key of that name.

        Raises:
            KeyFault: ``key-unknown``, or ``bad-trust`` if a rule needs it.
        """
        if self.find(name) is None:
            known = ", ".join(key.name for key in self.keys) or "none"
            raise KeyFault(
                f"no trusted key is called {name!r}", code="key-unknown", hint=f"known: {known}"
            )
        kept = tuple(key for key in self.keys if key.name != name)
        return replace(self, keys=kept, version=self.version + 1, digest="")


def trust_fault(problems: list[str]) -> KeyFault:
    """Return the one error that tells all problems of a trust file."""
    shown = "; ".join(problems[:20])
    more = f"; and {len(problems) - 20} more" if len(problems) > 20 else ""
    return KeyFault(f"trust file cannot be used: {shown}{more}", code="bad-trust")


def _key_problems(keys: tuple[TrustedKey, ...]) -> list[str]:
    problems: list[str] = []
    names: dict[PublicKey, str] = {}
    seen: set[str] = set()
    for entry in keys:
        if entry.name in seen:
            problems.append(f"two keys are called {entry.name!r}")
        seen.add(entry.name)
        first = names.setdefault(entry.key, entry.name)
        if first != entry.name:
            problems.append(f"{first!r} and {entry.name!r} are the same key")
        start, end = entry.valid_after, entry.valid_before
        if start is not None and end is not None and start >= end:
            problems.append(f"{entry.name!r}: valid_after is not before valid_before")
        if entry.revoked_from is not None and entry.state is not KeyState.REVOKED:
            problems.append(f"{entry.name!r}: revoked_from is given, but its state is not revoked")
    return problems


def _rule_problems(keys: tuple[TrustedKey, ...], rules: tuple[TrustRule, ...]) -> list[str]:
    problems: list[str] = []
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
        count = len(set(rule.keys) or names)
        if not 1 <= rule.threshold <= count:
            problems.append(
                f"rule {rule.type!r}: threshold {rule.threshold} cannot be met by {count} keys"
            )
    return problems
