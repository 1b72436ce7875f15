"""What only a face may know: environment, clock, home folder, terminal.

Everything below takes these as arguments; this module reads them once.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from probatum import __version__
from probatum.errors import EnvironmentFault, ExitCode, NotFoundError
from probatum.records.session import Environment
from probatum.render.layout import Style, plain
from probatum.workspace import Workspace
from probatum.workspace.keyring import Keyring

STORE_NAME: Final = ".probatum"

MEMORY: Final = ":memory:"
"""A store that is gone when the command ends."""

_PACKAGES: Final = {
    "cryptography": "cryptography",
    "jsonschema": "jsonschema",
    "msgspec": "msgspec",
    "pydantic_core": "pydantic-core",
    "re2": "google-re2",
    "yaml": "pyyaml",
    "zstandard": "zstandard",
}
"""Modules that can change a result, where they are loaded, and what they are published as."""

_SILENT: Final = frozenset({"jsonschema", "re2"})
"""Those that do not say their version: it is looked up, which takes 50 ms."""

_MEANINGS: Final = {
    ExitCode.OK: "stable, passed or good",
    ExitCode.DEGRADED: "degraded (FRAGILE)",
    ExitCode.FAILED: "failed (CONSISTENTLY_WRONG, INVALID_EVAL)",
    ExitCode.ERROR: "error",
    ExitCode.INSUFFICIENT: "insufficient, or evidence lost",
    ExitCode.REGRESSION: "regression",
    ExitCode.LOW_FALSIFIABILITY: "low falsifiability",
    ExitCode.INTEGRITY: "integrity failure",
    ExitCode.NOT_TRUSTED: "not trusted (only with --require-trust)",
    ExitCode.USAGE: "usage",
    ExitCode.INTERNAL: "internal error",
    ExitCode.INTERRUPTED: "interrupted, resumable",
}

_F = TypeVar("_F", bound=Callable[..., Any])


def exits(*codes: int) -> str:
    """Return the help text for the exit codes that a command uses."""
    wanted = sorted({*codes, ExitCode.ERROR, ExitCode.USAGE, ExitCode.INTERNAL})
    return "Exit codes: " + " · ".join(
        f"{int(code)} {_MEANINGS[ExitCode(code)]}" for code in wanted
    )


READER_EXITS: Final = (ExitCode.OK, ExitCode.INTEGRITY)
"""Codes of commands that only read."""


def store_option(function: _F) -> _F:
    """Add ``--store``."""
    return click.option(
        "--store",
        "--store-path",
        "store",
        envvar="PROBATUM_STORE",
        metavar="DIR",
        help="The store; by default the nearest .probatum here or above, or $PROBATUM_STORE.",
    )(function)


def json_option(function: _F) -> _F:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(
        function
    )


def locate_store(given: str | None) -> Path:
    """Return the folder of the store: as given, the nearest one upwards, or here."""
    if given:
        return Path(given)
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / STORE_NAME / "store.json").is_file():
            return folder / STORE_NAME
    return here / STORE_NAME


def open_workspace(given: str | None, *, create: bool = False) -> Workspace:
    """Open the workspace over a store.

    Args:
        given: The value of ``--store``, which may be `MEMORY`.
        create: Make the store if there is none.
    """
    if given == MEMORY:
        return Workspace.in_memory()
    return Workspace.open(locate_store(given), create=create)


def config_folder() -> Path:
    """Return the user's configuration folder for this program.

    Raises:
        NotFoundError: If the environment names no home.
    """
    base = os.environ.get("XDG_CONFIG_HOME")
    if base:
        return Path(base) / "probatum"
    try:
        return Path.home() / ".config" / "probatum"
    except RuntimeError:
        raise NotFoundError(
            "no home folder is known", code="no-home", hint="set XDG_CONFIG_HOME"
        ) from None


def key_folder() -> Path:
    """Return the folder that holds private keys."""
    return config_folder() / "keys"


def trust_path(given: str | None = None) -> Path:
    """Return the trust file: as given, ``PROBATUM_TRUST``, or the user's own."""
    found = given or os.environ.get("PROBATUM_TRUST")
    return Path(found) if found else config_folder() / "trust.json"


def passphrase(prompt: str) -> bytes | None:
    """Return the passphrase from the environment, or ask on a terminal."""
    given = os.environ.get("PROBATUM_PASSPHRASE")
    if given is not None:
        return given.encode()
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    text: str = click.prompt(prompt, hide_input=True, default="", show_default=False, err=True)
    return text.encode() or None


def clock() -> int:
    """Return microseconds since the Unix epoch."""
    return time.time_ns() // 1000


def local_zone() -> tzinfo:
    """Return the zone of times that are written without one."""
    from zoneinfo import ZoneInfo

    try:
        with Path("/etc/localtime").open("rb") as file:
            return ZoneInfo.from_file(file)
    except (OSError, ValueError):
        return UTC


def environment() -> Environment:
    """Describe where this process runs, as far as it can change a result."""
    import platform

    packages = [
        (name, _version(module, name))
        for module, name in _PACKAGES.items()
        if module in sys.modules
    ]
    return Environment(
        tool=f"probatum {__version__}",
        python=platform.python_version(),
        implementation=platform.python_implementation(),
        os=platform.system(),
        machine=platform.machine(),
        packages=tuple(sorted(packages)),
    )


def _version(module: str, name: str) -> str:
    """Return the version of a package that is loaded."""
    if module not in _SILENT:
        return str(sys.modules[module].__version__)
    from importlib.metadata import version

    return version(name)


def write(text: str) -> None:
    """Write data to standard output, in UTF-8 whatever the locale."""
    data = text.encode("utf-8", "backslashreplace")
    if not data.endswith(b"\n"):
        data += b"\n"
    write_bytes(data)


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output as they are.

    A reader that went away, as `head` does, changes no exit code.

    Raises:
        EnvironmentFault: If standard output takes no more.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _drop_stdout()
    except OSError as error:
        _drop_stdout()
        raise EnvironmentFault(
            f"standard output cannot be written: {error.strerror}", code="unwritable"
        ) from None


def _drop_stdout() -> None:
    """Let what is still buffered go nowhere, so that nothing fails again at the very end."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def style() -> Style:
    """Return how roles look: in colours on a terminal, unless ``NO_COLOR`` is set."""
    if os.environ.get("NO_COLOR") or not sys.stdout.isatty():
        return plain
    looks: dict[str, dict[str, Any]] = {
        "good": {"fg": "green"},
        "warn": {"fg": "yellow"},
        "bad": {"fg": "red"},
        "dim": {"dim": True},
        "strong": {"bold": True},
    }
    return lambda text, role: click.style(text, **looks.get(role, {}))


def save(path: Path, data: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        EnvironmentFault: If the machine refuses.
    """
    if path.is_dir():
        raise EnvironmentFault(
            f"{path} is a folder", code="unwritable", hint="name the file to write in it"
        )
    import tempfile

    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(handle)
            os.chmod(name, 0o666 & ~_umask())  # noqa: PTH101
            os.replace(name, path)  # noqa: PTH105
        except BaseException:
            os.unlink(name)  # noqa: PTH108
            raise
    except OSError as error:
        raise EnvironmentFault(
            f"{path} cannot be written: {error.strerror}",
            code="unwritable",
            hint="" if path.parent.is_dir() else f"make the folder {path.parent} first",
        ) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def tell(text: str) -> None:
    """Write a line for a person to standard error."""
    click.echo(text, err=True)


def keyring(trust: str | None = None) -> Keyring:
    """Return the user's keys and trust file."""
    return Keyring(key_folder(), trust_path(trust))
