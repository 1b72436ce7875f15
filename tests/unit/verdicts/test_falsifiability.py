"""Declared falsifiability is a mean of means, rounded down."""

from fractions import Fraction

import pytest

from probatum.verdicts import case_declared, mean_declared


def test_the_mean_over_invariants():
    assert case_declared([Fraction(1, 2), Fraction(1, 4)]) == Fraction(3, 8)


def test_nothing_asserted_risks_nothing():
    assert case_declared([]) == 0


def test_contributions_are_kept_within_their_range():
    assert case_declared([Fraction(3), Fraction(-1)]) == Fraction(1, 2)


@pytest.mark.parametrize(
    ("cases", "text"),
    [
        ([], "0.0000"),
        ([Fraction(0)], "0.0000"),
        ([Fraction(1)], "1.0000"),
        ([Fraction(19, 50)], "0.3800"),
        ([Fraction(1), Fraction(1), Fraction(0)], "0.6666"),
        ([Fraction(49999, 100000)], "0.4999"),
    ],
)
def test_the_mean_over_cases(cases, text):
    assert mean_declared(iter(cases)) == text
