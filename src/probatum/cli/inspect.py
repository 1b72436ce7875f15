"""`probatum inspect`: show one case in full."""

from __future__ import annotations

import shlex

import click
import msgspec

from probatum.cli.face import (
    READER_EXITS,
    exits,
    json_option,
    open_workspace,
    store_option,
    style,
    write,
)
from probatum.cli.hints import hint_for
from probatum.errors import NotFoundError
from probatum.evidence.inspect import RunView
from probatum.records.base import UNSET
from probatum.render import json as render_json
from probatum.render import text as render_text


@click.command(epilog=exits(*READER_EXITS))
@click.argument("ref", default="latest")
@click.option("--case", metavar="ID", help="The case; needed where there are several.")
@click.option("--failing", is_flag=True, help="Show only inputs with a run that did not pass.")
@click.option("--full", is_flag=True, help="Show whole texts.")
@store_option
@json_option
def command(
    ref: str, case: str | None, failing: bool, full: bool, store: str | None, as_json: bool
) -> None:
    """Show every edit, answer and judgment of a case of session REF (by default latest)."""
    try:
        found = open_workspace(store).inspect(ref, case)
    except NotFoundError as error:
        if error.code == "unknown-name" and case is None and not ref.startswith("latest"):
            error.hint = f"{hint_for(error)}; if it is a case: --case {shlex.quote(ref)}"
        raise
    if failing:
        arms = [arm for arm in found.arms if not all(_passed(run) for run in arm.runs)]
        found = msgspec.structs.replace(found, arms=tuple(arms))
    write(
        render_json.inspect(found)
        if as_json
        else render_text.inspect(found, full=full, style=style())
    )


def _passed(run: RunView) -> bool:
    """Tell whether every rule that counts passes an answer."""
    counted = [
        item.judgment.result
        for item in run.judgments
        if item.rule.role == "check" and item.rule.invariant.severity != "low"
    ]
    return run.trial.failure is UNSET and all(result == "pass" for result in counted)
