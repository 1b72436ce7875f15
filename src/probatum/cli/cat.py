"""`probatum cat`: print a stored object."""

from __future__ import annotations

import base64

import click

from probatum import canonical
from probatum.cli.face import (
    READER_EXITS,
    exits,
    json_option,
    open_workspace,
    store_option,
    write,
    write_bytes,
)
from probatum.render.json import document


@click.command(epilog=exits(*READER_EXITS))
@click.argument("id")
@store_option
@json_option
def command(id: str, store: str | None, as_json: bool) -> None:  # noqa: A002
    """Print the payload of object ID, byte for byte.

    ID is an object's id or 8 or more leading digits of it. With --json it is
    wrapped with its id, kind and size; a blob's bytes are then base64.
    """
    found, stored = open_workspace(store).cat(id)
    if not as_json:
        write_bytes(stored.payload)
        return
    value: dict[str, object]
    if stored.kind == "blob":
        value = {"base64": base64.b64encode(stored.payload).decode()}
    else:
        value = {"value": canonical.decode(stored.payload)}
    write(document("object", id=found, object=stored.kind, size=len(stored.payload), **value))
