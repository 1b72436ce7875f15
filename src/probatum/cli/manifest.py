"""`probatum manifest`: write a session's signed manifest."""

from __future__ import annotations

from pathlib import Path

import click

from probatum.cli.face import (
    READER_EXITS,
    exits,
    json_option,
    open_workspace,
    save,
    store_option,
    tell,
    write,
)
from probatum.render.json import document


@click.command(epilog=exits(*READER_EXITS))
@click.argument("ref", default="latest")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of standard output.")
@store_option
@json_option
def command(ref: str, output: str | None, store: str | None, as_json: bool) -> None:
    """Write the manifest of session REF: its statement in a DSSE envelope.

    Two manifest files are enough for `probatum diff` on another machine. The
    file is JSON as it is; with --json and -o, what was written is reported.
    """
    workspace = open_workspace(store)
    data = workspace.manifest(ref)
    if output is None:
        write(data.decode())
        return
    save(Path(output), data)
    if as_json:
        write(document("manifest", session=workspace.session(ref), file=output, size=len(data)))
    else:
        tell(f"wrote {output}, {len(data)} bytes")
