"""Taking over whom OpenSSH trusts: a reader of its ``allowed_signers`` file.

Format: ssh-keygen(1), "ALLOWED SIGNERS". A line is principals, options, a
key; what probatum has no use for (certificates, other key types, lines for
other namespaces) is passed over and told, what cannot be read is an error.
"""

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Final, NamedTuple

from probatum.errors import KeyFault
from probatum.signing.keys import KEY_TYPE, PublicKey, parse_public_key
from probatum.signing.trust import STATEMENT_TYPES, TrustedKey, TrustStore, is_name, trust_fault

NAMESPACE: Final = "probatum"
"""The namespace of all statements; ``probatum-session`` is that of sessions."""

MAX_FILE: Final = 1024 * 1024

_OPTIONS: Final = ("cert-authority", "namespaces", "valid-after", "valid-before")
_KEY_TYPES: Final = re.compile(r"(?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]+")
_OPTION = re.compile(r'([A-Za-z-]+)(?:="([^"]*)")?(?:,|\Z)')
_TIME = re.compile(r"(\d{8})(\d{4})?(\d\d)?(Z?)", re.ASCII)
_WORD = re.compile(r'\s*((?:"[^"]*"|[^\s"])+)(?=\s|\Z)')


class Imported(NamedTuple):
    """What an allowed signers file gave.

    Attributes:
        trust: The store with the new keys in it.
        added: The new keys.
        skipped: One line for people about each entry that was passed over.
    """

    trust: TrustStore
    added: tuple[TrustedKey, ...]
    skipped: tuple[str, ...]


class _Skip(Exception):
    """A line that is well-formed and of no use here."""


def import_allowed_signers(trust: TrustStore, data: bytes, *, zone: tzinfo) -> Imported:
    """Add the keys of an OpenSSH allowed signers file to a trust store.

    A key that is trusted already stays as it is.

    Args:
        trust: What is trusted so far.
        data: The file's bytes.
        zone: The time zone of times that do not end in ``Z``.

    Raises:
        KeyFault: ``bad-trust`` with every line that cannot be read.
    """
    if len(data) > MAX_FILE:
        raise trust_fault(["the allowed signers file is over 1 MiB"])
    try:
        lines = data.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise trust_fault(["the allowed signers file is not UTF-8"]) from None
    problems: list[str] = []
    skipped: list[str] = []
    added: list[TrustedKey] = []
    owners = {entry.key: entry.name for entry in trust.keys}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            entry = _entry(line.strip(), owners, zone)
        except _Skip as reason:
            skipped.append(f"line {number}: {reason}")
        except KeyFault as error:
            problems.append(f"line {number}: {error}")
        else:
            owners[entry.key] = entry.name
            added.append(entry)
    if problems:
        raise trust_fault(problems)
    return Imported(trust.add(*added) if added else trust, tuple(added), tuple(skipped))


def _entry(line: str, owners: Mapping[PublicKey, str], zone: tzinfo) -> TrustedKey:
    words = _words(line)
    at = next((i for i in (1, 2) if i < len(words) and _KEY_TYPES.fullmatch(words[i])), None)
    if at is None or at + 1 >= len(words):
        raise KeyFault("it does not read `principals [options] key-type key`")
    options = _options(words[1]) if at == 2 else {}
    if "cert-authority" in options:
        raise _Skip("certificate authorities are not taken")
    if words[at] != KEY_TYPE:
        raise _Skip(f"keys of type {words[at]} are not taken")
    scopes = _scopes(options.get("namespaces"))
    key = parse_public_key(f"{words[at]} {words[at + 1]}")
    if key in owners:
        raise _Skip(f"its key is trusted already, as {owners[key]!r}")
    return TrustedKey(
        name=_name(words[0].strip('"'), key, owners.values()),
        key=key,
        valid_after=_time(options.get("valid-after"), zone),
        valid_before=_time(options.get("valid-before"), zone),
        scopes=scopes,
    )


def _words(line: str) -> list[str]:
    """Return the first four words; white space in double quotes parts none."""
    words: list[str] = []
    end = 0
    while len(words) < 4 and (match := _WORD.match(line, end)):
        words.append(match[1])
        end = match.end()
    return words


def _options(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    end = 0
    while end < len(text):
        match = _OPTION.match(text, end)
        if match is None:
            raise KeyFault(f"its options cannot be read: {text[:80]!r}")
        name = match[1].lower()
        if name not in _OPTIONS:
            raise KeyFault(f"unknown option {name!r}")
        if name in found:
            raise KeyFault(f"option {name!r} stands twice")
        if (match[2] is None) != (name == "cert-authority"):
            raise KeyFault(f"option {name!r} has no value, or one too many")
        found[name] = match[2] or ""
        end = match.end()
    return found


def _scopes(namespaces: str | None) -> tuple[str, ...]:
    """Return the statement types that a list of namespace patterns lets in."""
    if namespaces is None:
        return ()
    patterns = namespaces.split(",")
    scopes = tuple(
        kind
        for kind in STATEMENT_TYPES
        if _lets_in(patterns, NAMESPACE) or _lets_in(patterns, f"{NAMESPACE}-{kind}")
    )
    if not scopes:
        raise _Skip(f"its namespaces do not include {NAMESPACE!r}")
    return () if scopes == STATEMENT_TYPES else scopes


def _lets_in(patterns: list[str], text: str) -> bool:
    """Apply OpenSSH's pattern list: a negated match outweighs all others."""
    matched = False
    for pattern in patterns:
        body = pattern.removeprefix("!")
        glob = re.escape(body).replace(r"\*", ".*").replace(r"\?", ".")
        if re.fullmatch(glob, text):
            if body != pattern:
                return False
            matched = True
    return matched


def _time(text: str | None, zone: tzinfo) -> datetime | None:
    """Read ``YYYYMMDD[HHMM[SS]][Z]``."""
    if text is None:
        return None
    match = _TIME.fullmatch(text)
    if match is None or (match[3] and not match[2]):
        raise KeyFault(f"not a time: {text[:40]!r}")
    digits = f"{match[1]}{match[2] or '0000'}{match[3] or '00'}"
    try:
        local = datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC if match[4] else zone)
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        raise KeyFault(f"not a time: {text[:40]!r}") from None


def _name(principals: str, key: PublicKey, taken: Collection[str]) -> str:
    """Return the first principal that can be a name, made unique."""
    names = [name for name in principals.split(",") if is_name(name)]
    name = names[0] if names else "key"
    if name not in taken and names:
        return name
    digits = key.short(12)
    return f"{name[: 63 - len(digits)]}-{digits}"
