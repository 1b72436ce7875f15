"""`probatum log`: list sessions, newest first."""

from __future__ import annotations

import click

from probatum.cli.face import (
    READER_EXITS,
    exits,
    json_option,
    open_workspace,
    store_option,
    style,
    tell,
    write,
)
from probatum.render import json as render_json
from probatum.render import text as render_text
from probatum.render.summary import count_words


@click.command(epilog=exits(*READER_EXITS))
@store_option
@click.option("-n", "--limit", type=click.IntRange(1), help="Show this many at most.")
@json_option
def command(store: str | None, limit: int | None, as_json: bool) -> int:
    """List sessions, newest first."""
    workspace = open_workspace(store)
    found = workspace.log(limit=limit)
    write(render_json.log(found) if as_json else render_text.log(found, style=style()))
    unfinished = sum(not info.running for info in workspace.store.journals())
    if unfinished and not as_json:
        tell(f"{count_words(unfinished, 'run')} cut short; finish with: probatum run --resume")
    return 7 if found.damaged else 0
