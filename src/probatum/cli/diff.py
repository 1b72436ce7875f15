"""`probatum diff`: compare two sessions, or two manifest files."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import click

from probatum.cli.face import exits, json_option, open_workspace, store_option, style, tell, write
from probatum.errors import EnvironmentFault
from probatum.render import json as render_json
from probatum.render import text as render_text
from probatum.render.escape import visible
from probatum.workspace import diff_manifests


@click.command(epilog=exits(0, 4, 5, 7))
@click.argument("old")
@click.argument("new", default="latest")
@store_option
@click.option("--exit-zero", is_flag=True, help="Answer 0 whatever changed.")
@json_option
def command(old: str, new: str, store: str | None, exit_zero: bool, as_json: bool) -> int:
    """Compare session NEW, by default the latest, with session OLD.

    Rows are paired by case, perturbation and repeat, whatever the plan. Two
    manifest files are compared without any store: verdicts, bounds and ids.
    """
    for name in (old, new):
        if not Path(name).exists() and (os.sep in name or name.endswith(".json")):
            raise EnvironmentFault(
                visible(f"{name}: no such file"), code="no-such-file", hint="check the path"
            )
    files = [name for name in (old, new) if Path(name).is_file()]
    if len(files) == 1:
        raise click.UsageError(f"{files[0]} is a file and the other is not; give two of a kind")
    if files:
        found = diff_manifests(Path(old), Path(new), now=datetime.now(UTC), warn=_warn)
    else:
        found = open_workspace(store).diff(old, new)
    write(render_json.diff(found) if as_json else render_text.diff(found, style=style()))
    return 0 if exit_zero else int(found.exit_code)


def _warn(words: str) -> None:
    tell(visible(f"warning: {words}"))
