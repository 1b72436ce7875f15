"""What `tag` and `baseline` share: names that lead to sessions."""

from __future__ import annotations

from typing import Literal

import click

from probatum.cli.face import exits, json_option, open_workspace, store_option, tell, write
from probatum.digest import short
from probatum.render.json import document


def naming_command(space: Literal["tags", "baselines"], what: str, summary: str) -> click.Command:
    """Return the command that lists, sets and deletes names of one sort.

    Args:
        space: Where the names are kept.
        what: What a name of this sort is called.
        summary: The command's help.
    """

    @click.command(help=summary, epilog=exits(0, 7))
    @click.argument("name", required=False)
    @click.argument("ref", required=False)
    @click.option("-d", "--delete", is_flag=True, help="Delete the name; the session stays.")
    @store_option
    @json_option
    def command(
        name: str | None, ref: str | None, delete: bool, store: str | None, as_json: bool
    ) -> None:
        if delete and (name is None or ref is not None):
            raise click.UsageError("--delete takes one NAME")
        workspace = open_workspace(store)
        if name is None:
            names = workspace.names(space)
            if as_json:
                write(document(space, names=names))
            elif names:
                width = max(map(len, names))
                write("\n".join(f"{key:<{width}}  {short(value)}" for key, value in names.items()))
            else:
                tell(f"there are no {space}")
            return
        if delete:
            workspace.unname(space, name)
            if as_json:
                write(document(what, name=name, deleted=True))
            else:
                tell(f"deleted {what} {name}")
            return
        session = workspace.session(ref or "latest")
        workspace.name(space, name, session)
        if as_json:
            write(document(what, name=name, session=session, deleted=False))
        else:
            tell(f"{what} {name} is now session {short(session)}")

    return command
