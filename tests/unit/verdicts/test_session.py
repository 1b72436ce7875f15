"""Session verdicts, exit codes and downgrades."""

from itertools import permutations, product

import pytest

from probatum.errors import ExitCode
from probatum.verdicts import (
    class_counts,
    downgrade,
    exit_code_of,
    exit_code_of_downgrades,
    session_verdict,
)
from probatum.verdicts.session import ORDER

WORST_FIRST = ["INVALID_EVAL", "CONSISTENTLY_WRONG", "FRAGILE", "INSUFFICIENT", "STABLE"]


def test_the_worst_case_decides():
    for size in (1, 2, 3):
        for classes in permutations(WORST_FIRST, size):
            assert session_verdict(classes) == min(classes, key=WORST_FIRST.index)
    assert list(ORDER) == WORST_FIRST


def test_no_case_is_no_evidence():
    assert session_verdict([]) == "INSUFFICIENT"


def test_an_unknown_word_is_no_verdict():
    assert session_verdict(["STABLE", "SPLENDID"]) == "INVALID_EVAL"
    assert exit_code_of("SPLENDID") is ExitCode.FAILED
    assert downgrade("STABLE", "SPLENDID") == "evidence-lost"
    assert downgrade("SPLENDID", "OTHER") is None
    assert class_counts(["SPLENDID"]).invalid_eval == 1


def test_cases_are_counted_by_class():
    counts = class_counts(["STABLE", "FRAGILE", "STABLE", "INSUFFICIENT"])
    assert counts._asdict() == {
        "stable": 2,
        "fragile": 1,
        "consistently_wrong": 0,
        "insufficient": 1,
        "invalid_eval": 0,
    }


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        ("STABLE", 0),
        ("FRAGILE", 1),
        ("CONSISTENTLY_WRONG", 2),
        ("INVALID_EVAL", 2),
        ("INSUFFICIENT", 4),
    ],
)
def test_exit_codes(verdict, code):
    assert exit_code_of(verdict) == code


REGRESSIONS = {
    ("STABLE", "FRAGILE"),
    ("STABLE", "CONSISTENTLY_WRONG"),
    ("FRAGILE", "CONSISTENTLY_WRONG"),
}
LOST = {
    (old, new)
    for old in ("STABLE", "FRAGILE", "CONSISTENTLY_WRONG")
    for new in ("INSUFFICIENT", "INVALID_EVAL")
} | {("INSUFFICIENT", "INVALID_EVAL")}


def test_every_pair_of_classes():
    for pair in product(WORST_FIRST, repeat=2):
        expected = (
            "regression" if pair in REGRESSIONS else "evidence-lost" if pair in LOST else None
        )
        assert downgrade(*pair) == expected, pair


@pytest.mark.parametrize("verdict", WORST_FIRST)
def test_cases_that_come_and_go(verdict):
    assert downgrade(None, verdict) is None
    assert downgrade(verdict, None) == "evidence-lost"
    assert downgrade(None, None) is None


def test_what_a_comparison_answers():
    assert exit_code_of_downgrades([]) is ExitCode.OK
    assert exit_code_of_downgrades([None, None]) is ExitCode.OK
    assert exit_code_of_downgrades([None, "evidence-lost"]) is ExitCode.INSUFFICIENT
    assert exit_code_of_downgrades(["evidence-lost", "regression"]) is ExitCode.REGRESSION
