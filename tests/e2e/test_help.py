"""Help, versions, and calls that are wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest
from desk import Desk

from probatum import __version__
from probatum.cli.app import VERBS, group
from probatum.errors import ExitCode


def commands() -> Iterator[tuple[str, click.Command]]:
    """Return every command, those of groups included, by what is typed."""
    context = click.Context(group)
    for verb in VERBS:
        command = group.get_command(context, verb)
        assert command is not None
        yield verb, command
        if isinstance(command, click.Group):
            for name, below in command.commands.items():
                yield f"{verb} {name}", below


ALL = [name for name, _ in commands()]


@pytest.mark.parametrize("words", ALL)
def test_help_says_its_exit_codes(desk: Desk, words: str) -> None:
    long, short = (desk.call(*words.split(), option) for option in ("--help", "-h"))
    assert long.code == short.code == 0
    assert long.out == short.out
    assert long.err == ""
    assert long.out.startswith(f"Usage: probatum {words} ")
    text = " ".join(long.out.split())
    found = {int(code) for code in re.findall(r"(?:Exit codes: |· )(\d+) ", text)}
    assert found >= {0, 3, 64, 70}
    assert found <= {int(code) for code in ExitCode}


@pytest.mark.parametrize("words", ALL)
def test_every_option_and_command_is_explained(words: str) -> None:
    command = dict(commands())[words]
    assert command.help
    assert command.get_short_help_str(limit=200).rstrip(".")
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, option.name


@pytest.mark.parametrize(
    "words", [name for name, command in commands() if not isinstance(command, click.Group)]
)
def test_every_command_has_json(words: str) -> None:
    assert any("--json" in option.opts for option in dict(commands())[words].params)


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in {"key", "trust"}])
def test_every_verb_with_a_store_takes_it(verb: str) -> None:
    [option] = [item for item in dict(commands())[verb].params if item.name == "store"]
    assert option.opts == ["--store", "--store-path"]
    assert isinstance(option, click.Option)
    assert option.envvar == "PROBATUM_STORE"


def test_the_list_of_verbs(desk: Desk) -> None:
    done = desk.call("--help")
    assert done.code == 0
    listed = re.findall(r"^  ([a-z]+)  +[A-Z]", done.out, re.MULTILINE)
    assert listed == list(VERBS)
    for verb in VERBS:
        assert VERBS[verb] in done.out


def test_version(desk: Desk) -> None:
    assert desk.run("--version").out == f"probatum {__version__}\n"


def test_without_arguments_help_is_shown_beside_the_error(desk: Desk) -> None:
    done = desk.call()
    assert (done.code, done.out) == (64, "")
    assert done.err.startswith("Usage: probatum ")
    assert done.err.splitlines()[-1].startswith("probatum: error[usage]: Missing command")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("verfy", "'verify'"),
        ("rnu x", "'run'"),
        ("hist a", "'history'"),
        ("key lst", "'list'"),
        ("trust ad", "'add'"),
        ("xyzzy", "probatum --help"),
        ("run", "'SPEC'"),
        ("run a b", "probatum run --help"),
        ("run x --paralel 2", "'--parallel'"),
        ("run x --parallel 0", "1<=x<=1024"),
        ("run x --parallel two", "'two'"),
        ("run x --store", "'--store'"),
        ("log --limit 0", "x>=1"),
        ("log extra", "(extra)"),
        ("history", "'CASE'"),
        ("diff", "'OLD'"),
        ("diff a b c", "(c)"),
        ("cat", "'ID'"),
        ("cat xyz", "hex digits"),
        ("rm", "'REF'"),
        ("verify --deep --quick", "exclude"),
        ("verify --all latest", "leave REF out"),
        ("verify --trust", "'--trust'"),
        ("tag -d", "one NAME"),
        ("tag -d a b", "one NAME"),
        ("baseline a b c", "(c)"),
        ("key", "probatum key --help"),
        ("key new ../up", "letters"),
        ("key new a/b", "letters"),
        ("key new .hidden", "letters"),
        ("key new sealed --passphrase", "PROBATUM_PASSPHRASE"),
        ("trust", "probatum trust --help"),
        ("trust add x", "'KEY'"),
        ("trust add x local --valid-after yesterday", "+00:00"),
        ("trust add x local --valid-after 2026-01-01", "+00:00"),
        ("--nope", "--help"),
    ],
)
def test_a_wrong_call_is_one_line_and_64(desk: Desk, words: str, hint: str) -> None:
    if words.startswith(("cat xyz", "log", "trust add x local")):
        desk.session()
    assert hint in desk.call(*words.split()).error(64)
    assert not (desk.config / "keys" / "up").exists()
