# ruff: noqa: E501  # tables of exact messages read better a row a line
from __future__ import annotations

from collections.abc import Callable

import pytest

from probatum.spec.compiled import Compiled

Load = Callable[..., Compiled]

INPUT = "{text: hello}"
INVARIANTS = "    invariants: [{type: contains, values: [x]}]\n"
ESCAPE = "\\n is a backslash and a letter here: only double quotes make it a line break or a tab"


@pytest.mark.parametrize(
    ("change", "warnings"),
    [
        ((INVARIANTS, INVARIANTS + "    verdict_config: {fragile_threshold: 0.5, use_worst_case_stability: true}\n"), ["9:22: fragile_threshold changes nothing", "9:46: use_worst_case_stability changes nothing"]),
        ((INVARIANTS, INVARIANTS + "    expected: {reference: Paris}\n"), ["9:16: reference decides nothing"]),
        ((INVARIANTS, INVARIANTS + "    expected: {reference: }\n"), []),
        (("seed: 1", "seed: 1, cache: true"), ["3:16: cache changes nothing for provider 'python'"]),
        (('"bot:answer"', "m, temperature: 0, max_tokens: 5, seed: 1"), ["2:37: temperature changes nothing for provider 'python'", "2:53: max_tokens changes nothing for provider 'python'", "2:68: seed changes nothing for provider 'python'"]),
        (('python, model: "bot:answer"', "command, command: [x], temperature: 0"), []),
        ((INVARIANTS, ""), ["5:5: case 'one' has no invariants: its verdict is INVALID_EVAL"]),
        (("    perturbations: [{type: typo_noise}]\n", ""), ["5:5: case 'one' has no perturbations: its verdict is INSUFFICIENT"]),
        ((INPUT, "{text: 'a\\nb'}"), ["6:19: " + ESCAPE]),
        ((INPUT, "{text: a\\nb}"), ["6:19: " + ESCAPE]),
        ((INPUT, '{text: "a\\nb"}'), []),
        ((INPUT, '{text: "a\\\\nb"}'), []),
        ((INPUT, "{text: 'C:\\dir'}"), []),
        ((INPUT, "{messages: [{role: user, content: 'a\\tb'}, {role: user, content: [{type: text, text: x}]}]}"), ["6:46: " + ESCAPE.replace("\\n", "\\t")]),
        (("values: [x]", "values: ['a\\nb', 'c\\nd']"), ["8:44: " + ESCAPE + " (and 1 more)"]),
        (("contains, values: [x]", "regex, pattern: 'a\\nb'"), []),
        ((INVARIANTS, INVARIANTS + "    expected: {contains: ['a\\nb']}\n"), ["9:27: " + ESCAPE]),
    ],
)  # fmt: skip
def test_warnings(load: Load, base: str, change: tuple[str, str], warnings: list[str]) -> None:
    assert list(load(base, change).warnings) == ["s.yaml:" + line for line in warnings]


def test_one_line_a_topic(load: Load, base: str) -> None:
    head, first = base[: base.index("  - id")], base[base.index("  - id") :]
    first += "    verdict_config: {fragile_threshold: 0.5}\n"
    found = load(head + "".join(first.replace("one", f"c{n}") for n in range(100)))
    assert found.warnings == ("s.yaml:9:22: fragile_threshold changes nothing (and 99 more)",)
