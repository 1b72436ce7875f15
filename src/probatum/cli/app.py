"""The command group, which loads a verb only when it is called, and the last line of defence."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import click

from probatum import __version__
from probatum.errors import EnvironmentFault, ExitCode, Interrupted, ProbatumError, SpecError

VERBS: Final[dict[str, str]] = {
    "init": "Make a store",
    "run": "Put a system under pressure and keep the evidence",
    "log": "List sessions, newest first",
    "replay": "Show a session's verdicts as they were assigned",
    "inspect": "Show one case: every edit, answer and judgment",
    "diff": "Compare two sessions, or two manifest files",
    "history": "Show one case over sessions",
    "verify": "Re-derive what a session claims from its evidence",
    "cat": "Print a stored object",
    "manifest": "Write a session's signed manifest",
    "tag": "Name a session",
    "baseline": "Name the session that later ones are held against",
    "rm": "Remove a session, leaving a signed notice",
    "key": "Make, list and show signing keys",
    "trust": "Say whose signatures count",
}
"""Every verb with its one line of help, in the order of `--help`."""


_INTERRUPTED: Final = Interrupted("interrupted", hint="nothing is half-written; call it again")


class Verbs(click.Group):
    """A group that imports ``probatum.cli.<verb>`` on first use."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; without any argument, show the help beside the error."""
        if not args:
            click.echo(ctx.get_help(), err=True)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; Ctrl-C is one line, without the empty one that click writes."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise _INTERRUPTED from None

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the verbs in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a verb's command, or nothing for an unknown one."""
        del ctx
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"probatum.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing any of them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, naming the nearest one when there is none."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], VERBS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=Verbs,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 stable or good · 1 degraded · 2 failed · 3 error · 4 insufficient · "
    "5 regression · 7 integrity failure · 8 not trusted · 64 usage · 70 internal error · "
    "130 interrupted. `probatum VERB --help` says which of them a verb uses.",
)
@click.version_option(__version__, prog_name="probatum", message="%(prog)s %(version)s")
def group() -> None:
    """Git for reliability evidence.

    Test a stochastic system under named perturbations, keep every input,
    answer and judgment under its hash, and let anyone verify the verdict.
    """


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave the process with a code of the table."""
    # A command makes many objects and hardly a cycle: looking for cycles after every 700 of
    # them takes 3 % of a run of 9,000 fast calls, and 2 % of verifying 1,000 objects.
    gc.set_threshold(100_000, 50, 100)
    _open_streams()
    code = invoke(args)
    # What is left goes with the process: at its end nothing is searched for cycles either.
    gc.freeze()
    sys.exit(code)


def _open_streams() -> None:
    """Put the null device where a standard stream is closed.

    Otherwise the first file that is opened, perhaps one of the store, becomes
    standard output.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            os.set_inheritable(number, True)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def invoke(args: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Args:
        args: Arguments without the program's name; those of the process by
            default.
    """
    try:
        result = group.main(args=args, prog_name="probatum", standalone_mode=False)
        sys.stdout.flush()
    except ProbatumError as error:
        return _report(error)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.UsageError as error:
        return _usage(error)
    except click.ClickException as error:
        return _line("usage", error.format_message(), "", ExitCode.USAGE)
    except (KeyboardInterrupt, click.Abort):
        return _report(_INTERRUPTED)
    except SystemExit:
        # click's way of ending when nobody reads its help any more
        return ExitCode.OK
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        return _report(EnvironmentFault(f"{error.strerror or error}{place}"))
    except Exception as error:  # noqa: BLE001  the face is where a defect becomes a line
        return _internal(error)
    return int(result or 0)


def _report(error: ProbatumError) -> int:
    if isinstance(error, SpecError) and len(error.problems) > 1:
        from probatum.render.escape import visible

        for problem in error.problems:
            click.echo(visible(problem), err=True)
    from probatum.cli.hints import hint_for

    return _line(error.code, str(error), hint_for(error), error.exit_code)


def _usage(error: click.UsageError) -> int:
    command = error.ctx.command_path if error.ctx else "probatum"
    return _line("usage", error.format_message(), f"see `{command} --help`", ExitCode.USAGE)


def _internal(error: Exception) -> int:
    if os.environ.get("PROBATUM_DEBUG"):
        raise error
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    hint = "this is a defect of probatum; PROBATUM_DEBUG=1 shows the traceback"
    return _line("internal", what, hint, ExitCode.INTERNAL)


def _line(code: str, message: str, hint: str, exit_code: int) -> int:
    from probatum.render.escape import visible

    tail = f" ({hint})" if hint else ""
    click.echo(visible(f"probatum: error[{code}]: {message}{tail}"), err=True)
    return int(exit_code)
