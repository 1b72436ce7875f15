# ruff: noqa: E501  # tables of exact messages read better a row a line
from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from probatum.errors import ExitCode, SpecError
from probatum.spec import later
from probatum.spec.compiled import Compiled

Load = Callable[..., Compiled]
Refused = Callable[..., SpecError]
SECRET = "sk-proj-abcdefghijklmnopqrstuvwx"


def model(text: str) -> tuple[str, str]:
    return ('{provider: python, model: "bot:answer"}', text)


def test_a_callable(load: Load, base: str) -> None:
    section = load(base).model
    assert section == ("python", "bot:answer", {}, {}, 30.0)


def test_name_is_another_word_for_model(load: Load, base: str) -> None:
    assert load(base, model('{provider: python, name: "faq.py:f"}')).model.name == "faq.py:f"


def test_a_command(load: Load, base: str) -> None:
    text = "{provider: command, command: [node, bot.js, -n, 5, no], mode: call, temperature: 0.50}"
    section = load(base, model(text), ("seed: 1", "seed: 1, timeout_seconds: 2.5")).model
    assert section.name == "node bot.js -n 5 no"
    assert section.options == {"command": ["node", "bot.js", "-n", "5", "no"], "mode": "call"}
    assert all(type(word) is str for word in section.options["command"])
    assert section.params == {"temperature": Decimal("0.50")}
    assert section.timeout == 2.5


def test_recordings(load: Load, base: str) -> None:
    text = "{provider: fixtures, model: answers.jsonl, seed: null, max_tokens: 512}"
    section = load(base, model(text)).model
    assert (section.name, section.options) == ("answers.jsonl", {})
    assert section.params == {"max_tokens": 512}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{provider: python}", "s.yaml:2:8: 'model' is missing"),
        ("{provider: command, model: x}", "s.yaml:2:8: 'command' is missing"),
        ("{provider: python, model: x, name: y}", "s.yaml:2:37: give model or name, not both"),
        ("{provider: python, model: x, mode: call}", "s.yaml:2:37: 'mode' is no key of provider 'python'"),
        ("{provider: fixtures, model: x, base_url: y}", "s.yaml:2:39: 'base_url' is no key of provider 'fixtures'"),
        ("{provider: pyton, model: x}", "s.yaml:2:19: unknown provider 'pyton' (did you mean 'python'?)"),
        ("{model: x}", "s.yaml:2:8: 'provider' is missing"),
        ('{provider: "", model: x}', "s.yaml:2:19: provider: must not be empty"),
        ("{provider: [x], model: x}", "s.yaml:2:19: provider: expected text, found a list"),
        ("7", "s.yaml:2:8: model: expected a mapping, found 7"),
        ("{provider: command, command: []}", "s.yaml:2:37: command: must not be empty: give at least one entry"),
        ("{provider: command, command: x, mode: line}", "s.yaml:2:37: command: expected a list, found the text 'x'\ns.yaml:2:46: unknown mode 'line' (did you mean 'lines'?)"),
        ("{provider: python, model: x, mode: 3}", "s.yaml:2:37: 'mode' is no key of provider 'python'\ns.yaml:2:43: unknown mode '3' (known: call, lines)"),
        ("{provider: python, model: x, temperature: 2.1}", "s.yaml:2:50: temperature: must be at most 2"),
        ("{provider: python, model: x, temperature: warm}", "s.yaml:2:50: temperature: expected a number, found the text 'warm'"),
    ],
)  # fmt: skip
def test_mistakes(refused: Refused, base: str, text: str, problem: str) -> None:
    assert "\n".join(refused(base, model(text)).problems) == problem


@pytest.mark.parametrize("name", sorted(later.PROVIDERS))
def test_providers_of_later_releases(refused: Refused, base: str, name: str) -> None:
    error = refused(base, model(f"{{provider: {name}, model: m, api_key: '${{KEY}}'}}"))
    assert str(error) == f"s.yaml:2:19: provider {name!r} is not available in this release"
    assert (error.code, error.exit_code) == ("not-available", ExitCode.ERROR)


@pytest.mark.parametrize(
    ("keys", "value", "name"),
    [
        (f"api_key: {SECRET}", SECRET, "API_KEY"),
        ("api_key: short", "short", "API_KEY"),
        (f"headers: {{Authorization: Bearer {SECRET}}}", "Bearer", "AUTHORIZATION"),
        ("headers: {X-Api-Key: a}", "a}", "X_API_KEY"),
        ("headers: {Cookie: 'x=ghp_abcdefghijklmnopqrstuvwxyz'}", "'x", "COOKIE"),
        ("base_url: https://me:pw@host/v1", "https", "BASE_URL"),
        ("base_url: https://token@host/v1", "https", "BASE_URL"),
        ("base_url: 'https://${USER}:pw@host/v1'", "'https", "BASE_URL"),
    ],
)
def test_literal_credentials(refused: Refused, base: str, keys: str, value: str, name: str) -> None:
    text = f"{{provider: openai, model: m, {keys}}}"
    error = refused(base, model(text))
    found = [line for line in error.problems if "${" in line]
    assert len(found) == 1
    assert found[0].startswith(f"s.yaml:2:{text.index(value) + 8}: ")
    assert found[0].endswith(f" (write ${{{name}}} and set it in the environment)")
    for word in (SECRET, "short", "pw@", "token@", "ghp_"):
        assert word not in "".join(error.problems) + str(error) + error.hint


@pytest.mark.parametrize(
    "argv",
    [
        f"[bot, {SECRET}]",
        "[bot, --api-key, abc]",
        "[bot, --password=abc]",
        "[bot, API_KEY=abc]",
        "[bot, -H, 'Authorization: Bearer abcdefghijk']",
    ],
)
def test_literal_credentials_of_a_command(refused: Refused, base: str, argv: str) -> None:
    error = refused(base, model(f"{{provider: command, command: {argv}}}"))
    assert error.code == "literal-credential"
    assert error.exit_code == ExitCode.ERROR
    assert "abc" not in str(error)
    assert error.hint.startswith("write ${")


@pytest.mark.parametrize(
    "argv",
    [
        "[bot, --api-key, '${KEY}']",
        "[bot, '--token=${KEY}']",
        "[bot, -H, 'Authorization: Bearer ${KEY}']",
        "[bot, --max-tokens, 5]",
        "[bot, --seed=5, 'https://${USER}:${PASSWORD}@host']",
        "[task-skinny-whatever-long-name-of-things]",
    ],
)
def test_references_are_no_credentials(load: Load, base: str, argv: str) -> None:
    assert load(base, model(f"{{provider: command, command: {argv}}}")).model.options


def test_a_credential_is_not_repeated_by_another_message(refused: Refused, base: str) -> None:
    error = refused(base, model(f"{{provider: openai, model: m, headers: Bearer {SECRET}}}"))
    assert SECRET not in "".join(error.problems)
    assert any("credential" in line for line in error.problems)


def test_models_beside_the_one_under_test_are_weighed_too(refused: Refused, base: str) -> None:
    other = f"{{type: paraphrase, model: {{provider: openai, model: {SECRET}}}}}"
    error = refused(base, ("{type: typo_noise}", other))
    assert SECRET not in "".join(error.problems)
    assert len(error.problems) == 2


def test_inputs_may_hold_what_looks_like_a_credential(load: Load, base: str) -> None:
    found = load(base, ("hello", f"is {SECRET} a key?"))
    assert SECRET in str(found.cases[0].case.input)
