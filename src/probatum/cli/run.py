"""`probatum run`: put a system under pressure and keep the evidence."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

import click

from probatum import canonical
from probatum.cli.face import (
    MEMORY,
    clock,
    environment,
    exits,
    json_option,
    keyring,
    open_workspace,
    store_option,
    style,
    tell,
    write,
)
from probatum.cli.signer import signer_for
from probatum.errors import EnvironmentFault, Interrupted, ProviderFault, SpecError
from probatum.records.base import TargetId
from probatum.records.target import Target
from probatum.render.escape import visible
from probatum.store.refs import check_name
from probatum.verdicts import exit_code_of

if TYPE_CHECKING:
    from probatum.engine.pipeline import Progress, RunResult, Setting
    from probatum.spec.compiled import Compiled
    from probatum.workspace import Workspace


class Options(NamedTuple):
    """How `run` was called."""

    spec: str | None
    resume: bool
    parallel: int | None
    no_sign: bool
    key: str | None
    quiet: bool


@click.command(epilog=exits(0, 1, 2, 3, 4, 130))
@click.argument("spec", required=False)
@store_option
@click.option("--resume", is_flag=True, help="Finish an interrupted or incomplete run.")
@click.option(
    "--parallel", type=click.IntRange(1, 1_024), help="Calls at a time; overrides the spec."
)
@click.option("--key", metavar="NAME", help="Sign with this key instead of $PROBATUM_KEY or local.")
@click.option("--no-sign", is_flag=True, help="Leave the session unsigned.")
@click.option("--tag", metavar="NAME", help="Name the session.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("--exit-zero", is_flag=True, help="Answer 0 whatever the verdict.")
@json_option
def command(
    store: str | None, tag: str | None, exit_zero: bool, as_json: bool, **given: object
) -> int:
    """Run SPEC: perturb inputs, call the system, judge the answers, keep everything.

    With --resume, the newest interrupted run, or else the newest incomplete
    session, is finished; SPEC may name the spec it is of, or the session.
    """
    options = Options(**given)  # type: ignore[arg-type]
    if options.spec is None and not options.resume:
        raise click.UsageError("Missing argument 'SPEC'.")
    _check(options.spec, tag)
    workspace, result = _run(store, options)
    if tag:
        workspace.name("tags", tag, result.statement_id)
    if as_json:
        from probatum.render import json as render_json

        place = MEMORY if workspace.store.path is None else str(workspace.store.path)
        write(render_json.run(result, signed=_signed_by(result), store=place))
    elif not options.quiet:
        from probatum.render import text as render_text

        found = workspace.replay(
            result.statement_id, trust=keyring().trusted(), now=datetime.now(UTC)
        )
        write(render_text.replay(found, style=style()))
    if not options.quiet:
        _point_out(workspace, result, store, as_json=as_json)
    for reason in result.missing:
        tell(visible(f"missing: {reason}"))
    if not result.session.complete:
        raise ProviderFault(
            f"{result.session.totals.missing} of the planned runs are missing",
            code="incomplete",
            hint=_completion(workspace, result),
        )
    return 0 if exit_zero else int(exit_code_of(result.session.verdict))


def _point_out(
    workspace: Workspace, result: RunResult, store: str | None, *, as_json: bool
) -> None:
    """Say how the system failed, or else which case to look at first, and how."""
    verdict = result.session.verdict
    failures = workspace.failures(result)
    for case, words in failures:
        tell(visible(f"failed: {words} (in case {case}{_look(case, store, '; ')})"))
    if as_json or failures or not result.session.complete or store == MEMORY:
        return
    alike = [row.case for row in result.rows if row.summary and row.summary.verdict == verdict]
    if alike and verdict != "STABLE":
        broken = "" if verdict in ("INSUFFICIENT", "INVALID_EVAL") else " --failing"
        tell(visible(f"see why: {_look(alike[0], store)}{broken}"))


def _look(case: str, store: str | None, before: str = "") -> str:
    """Return the command that shows a case of the newest session, if it is kept."""
    if store == MEMORY:
        return ""
    named = "" if store in (None, os.environ.get("PROBATUM_STORE")) else store
    words = ["probatum", "inspect", "--case", case, *(["--store", named] if named else [])]
    return before + shlex.join(words)


def _completion(workspace: Workspace, result: RunResult) -> str:
    """Return how to come by the runs that are missing."""
    target = workspace.store.record(TargetId(result.session.target), Target)
    if target.provider == "fixtures":
        return "`probatum inspect` shows their inputs; record the answers, then run the spec again"
    return f"finish with: probatum run --resume {result.statement_id[:12]}"


def _check(spec: str | None, tag: str | None) -> None:
    """Refuse what would be found out only after the calls."""
    if tag is not None:
        check_name(tag)
    try:
        (spec or "").encode()
    except UnicodeEncodeError:
        raise SpecError(
            f"{spec}: the path is not UTF-8, so it cannot be kept",
            code="not-utf8",
            hint="rename the file",
        ) from None


def _run(store: str | None, options: Options) -> tuple[Workspace, RunResult]:
    if options.resume:
        name, spec = _resumed(options.spec)
        workspace = open_workspace(store)
        unfinished = workspace.unfinished(name, spec=spec)
        folder = None if spec is None else Path(options.spec or "").absolute().parent
        setting = _setting(options)
        with _going_on(workspace):
            result = workspace.resume(unfinished, setting, folder)
        return workspace, result
    assert options.spec is not None
    from probatum.workspace import Workspace

    path = Path(options.spec)
    compiled = Workspace.compile(path)
    _warn(compiled, quiet=options.quiet)
    if options.parallel:
        settings = compiled.settings._replace(parallel=options.parallel)
        compiled = compiled._replace(settings=settings)
    setting = _setting(options)._replace(folder=path.absolute().parent)
    workspace = open_workspace(store, create=True)
    with _going_on(workspace):
        result = workspace.run(compiled, setting)
    return workspace, result


def _resumed(spec: str | None) -> tuple[str | None, bytes | None]:
    """Tell a session's name from the path of a spec, whose bytes are returned."""
    if spec is None:
        return None, None
    if Path(spec).is_file():
        return None, Path(spec).read_bytes()
    if spec.endswith((".yaml", ".yml")):
        raise SpecError(f"{spec}: no such file", code="no-such-file", hint="check the path")
    return spec, None


def _setting(options: Options) -> Setting:
    from probatum.engine.pipeline import Setting

    said = {
        "spec": options.spec or "",
        "resume": options.resume,
        "sign": not options.no_sign,
        "parallel": options.parallel or 0,
    }
    return Setting(
        clock=clock,
        environment=environment,
        invocation=canonical.encode(said).decode(),
        folder=Path.cwd(),
        environ=os.environ,
        sign=None if options.no_sign else signer_for(options.key, quiet=options.quiet),
        progress=None if options.quiet or not sys.stderr.isatty() else _Line(),
    )


def _signed_by(result: RunResult) -> str:
    if result.fingerprint is None:
        return ""
    name = keyring().name_of(result.fingerprint)
    return f"{name or 'untrusted'} key {result.fingerprint[:4]}"


def _warn(compiled: Compiled, *, quiet: bool) -> None:
    if not quiet:
        for warning in compiled.warnings:
            tell(visible(f"warning: {warning}"))


class _Line:
    """A line on a terminal that is written over as the run goes on."""

    def __call__(self, progress: Progress) -> None:
        if progress.phase == "run":
            failed = f", {progress.failed} failed" if progress.failed else ""
            text = f"{progress.done}/{progress.total} runs{failed}"
        else:
            text = {"plan": "planning", "seal": "sealing"}[progress.phase]
        end = "" if progress.phase != "seal" else "\r"
        sys.stderr.write(f"\r\x1b[K{text}{end}")
        sys.stderr.flush()


@contextlib.contextmanager
def _going_on(workspace: Workspace) -> Iterator[None]:
    """Be ready for signals and prints; say how to go on when the machine refuses."""
    try:
        with _interruptible(), _stdout_aside():
            yield
    except EnvironmentFault as error:
        if _resumable(workspace):
            error.hint = f"{error.hint or 'mend that'}; what was answered is kept: run --resume"
        raise
    except KeyboardInterrupt:
        hint = "finish with: probatum run --resume" if _resumable(workspace) else "run it again"
        raise Interrupted("interrupted", hint=hint) from None


def _resumable(workspace: Workspace) -> bool:
    return any(not info.running for info in workspace.store.journals())


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Treat a polite request to end like Ctrl-C."""

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")


@contextlib.contextmanager
def _stdout_aside() -> Iterator[None]:
    """Send what a callable prints to standard error: standard output is data."""
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(2, 1)
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
