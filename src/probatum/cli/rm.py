"""`probatum rm`: remove a session, leaving a signed notice."""

from __future__ import annotations

import click

from probatum.cli.face import clock, exits, json_option, open_workspace, store_option, tell, write
from probatum.cli.signer import signer_for
from probatum.digest import short
from probatum.records.base import StatementId
from probatum.render.json import document
from probatum.store import Space
from probatum.workspace import Workspace


@click.command(epilog=exits(0, 7))
@click.argument("ref")
@click.option("--reason", default="", help="Why; kept in the notice.")
@click.option("--key", metavar="NAME", help="Sign the notice with this key.")
@click.option("--no-sign", is_flag=True, help="Leave the notice unsigned.")
@store_option
@json_option
def command(
    ref: str, reason: str, key: str | None, no_sign: bool, store: str | None, as_json: bool
) -> None:
    """Remove session REF from the store's lists.

    A removal statement takes its place: what was removed, when and why. The
    objects stay in the store; this release has no command that frees their
    space.
    """
    workspace = open_workspace(store)
    session = workspace.session(ref)
    sign = None if no_sign else signer_for(key, quiet=as_json)
    names = _names(workspace, session)
    notice = workspace.remove(session, reason=reason, clock=clock, sign=sign)
    if as_json:
        still = [{"kind": what, "name": name} for what, name in names]
        write(document("removal", session=session, removal=notice, names=still))
        return
    tell(f"removed session {short(session)}; notice {short(notice)}")
    for what, name in names:
        tell(f"warning: {what} {name} still leads to it (probatum {what} -d {name} deletes it)")


def _names(workspace: Workspace, session: StatementId) -> list[tuple[str, str]]:
    """Return what still leads to a session: the verb that names it, and the name."""
    spaces: dict[str, Space] = {"tag": "tags", "baseline": "baselines"}
    return [
        (what, name)
        for what, space in spaces.items()
        for name, target in workspace.names(space).items()
        if target == session
    ]
