# ruff: noqa: E501  # tables of exact messages read better a row a line
from __future__ import annotations

from collections.abc import Callable

import pytest

from probatum.errors import SpecError
from probatum.spec.structure import FORMS

Refused = Callable[..., SpecError]

INPUT = "{text: hello}"
INVARIANTS = "    invariants: [{type: contains, values: [x]}]\n"
NEVER = "no number of passes shows that; 59 show 0.95 with confidence 0.95"
HEADER = 'falsify: {version: "1.0", name: small}'


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        (("seed: 1", "sead: 1"), ["3:6: 'seed' is missing", "3:7: unknown key 'sead' (did you mean 'seed'?)"]),
        (("seed: 1", 'seed: "1"'), ["3:13: seed: expected a whole number, found the text '1' in quotes"]),
        (("seed: 1", "seed: 1_000"), ["3:13: seed: expected a whole number, found the text '1_000'"]),
        (("seed: 1", "seed: 1, cache: on"), ["3:23: cache: expected true or false, found the text 'on' (did you mean true?)"]),
        (("seed: 1", "seed: 1, parallel: 0"), ["3:26: parallel: must be at least 1"]),
        (("seed: 1", "seed: 1, timeout_seconds: 0"), ["3:33: timeout_seconds: must be more than 0"]),
        (("seed: 1", "seed: 1, repeats: 2, replications: 2"), ["3:16: give repeats or replications, not both"]),
        (("run: {seed: 1}", "run: {}"), ["3:6: 'seed' is missing"]),
        (("run: {seed: 1}\n", ""), ["1:1: 'run' is missing"]),
        (("run: {seed: 1}", "run: fast"), ["3:6: run: expected a mapping, found the text 'fast'"]),
        ((HEADER, ""), [f"2:1: no header: write {FORMS}"]),
        ((HEADER, HEADER.replace("falsify", "falsfy")), ["1:1: unknown key 'falsfy' (did you mean 'falsify'?)"]),
        ((HEADER, HEADER + "\nprobatum: {version: 1, name: b}"), [f"2:1: two headers: keep one of {FORMS}"]),
        ((HEADER, "falsify: 1.0"), ["1:10: falsify: expected a mapping, found 1.0"]),
        (('"1.0"', '"1.1"'), ["1:20: version '1.1' is not known; this release reads '1.0'"]),
        (('"1.0"', "[]"), ["1:20: version a list is not known; this release reads '1.0'"]),
        (('"1.0"', "2"), ["1:20: version '2' is not known; this release reads '1.0'"]),
        (("name: small", "name: ''"), ["1:33: name: must not be empty"]),
        (("name: small", "name: " + "x" * 201), ["1:33: name: holds more than 200 characters, or some that do not print"]),
        (("name: small", 'name: "a\\eb"'), ["1:33: name: holds more than 200 characters, or some that do not print"]),
        (("name: small", "name: [x]"), ["1:33: name: expected text, found a list"]),
        (("- id: one", "- ID: one"), ["5:5: 'id' is missing", "5:5: unknown key 'ID' (known: expected, id, input, invariants, perturbations, tags, verdict_config)"]),
        (("id: one", "id: [1]"), ["5:9: id: expected text, found a list"]),
        ((INVARIANTS, "    assertions: []\n"), ["8:5: unknown key 'assertions' (did you mean 'invariants'?)"]),
        ((INVARIANTS, "    invariants: {}\n"), ["8:17: invariants: expected a list, found a mapping"]),
        ((INVARIANTS, "    invariants:\n"), ["8:16: invariants: expected a list, found nothing"]),
        ((INVARIANTS, "    invariants: [7]\n"), ["8:18: invariants[0]: expected a mapping, found 7"]),
        ((INVARIANTS, "    verdict_config: {stable_threshold: 1.2}\n"), ["8:40: stable_threshold: must be between 0 and 1"]),
        ((INVARIANTS, "    verdict_config: {stable_threshold: 0.1234567890123456789}\n"), ["8:40: stable_threshold: has more than 18 decimals"]),
        ((INVARIANTS, "    verdict_config: {min_perturbations: 0}\n"), ["8:41: min_perturbations: must be at least 1"]),
        ((INVARIANTS, "    verdict_config: {claim: {confidense: .9}}\n"), ["8:29: 'stability' is missing", "8:30: unknown key 'confidense' (did you mean 'confidence'?)"]),
        ((INVARIANTS, "    verdict_config: {claim: {stability: 1.0, confidence: 1}}\n"), [f"8:41: stability: must be below 1 ({NEVER})", f"8:58: confidence: must be below 1 ({NEVER})"]),
        ((INVARIANTS, "    verdict_config: {claim: {stability: 1.1}}\n"), ["8:41: stability: must be between 0 and 1"]),
        ((INVARIANTS, "    expected: {contain: [x]}\n"), ["8:16: unknown key 'contain' (did you mean 'contains'?)"]),
        ((INVARIANTS, "    expected: {contains: x}\n"), ["8:26: contains: expected a list, found the text 'x'"]),
        ((INVARIANTS, "    tags: [a, {}]\n"), ["8:15: tags[1]: expected text, found a mapping"]),
        ((INPUT, "{}"), ["6:12: 'text' is missing"]),
        ((INPUT, "{text: ''}"), ["6:19: text: must not be empty"]),
        ((INPUT, "{text: }"), ["6:19: text: must not be empty"]),
        ((INPUT, "{prompt: hi}"), ["6:13: unknown key 'prompt' (did you mean 'text'?)"]),
        ((INPUT, "{text: a, messages: [{role: user, content: b}]}"), ["6:12: give text or messages, not both"]),
        ((INPUT, "{messages: []}"), ["6:23: messages: must not be empty: give at least one entry"]),
        ((INPUT, "{messages: [{role: usr, content: x}]}"), ["6:31: unknown role 'usr' (did you mean 'user'?)"]),
        ((INPUT, "{messages: [{role: [], content: x}]}"), ["6:31: role: expected one of system, user, assistant, tool, found a list"]),
        ((INPUT, "{messages: [{role: user, content: {}}]}"), ["6:46: content: expected text, found a mapping"]),
        ((INPUT, "{messages: [{role: user, content: [{type: txt}]}]}"), ["6:54: unknown type 'txt' (did you mean 'text'?)"]),
        ((INPUT, "{messages: [{role: user, content: [{type: text, text: a, path: b}, {type: file}, {type: file, path: a, media_type: b}]}]}"), ["6:127: media_type: does not fit ^[a-z]+/[A-Za-z0-9.+-]+$"]),
        ((INPUT, "{messages: [{role: user, content: [{type: text, path: b}, {type: file}]}]}"), ["6:47: 'text' is missing", "6:60: 'path' is no key of a text part", "6:70: 'media_type' is missing", "6:70: 'path' is missing"]),
        ((INPUT, "{messages: [{role: user, content: [{type: file, path: none.png, media_type: image/png}]}]}"), ["6:66: none.png: no such file (check the path)"]),
        ((INPUT, "{text: a, tools: [{nam: x}]}"), ["6:30: 'name' is missing", "6:31: unknown key 'nam' (did you mean 'name'?)"]),
        ((INPUT, "{text: a, tools: [{name: x, parameters: {a: .inf}}]}"), ["6:52: parameters: .inf is no number that can be stored"]),
    ],
)  # fmt: skip
def test_mistakes(
    refused: Refused, base: str, change: tuple[str, str], problems: list[str]
) -> None:
    assert list(refused(base, change).problems) == ["s.yaml:" + line for line in problems]


@pytest.mark.parametrize(
    ("cases", "problem", "code"),
    [
        ("cases: []", "4:8: cases: there is none; a spec has at least one", "no-cases"),
        ("cases:", "4:7: cases: expected a list, found nothing", "bad-spec"),
        ("cases: {a: b}", "4:8: cases: expected a list, found a mapping", "bad-spec"),
        ("cases: [x]", "4:9: cases[0]: expected a mapping, found the text 'x'", "bad-spec"),
        ("case: []", "1:1: 'cases' is missing", "bad-spec"),
    ],
)
def test_without_cases(refused: Refused, base: str, cases: str, problem: str, code: str) -> None:
    error = refused(base[: base.index("cases:")] + cases + "\n")
    assert error.problems[0] == "s.yaml:" + problem
    assert error.code == code


def test_codes(refused: Refused, base: str) -> None:
    assert refused(base, (HEADER, "")).code == "bad-header"
    assert refused(base, ('"1.0"', "3")).code == "unknown-version"
    assert refused(base, (INVARIANTS, "    more: 1\n")).code == "unknown-key"
    assert refused(base, ("run: {seed: 1}\n", "")).code == "missing-key"
