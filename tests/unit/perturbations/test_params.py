"""Counts, rates, places."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import pytest

from probatum.perturbations.params import check_proportion, clear_of, share, subset


@pytest.mark.parametrize(
    ("rate", "total", "expected"),
    [("0.5", 3, 2), ("0.5", 1, 1), ("0.05", 9, 1), ("0.05", 30, 2), ("1", 7, 7), ("0", 9, 0)],
)
def test_share_rounds_half_up(rate, total, expected):
    assert share(Decimal(rate), total) == expected


def test_share_is_exact():
    for total in range(1, 400):
        exact = Fraction("0.15") * total
        assert share(Decimal("0.15"), total) == max(1, (exact + Fraction(1, 2)).__floor__())


def test_subsets_are_equally_likely(draws):
    found = Counter(frozenset(subset(draws(i), 5, 2)) for i in range(4000))
    assert set(found) == {frozenset(pair) for pair in combinations(range(5), 2)}
    assert all(320 < times < 480 for times in found.values())


def test_a_whole_subset(draws):
    assert subset(draws(0), 4, 4) == {0, 1, 2, 3}
    assert subset(draws(0), 4, 0) == set()


def test_clear_of():
    spans = [(0, 1), (1, 2), (2, 2), (3, 3), (3, 4), (5, 5), (5, 6), (8, 9)]
    assert list(clear_of([(2, 5), (8, 9)], spans)) == [
        True,
        True,
        True,
        False,
        False,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("value", ["0", "1", "0.5", "1e-18"])
def test_proportions(value):
    check_proportion("rate", Decimal(value))
    assert 0 <= Decimal(value) <= 1


@pytest.mark.parametrize("value", ["-1e-9", "1.1", "NaN", "sNaN", "-Infinity", "1e-19"])
def test_what_is_no_proportion(value):
    with pytest.raises(ValueError, match="rate"):
        check_proportion("rate", Decimal(value))
