from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probatum.errors import ProviderFault
from probatum.plugins.protocols import Answer, Failed, Missing
from probatum.providers.fixtures import FixturesProvider
from probatum.records.inputs import Input, Message, Tool, ToolCall


@pytest.fixture
def system(tmp_path: Path, configure: Any) -> Any:
    """Return an opener of a recordings file with the given lines."""

    def make(*lines: Any) -> Any:
        text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        (tmp_path / "recorded.jsonl").write_text("\n".join(text) + "\n")
        return FixturesProvider().open(configure("recorded.jsonl"))

    return make


def test_the_exact_input_is_looked_up(system: Any, ask: Any) -> None:
    bot = system(
        {"text": "hello", "output": "hi"},
        "",
        {
            "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "hello"}],
            "output": "formal",
            "finish": "length",
            "model": "m",
            "tool_calls": [{"name": "f", "arguments": "{}"}],
        },
    )
    assert bot.call(ask("hello")) == Answer("hi")
    value = Input(
        messages=(Message(role="system", content="s"), Message(role="user", content="hello"))
    )
    assert bot.call(ask(value)) == Answer(
        "formal",
        finish="length",
        model="m",
        tool_calls=(ToolCall(name="f", arguments="{}"),),
    )
    assert bot.call(ask("Hello")) == Missing("no recorded answer for c, baseline 0")
    assert bot.call(ask("x", arm="perturbation", declaration="d", index=3)) == Missing(
        "no recorded answer for c, perturbation d 3"
    )
    bot.close()


def test_tools_are_part_of_the_input(system: Any, ask: Any) -> None:
    tool = {"name": "t", "description": "d", "parameters": "{}"}
    bot = system(
        {"text": "a", "tools": [tool], "output": "with"}, {"text": "a", "output": "without"}
    )
    value = Input(messages=(Message(role="user", content="a"),), tools=(Tool(**tool),))
    assert bot.call(ask(value)) == Answer("with")
    assert bot.call(ask("a")) == Answer("without")


def test_the_narrowest_recording_answers(system: Any, ask: Any) -> None:
    bot = system(
        {"text": "a", "output": "any"},
        {"text": "a", "output": "second repeat", "repeat": 1},
        {"text": "a", "output": "control of k", "case": "k", "arm": "control"},
        {
            "text": "a",
            "output": "one place",
            "case": "k",
            "arm": "control",
            "index": 0,
            "repeat": 1,
        },
    )
    assert bot.call(ask("a")) == Answer("any")
    assert bot.call(ask("a", repeat=1)) == Answer("second repeat")
    assert bot.call(ask("a", case="k", arm="control")) == Answer("control of k")
    assert bot.call(ask("a", case="k", arm="control", repeat=1)) == Answer("one place")


def test_a_failure_can_be_recorded(system: Any, ask: Any) -> None:
    assert system({"text": "a", "error": "boom"}).call(ask("a")) == Failed("raised", "boom")


def test_the_target_follows_the_file(system: Any) -> None:
    first = system({"text": "a", "output": "1"}).target
    second = system({"text": "a", "output": "2"}).target
    assert first.model == second.model == "recorded.jsonl"
    assert first.code != second.code


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON"),
        ({"text": "a"}, "exactly one of output and error"),
        ({"text": "a", "output": "x", "error": "y"}, "exactly one of output and error"),
        ({"output": "x"}, "exactly one of text and messages"),
        ({"text": "a", "messages": [], "output": "x"}, "exactly one of text and messages"),
        ({"text": "a", "output": "x", "otput": "y"}, "otput"),
        ({"text": "a", "output": "x", "arm": "other"}, "arm"),
        ('{"text": "\\ud800", "output": "x"}', "surrogate"),
    ],
)
def test_a_bad_line_is_named(system: Any, line: Any, words: str) -> None:
    with pytest.raises(ProviderFault) as caught:
        system({"text": "fine", "output": ""}, line)
    assert caught.value.code == "bad-recording"
    assert str(caught.value).startswith("recorded.jsonl:2: ")
    assert words in str(caught.value)


def test_two_answers_for_one_place_are_refused(system: Any) -> None:
    with pytest.raises(ProviderFault) as caught:
        system({"text": "a", "output": "1"}, {"text": "a", "output": "2"})
    assert "twice" in str(caught.value)


def test_a_missing_file_is_named(configure: Any) -> None:
    with pytest.raises(ProviderFault) as caught:
        FixturesProvider().open(configure("gone.jsonl"))
    assert caught.value.code == "no-such-file"
    with pytest.raises(ProviderFault) as caught:
        FixturesProvider().open(configure("gone.jsonl", options={"command": []}))
    assert caught.value.code == "unknown-option"


def test_every_provider_says_the_same_things_of_itself() -> None:
    import inspect
    import re

    from probatum.plugins.registry import PROVIDERS, Registry

    for name in PROVIDERS:
        found = Registry().provider(name)
        assert found.name == name
        text = inspect.getdoc(type(found)) or ""
        headings = re.findall(r"^(\S.*):$", text, flags=re.MULTILINE)
        assert headings == [
            "What it does",
            "Why it matters",
            "Example",
            "Parameters",
            "Limits",
        ]
