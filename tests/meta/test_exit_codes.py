"""One table of exit codes: the enum, the README and every help say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from probatum.cli.app import VERBS, group
from probatum.cli.face import exits
from probatum.errors import ExitCode

VERDICTS = {
    ExitCode.DEGRADED,
    ExitCode.FAILED,
    ExitCode.INSUFFICIENT,
    ExitCode.REGRESSION,
    ExitCode.LOW_FALSIFIABILITY,
}
"""Codes that only commands which resolve or compare verdicts may answer."""


def epilogs() -> Iterator[tuple[str, str]]:
    context = click.Context(group)
    for verb in VERBS:
        command = group.get_command(context, verb)
        assert command is not None
        yield verb, command.epilog or ""
        if isinstance(command, click.Group):
            for name, below in command.commands.items():
                yield f"{verb} {name}", below.epilog or ""


EPILOGS = dict(epilogs())


def codes(epilog: str) -> list[int]:
    assert epilog.startswith("Exit codes: ")
    return [int(part.split()[0]) for part in epilog.removeprefix("Exit codes: ").split(" · ")]


def readme(repository: Path) -> dict[int, str]:
    """Return the table of the README: code and meaning."""
    text = (repository / "README.md").read_text("utf-8")
    section = text.partition("## Exit codes")[2].partition("\n## ")[0]
    found: dict[int, str] = {}
    for left, right in re.findall(r"^\| ([0-9 ·]+) \| (.+) \|$", section, re.MULTILINE):
        numbers = left.split(" · ")
        meanings = right.split(" · ") if len(numbers) > 1 else [right]
        found.update(zip(map(int, numbers), meanings, strict=True))
    return found


@pytest.mark.parametrize("words", EPILOGS)
def test_every_help_lists_codes_that_exist(words: str) -> None:
    found = codes(EPILOGS[words])
    assert found == sorted(set(found))
    assert {ExitCode(code) for code in found} >= {ExitCode.OK, ExitCode.ERROR, ExitCode.USAGE}
    assert EPILOGS[words] == exits(*found)


@pytest.mark.parametrize("words", EPILOGS)
def test_verdicts_come_from_run_and_diff_alone(words: str) -> None:
    if words not in {"run", "diff"}:
        assert not set(codes(EPILOGS[words])) & VERDICTS


def test_the_readme_has_every_code_that_a_command_answers(repository: Path) -> None:
    answered = {code for epilog in EPILOGS.values() for code in codes(epilog)}
    assert set(readme(repository)) == answered
    # Kept free for `diff --strict`.
    assert set(ExitCode) - answered == {ExitCode.LOW_FALSIFIABILITY}


def test_the_readme_means_what_the_help_means(repository: Path) -> None:
    for code, meaning in readme(repository).items():
        first = exits(code).removeprefix("Exit codes: ").split(" · ")
        words = next(part for part in first if part.startswith(f"{code} ")).split()[1:]
        assert re.split(r"\W", meaning)[0] == re.split(r"\W", words[0])[0], code


def test_the_help_of_all_lists_them_too(repository: Path) -> None:
    text = " ".join((group.epilog or "").partition(". `probatum")[0].split())
    assert codes(text) == sorted(readme(repository))
