"""The last line of defence: whatever happens becomes one line and a code of the table."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import click
import pytest

from probatum.cli import app, face
from probatum.errors import NotFoundError


@pytest.fixture
def verb(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Add a verb that raises what it is told to."""

    def add(error: BaseException) -> None:
        @click.command
        def command() -> None:
            raise error

        module = ModuleType("probatum.cli.broken")
        module.command = command  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "probatum.cli.broken", module)
        monkeypatch.setitem(app.VERBS, "broken", "Fail")

    return add


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ValueError("no\nmore"), 70, "error[internal]: ValueError: no (this is a defect"),
        (OSError(28, "No space left on device", "x"), 3, "No space left on device: x"),
        (click.ClickException("odd"), 64, "error[usage]: odd"),
        (click.Abort(), 130, "error[interrupted]"),
        (KeyboardInterrupt(), 130, "error[interrupted]"),
    ],
)
def test_every_failure_is_one_line(
    verb: Any, capfd: pytest.CaptureFixture[str], error: BaseException, code: int, said: str
) -> None:
    verb(error)
    assert app.invoke(["broken"]) == code
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err


def test_a_defect_shows_its_traceback_when_asked(
    verb: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    verb(ValueError("here"))
    monkeypatch.setenv("PROBATUM_DEBUG", "1")
    with pytest.raises(ValueError, match="here"):
        app.invoke(["broken"])


def test_verbs_are_listed_in_the_order_of_the_table() -> None:
    context = click.Context(app.group)
    assert app.group.list_commands(context) == list(app.VERBS)
    assert app.group.get_command(context, "nothing") is None


def test_without_a_home_the_hint_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr("pathlib.Path.home", lambda: (_ for _ in ()).throw(RuntimeError))
    with pytest.raises(NotFoundError, match="home") as caught:
        face.config_folder()
    assert "XDG_CONFIG_HOME" in caught.value.hint


def test_times_without_a_zone_are_local_ones() -> None:
    assert face.local_zone() is not None
