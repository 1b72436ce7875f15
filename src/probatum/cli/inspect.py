"""`probatum inspect`: show one case in full."""

from __future__ import annotations

import click

from probatum.cli.face import (
    READER_EXITS,
    exits,
    json_option,
    open_workspace,
    store_option,
    style,
    write,
)
from probatum.render import json as render_json
from probatum.render import text as render_text


@click.command(epilog=exits(*READER_EXITS))
@click.argument("ref", default="latest")
@click.option("--case", metavar="ID", help="The case; needed where there are several.")
@click.option("--full", is_flag=True, help="Show whole texts.")
@store_option
@json_option
def command(ref: str, case: str | None, full: bool, store: str | None, as_json: bool) -> None:
    """Show every edit, answer and judgment of a case of session REF."""
    found = open_workspace(store).inspect(ref, case)
    write(
        render_json.inspect(found)
        if as_json
        else render_text.inspect(found, full=full, style=style())
    )
