"""`probatum history`: show one case over sessions."""

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
@click.argument("case")
@click.option("-n", "--limit", type=click.IntRange(1), help="Show this many sessions at most.")
@store_option
@json_option
def command(case: str, limit: int | None, store: str | None, as_json: bool) -> None:
    """Show case CASE over the sessions of the store, newest first."""
    found = open_workspace(store).history(case, limit=limit)
    write(render_json.history(found) if as_json else render_text.history(found, style=style()))
