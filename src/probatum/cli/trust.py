"""`probatum trust`: say whose signatures count."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from probatum.cli.face import exits, json_option, keyring, local_zone, tell, write
from probatum.errors import EnvironmentFault, UsageError
from probatum.render.json import document
from probatum.signing import KeyState, TrustedKey, TrustStore
from probatum.workspace import Keyring


@click.group(no_args_is_help=False, epilog=exits(0))
@click.option("--trust", "path", metavar="FILE", help="The trust file to read or change.")
@click.pass_context
def command(context: click.Context, path: str | None) -> None:
    """Say whose signatures count.

    The trust file is found by --trust, then $PROBATUM_TRUST, then in the
    configuration folder; never in a store, a bundle or a repository.
    """
    context.obj = keyring(path)


@command.command("list", epilog=exits(0))
@json_option
@click.pass_obj
def list_trusted(ring: Keyring, as_json: bool) -> None:
    """List trusted keys and rules."""
    trust = ring.trusted()
    if as_json:
        write(document("trust", path=str(ring.trust_path), **_value(trust)))
        return
    if trust is None:
        tell(f"there is no trust file at {ring.trust_path}")
        return
    lines = [
        f"{key.name}  {key.key.short()}  {key.state.value}{_window(key)}  "
        f"{', '.join(key.scopes) or 'all statements'}"
        for key in trust.keys
    ]
    lines += [
        f"rule {rule.type}: {rule.threshold} of {', '.join(rule.keys) or 'all keys'}"
        for rule in trust.rules
    ]
    lines.append(f"{ring.trust_path} version {trust.version} sha256 {trust.digest}")
    write("\n".join(lines))


@command.command(epilog=exits(0))
@click.argument("name")
@click.argument("key")
@click.option("--scope", "scopes", multiple=True, help="Statement type it counts for; all if none.")
@click.option("--valid-after", metavar="TIME", help="Start of its window.")
@click.option("--valid-before", metavar="TIME", help="End of its window.")
@json_option
@click.pass_obj
def add(
    ring: Keyring,
    name: str,
    key: str,
    scopes: tuple[str, ...],
    valid_after: str | None,
    valid_before: str | None,
    as_json: bool,
) -> None:
    """Trust KEY under NAME.

    KEY is an "ssh-ed25519 …" line, a .pub file, or the name of one of your keys.
    """
    entry = TrustedKey(
        name=name,
        key=ring.public_key(key),
        scopes=scopes,
        valid_after=_time(valid_after) if valid_after else None,
        valid_before=_time(valid_before) if valid_before else None,
    )
    _done(ring, ring.trust(entry), as_json)


@command.command(epilog=exits(0))
@click.argument("name")
@json_option
@click.pass_obj
def remove(ring: Keyring, name: str, as_json: bool) -> None:
    """Take a key out of the trust file."""
    _done(ring, ring.distrust(name), as_json)


@command.command(epilog=exits(0), short_help="Say that a key signs no more.")
@click.argument("name")
@json_option
@click.pass_obj
def retire(ring: Keyring, name: str, as_json: bool) -> None:
    """Say that a key signs no more; what it signed in its time still counts."""
    state = KeyState.RETIRED
    trust = ring.amend(name, lambda key: msgspec.structs.replace(key, state=state))
    _done(ring, trust, as_json)


@command.command(epilog=exits(0))
@click.argument("name")
@click.option("--from", "since", metavar="TIME", help="Since when it may be in wrong hands.")
@json_option
@click.pass_obj
def revoke(ring: Keyring, name: str, since: str | None, as_json: bool) -> None:
    """Say that a key is in wrong hands."""
    when = _time(since) if since else None
    state = KeyState.REVOKED
    trust = ring.amend(
        name, lambda key: msgspec.structs.replace(key, state=state, revoked_from=when)
    )
    _done(ring, trust, as_json)


@command.command("import", epilog=exits(0))
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def import_signers(ring: Keyring, file: Path, as_json: bool) -> None:
    """Trust the keys of an OpenSSH allowed_signers FILE."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise EnvironmentFault(
            f"{file} cannot be read: {error.strerror}", code="unreadable", hint="check the path"
        ) from None
    added, skipped = ring.import_allowed_signers(data, local_zone())
    for reason in skipped:
        tell(reason)
    if as_json:
        write(document("trust-import", added=added, skipped=skipped))
    else:
        tell(f"trusted {len(added)} more: {', '.join(added) or 'none'}")


def _time(text: str) -> datetime:
    """Read a time with a zone.

    Raises:
        UsageError: If it is no ISO 8601 time, or has no zone.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise UsageError(
            f"not a time with a zone: {text!r}", hint="write it as 2026-11-30T12:00:00+00:00"
        )
    return found


def _done(ring: Keyring, trust: TrustStore, as_json: bool) -> None:
    if as_json:
        write(document("trust", path=str(ring.trust_path), **_value(trust)))
    else:
        tell(f"{ring.trust_path} is now version {trust.version}, {len(trust.keys)} keys")


def _window(key: TrustedKey) -> str:
    parts = [
        f" {word} {when.isoformat()}"
        for word, when in (("from", key.valid_after), ("until", key.valid_before))
        if when
    ]
    return "".join(parts)


def _value(trust: TrustStore | None) -> dict[str, Any]:
    if trust is None:
        return {"version": 0, "digest": "", "keys": [], "rules": []}
    return {
        "version": trust.version,
        "digest": trust.digest,
        "keys": [
            {
                "name": key.name,
                "key": key.key.openssh(),
                "fingerprint": key.key.fingerprint,
                "state": key.state.value,
                "scopes": list(key.scopes),
            }
            for key in trust.keys
        ],
        "rules": [
            {"type": rule.type, "threshold": rule.threshold, "keys": list(rule.keys)}
            for rule in trust.rules
        ],
    }
