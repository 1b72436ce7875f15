"""`probatum key`: make, list and show signing keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatum.cli.face import exits, json_option, keyring, passphrase, tell, write
from probatum.render.json import document

if TYPE_CHECKING:
    from probatum.signing import PublicKey


@click.group(no_args_is_help=False, epilog=exits(0))
def command() -> None:
    """Make, list and show signing keys.

    Keys are Ed25519, kept as OpenSSH files in the configuration folder. The
    first run makes one called "local".
    """


@command.command(epilog=exits(0))
@click.argument("name", default="local")
@click.option("--passphrase", "sealed", is_flag=True, help="Seal the key with a passphrase.")
@json_option
def new(name: str, sealed: bool, as_json: bool) -> None:
    """Make a key called NAME."""
    secret = passphrase("New passphrase") if sealed else None
    if sealed and not secret:
        raise click.UsageError("no passphrase was given; set PROBATUM_PASSPHRASE or use a terminal")
    ring = keyring()
    public = ring.new(name, secret)
    path = ring.entry(name).path
    if as_json:
        write(_document(name, public, path))
    else:
        write(public.openssh(name))
        tell(f"made {path}; to count its signatures: probatum trust add {name} {name}")


@command.command("list", epilog=exits(0))
@json_option
def list_keys(as_json: bool) -> None:
    """List the keys in the configuration folder."""
    entries = keyring().keys()
    if as_json:
        rows = [
            {
                "name": entry.name,
                "path": str(entry.path),
                "fingerprint": entry.public.fingerprint if entry.public else "",
                "problem": entry.problem,
            }
            for entry in entries
        ]
        write(document("keys", keys=rows))
    elif entries:
        lines = [
            f"{entry.name}  {entry.public.short() if entry.public else entry.problem or 'sealed'}"
            for entry in entries
        ]
        write("\n".join(lines))
    else:
        tell("no keys yet; `probatum run` makes one, or `probatum key new`")


@command.command(epilog=exits(0))
@click.argument("name", default="local")
@json_option
def show(name: str, as_json: bool) -> None:
    """Print the public half of a key, as one OpenSSH line."""
    entry, public = keyring().show(name)
    if as_json:
        write(_document(entry.name, public, entry.path))
    else:
        write(public.openssh(entry.name))


def _document(name: str, public: PublicKey, path: Path) -> str:
    return document(
        "key",
        name=name,
        key=public.openssh(),
        fingerprint=public.fingerprint,
        path=str(path),
    )
