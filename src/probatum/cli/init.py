"""`probatum init`: make a store."""

from __future__ import annotations

from pathlib import Path

import click

from probatum.cli.face import MEMORY, STORE_NAME, exits, json_option, store_option, tell, write
from probatum.render.json import document
from probatum.workspace import Workspace


@click.command(epilog=exits(0))
@store_option
@json_option
def command(store: str | None, as_json: bool) -> None:
    """Make a store in this folder, or leave the one that is there.

    `probatum run` makes one by itself; this is for choosing its place.
    """
    if store == MEMORY:
        raise click.UsageError(f"a store in {MEMORY} cannot be made ahead")
    path = Path(store) if store else Path.cwd() / STORE_NAME
    existed = (path / "store.json").exists()
    opened = Workspace.open(path, create=True)
    if as_json:
        write(document("init", store=str(path), id=opened.store.id, created=not existed))
    else:
        tell(f"{'there is already a' if existed else 'made a'} store at {path}")
