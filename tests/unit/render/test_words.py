"""Every code that this release stores has words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from probatum.evidence.diff import Change
from probatum.evidence.diffrows import RowChange
from probatum.records.trials import Failure
from probatum.records.verdict import VerdictClass
from probatum.render import words
from probatum.signing import State
from probatum.verdicts import REASONS


def codes(repository: Path, folder: str, pattern: str) -> set[str]:
    files = sorted((repository / "src/probatum" / folder).glob("*.py"))
    assert files
    return {code for file in files for code in re.findall(pattern, file.read_text("utf-8"))}


def test_clues(repository: Path) -> None:
    found = codes(repository, "invariants", r'Clue\(\s*code="([a-z-]+)"')
    found |= {"duplicate-key", "not-json"}
    assert words.CLUES.keys() == found


def test_reasons_of_what_is_unjudged(repository: Path) -> None:
    found = codes(repository, "invariants", r'"unjudged", reason="([a-z-]+)"')
    gate = (repository / "src/probatum/engine/judge.py").read_text("utf-8")
    assert words.UNJUDGED.keys() == found | set(re.findall(r'return "([a-z-]+)"', gate))


def test_families_that_do_not_apply(repository: Path) -> None:
    found = codes(repository, "perturbations", r'NotApplicable\("([a-z-]+)"\)')
    found |= codes(repository, "engine", r'NotApplicable\("([a-z-]+)"\)')
    assert found - words.NOT_APPLICABLE.keys() == set()


def test_what_a_deep_check_leaves(repository: Path) -> None:
    text = (repository / "src/probatum/engine/rederive.py").read_text("utf-8")
    known = re.search(r"why: (.*?)\n    \"\"\"", text, re.DOTALL)
    assert known is not None
    found = set(re.findall(r"``([a-z-]+)``", known[1]))
    assert found
    assert found - words.WHY_NOT.keys() == set()


def test_closed_lists() -> None:
    assert words.VERDICTS.keys() == set(get_args(VerdictClass)) == words.CLASS_NAMES.keys()
    assert words.REASONS.keys() == {code for reasons in REASONS.values() for code in reasons}
    assert words.FAILURES.keys() == set(get_args(Failure))
    assert words.CHANGES.keys() == set(get_args(Change))
    assert words.ROW_CHANGES.keys() == set(get_args(RowChange))
    assert words.STATES.keys() == {state.value for state in State}


@pytest.mark.parametrize(("code", "said"), [("found", "found"), ("of-a-plugin", "of a plugin")])
def test_unknown_codes_are_shown_as_they_are(code: str, said: str) -> None:
    assert words.say(words.CLUES, code) == said
