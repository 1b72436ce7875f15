"""`probatum verify`: derive again what a session claims from its evidence."""

from __future__ import annotations

import os
from datetime import UTC, datetime

import click

from probatum.cli.face import (
    exits,
    json_option,
    keyring,
    open_workspace,
    store_option,
    style,
    tell,
    write,
)
from probatum.errors import ExitCode
from probatum.evidence.report import StoreReport, VerifyReport, exit_code
from probatum.render import textverify


@click.command(epilog=exits(0, 7, 8))
@click.argument("ref", required=False)
@click.option("--all", "everything", is_flag=True, help="Every session, and all else in the store.")
@click.option("--deep", is_flag=True, help="Make every perturbation and judgment again, too.")
@click.option("--quick", is_flag=True, help="Only checksums of packs, and signatures.")
@click.option(
    "--trust", metavar="FILE", help="The trust file; else $PROBATUM_TRUST, else your own."
)
@click.option("--require-trust", is_flag=True, help="Answer 8 unless the signers are trusted.")
@store_option
@json_option
def command(
    ref: str | None,
    everything: bool,
    deep: bool,
    quick: bool,
    trust: str | None,
    require_trust: bool,
    store: str | None,
    as_json: bool,
) -> int:
    """Verify session REF (by default latest): read every byte, resolve every verdict again.

    Axes are reported apart: bytes, canonical form, closure, inventory,
    signature, trust, time, chain and verdicts. Nothing that the evidence
    brings is ever executed.
    """
    if deep and quick:
        raise click.UsageError("--deep and --quick exclude each other")
    if everything and ref is not None:
        raise click.UsageError("--all verifies every session; leave REF out")
    ring = keyring(trust)
    named = trust or os.environ.get("PROBATUM_TRUST")
    known = ring.trusted(required=bool(named))
    now = datetime.now(UTC)
    workspace = open_workspace(store)
    if known is None and require_trust:
        tell(f"there is no trust file at {ring.trust_path}")
    if as_json:
        from probatum.render import json as render_json
    if everything:
        whole = workspace.verify_all(trust=known, now=now, quick=quick, deep=deep)
        write(
            render_json.verify_all(whole, require_trust=require_trust)
            if as_json
            else textverify.verify_all(whole, style=style())
        )
        return _answer(whole, require_trust=require_trust)
    report = workspace.verify(ref or "latest", trust=known, now=now, quick=quick, deep=deep)
    write(
        render_json.verify(report, require_trust=require_trust)
        if as_json
        else textverify.verify(report, style=style())
    )
    return _answer(report, require_trust=require_trust)


def _answer(report: VerifyReport | StoreReport, *, require_trust: bool) -> int:
    code = exit_code(report, require_trust=require_trust)
    if code is ExitCode.NOT_TRUSTED:
        tell("not trusted, as --require-trust demands: see signature and trust above")
    return int(code)
