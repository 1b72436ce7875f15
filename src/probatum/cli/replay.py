"""`probatum replay`: show a session's verdicts as they were assigned."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from probatum.cli.face import (
    READER_EXITS,
    exits,
    json_option,
    keyring,
    open_workspace,
    store_option,
    style,
    write,
)
from probatum.render import json as render_json
from probatum.render import text as render_text


@click.command(epilog=exits(*READER_EXITS))
@click.argument("ref", default="latest")
@click.option("--latest", is_flag=True, help="The newest session; the default.")
@store_option
@json_option
def command(ref: str, latest: bool, store: str | None, as_json: bool) -> None:
    """Show the verdicts of session REF as they were assigned.

    Nothing is called and nothing is judged again. REF is latest, latest~1, a
    tag, a baseline, or 8 or more leading digits of an id.
    """
    found = open_workspace(store).replay(
        "latest" if latest else ref, trust=keyring().trusted(), now=datetime.now(UTC)
    )
    write(render_json.replay(found) if as_json else render_text.replay(found, style=style()))
