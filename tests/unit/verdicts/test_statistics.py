"""Exact figures, held against scipy and against definitions written out."""

from fractions import Fraction
from itertools import pairwise
from math import comb

import pytest
from scipy.stats import beta, binom

from probatum.verdicts import statistics
from probatum.verdicts.statistics import (
    bootstrap_interval,
    cdf_reaches,
    figures,
    needed,
    ratio,
    reaches,
    round_down,
    round_up,
    shown_bound,
)

HALF = Fraction(1, 2)
P95 = Fraction(19, 20)


def cdf(n, k, p):
    return sum((comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1)), Fraction(0))


@pytest.mark.parametrize("n", range(1, 26))
def test_the_interval_is_made_of_the_smallest_counts_that_reach_each_level(n):
    for k in range(n + 1):
        rate = Fraction(k, n)
        expected = tuple(
            Fraction(next(j for j in range(n + 1) if cdf(n, j, rate) >= level), n)
            for level in (Fraction(1, 40), Fraction(39, 40))
        )
        assert bootstrap_interval(n, k) == expected


@pytest.mark.parametrize("n", [40, 77, 100, 500])
def test_the_interval_agrees_with_scipy(n):
    for k in range(1, n, max(1, n // 40)):
        low, high = bootstrap_interval(n, k)
        assert low * n == binom.ppf(0.025, n, k / n)
        assert high * n == binom.ppf(0.975, n, k / n)


@pytest.mark.parametrize("n", [1, 2, 5, 14, 59, 60, 299, 1000])
def test_the_shown_bound_is_clopper_pearson_rounded_down(n):
    for k in range(1, n + 1, max(1, n // 60)):
        exact = beta.ppf(0.05, k, n - k + 1)
        shown = float(shown_bound(n, k))
        assert shown <= exact + 1e-9
        assert exact < shown + 1e-4 + 1e-9


@pytest.mark.parametrize("confidence", ["0.5", "0.8", "0.9", "0.99", "0.999"])
def test_other_confidences_agree_with_scipy(confidence):
    for n, k in [(3, 3), (10, 7), (59, 58), (200, 150)]:
        exact = beta.ppf(1 - float(confidence), k, n - k + 1)
        shown = float(shown_bound(n, k, Fraction(confidence)))
        assert shown <= exact + 1e-9 < shown + 1e-4 + 2e-9


def test_nothing_passed_shows_nothing():
    assert shown_bound(5, 0) == "0.0000"
    assert figures(5, 0) == (Fraction(0), "0.0000", "0.0000", "0.0000")


def test_a_bound_that_is_a_round_number_is_kept():
    """1 of 1 shows exactly 0.05: the tail at 0.05 equals the limit."""
    assert shown_bound(1, 1) == "0.0500"
    assert cdf_reaches(1, 0, P95, Fraction(1, 20))
    assert not cdf_reaches(1, 0, P95, Fraction(1, 20) + Fraction(1, 10**60))


def test_an_exact_tie_falls_back_on_the_whole_sum():
    """P(X <= 1) for Binomial(2, 1/2) is 3/4; P(X <= 99) for Binomial(199, 1/2) is 1/2."""
    assert cdf_reaches(2, 1, HALF, Fraction(3, 4))
    assert cdf_reaches(199, 99, HALF, HALF)
    assert not cdf_reaches(199, 99, HALF, HALF + Fraction(1, 2**199))
    assert cdf_reaches(199, 99, HALF, HALF - Fraction(1, 2**199))


@pytest.mark.parametrize("n", [3, 8, 21])
def test_cumulative_probabilities_are_compared_without_error(n):
    step = Fraction(1, 10**40)
    for p in (Fraction(1, 7), HALF, Fraction(9, 10)):
        for k in range(n):
            exact = cdf(n, k, p)
            assert cdf_reaches(n, k, p, exact)
            assert cdf_reaches(n, k, p, exact - step)
            assert not cdf_reaches(n, k, p, exact + step)


def test_certain_and_impossible_counts():
    assert cdf_reaches(5, 5, HALF, Fraction(1))
    assert cdf_reaches(5, 2, Fraction(0), Fraction(1))
    assert not cdf_reaches(5, -1, HALF, Fraction(1, 10))
    assert not cdf_reaches(5, 4, Fraction(1), Fraction(1, 10))
    assert cdf_reaches(5, 4, Fraction(1), Fraction(0))


def test_ten_thousand_perturbations_are_exact_too():
    low, high = bootstrap_interval(10_000, 5_000)
    assert (low * 10_000, high * 10_000) == (4902, 5098)
    assert shown_bound(10_000, 9_990) == "0.9983"
    assert float(shown_bound(10_000, 5_000)) == pytest.approx(
        beta.ppf(0.05, 5_000, 5_001), abs=1e-4
    )


@pytest.mark.parametrize(
    ("stability", "count"), [("0.8", 14), ("0.9", 29), ("0.95", 59), ("0.99", 299)]
)
def test_how_many_passes_a_claim_needs(stability, count):
    assert needed(Fraction(stability), P95) == count
    assert reaches(count, count, Fraction(stability), P95)
    assert not reaches(count - 1, count - 1, Fraction(stability), P95)


def test_needed_is_the_first_power_below_the_limit():
    for stability in ("0.001", "0.05", "0.5", "0.77", "0.999"):
        for confidence in ("0.5", "0.75", "0.95", "0.999"):
            p, limit = Fraction(stability), 1 - Fraction(confidence)
            n = needed(p, Fraction(confidence))
            assert p**n <= limit
            assert n == 1 or p ** (n - 1) > limit


def test_needed_at_an_exact_power():
    assert needed(HALF, Fraction(3, 4)) == 2
    assert needed(HALF, 1 - Fraction(1, 2**90)) == 90
    assert needed(Fraction(1, 3), 1 - Fraction(1, 3**100)) == 100


def test_needed_at_the_ends():
    assert needed(Fraction(0), P95) == 1
    assert needed(Fraction(0), Fraction(1)) == 1
    assert needed(Fraction(1), P95) is None
    assert needed(P95, Fraction(1)) is None
    assert needed(Fraction(1), Fraction(0)) == 1


def test_needed_far_out():
    """ln 20 / 10^-15 is about 3.0e15; at 10^-18 it is beyond what a record holds."""
    far = needed(1 - Fraction(1, 10**15), P95)
    assert far == pytest.approx(2.995732273553991e15, rel=1e-12)
    assert needed(1 - Fraction(1, 10**18), P95) is None


def test_a_near_miss_of_a_power_is_told_from_a_hit():
    third = Fraction(1, 3**99)
    assert needed(Fraction(1, 3), 1 - third * (1 - Fraction(1, 2**400))) == 100
    assert needed(Fraction(1, 3), 1 - third * (1 + Fraction(1, 2**400))) == 99


def test_more_bits_are_taken_until_a_near_miss_is_decided():
    """A limit of 200 bits within 2^-400 of the power: 256 bits cannot tell the two apart."""
    base = Fraction(2**20 + 1, 2**21)
    power = base**100
    limit = power.limit_denominator(2**200)
    assert 0 < abs(power - limit) < Fraction(1, 2**300)
    assert statistics._power_at_most(base, 100, limit) == (power <= limit)
    below = limit - Fraction(1, limit.denominator)
    assert not statistics._power_at_most(base, 100, below)


def test_a_claim_is_reached_by_the_unrounded_bound():
    bound = shown_bound(10, 9)
    assert bound == "0.6058"
    assert reaches(10, 9, ratio("0.6058"), P95)
    assert not reaches(10, 9, ratio("0.6059"), P95)


def test_claims_at_the_ends():
    assert reaches(3, 0, Fraction(0), P95)
    assert not reaches(3, 0, Fraction(1, 10**9), P95)
    assert not reaches(3, 3, Fraction(1), P95)
    assert not reaches(3, 3, Fraction(1, 100), Fraction(1))
    assert reaches(3, 1, Fraction(1), Fraction(0))


def test_ends_are_rounded_outwards():
    assert round_down(Fraction(2, 3)) == "0.6666"
    assert round_up(Fraction(2, 3)) == "0.6667"
    assert round_down(Fraction(1)) == round_up(Fraction(1)) == "1.0000"
    assert round_up(Fraction(1, 10**9)) == "0.0001"
    assert round_down(Fraction(9999999, 10**7)) == "0.9999"


def test_figures_agree_with_their_parts():
    assert figures(59, 58) == (Fraction(56, 59), "0.9491", "1.0000", shown_bound(59, 58))


def test_more_passes_never_lower_a_bound():
    for n in (7, 30):
        for fewer, more in pairwise(range(n + 1)):
            assert bootstrap_interval(n, fewer)[0] <= bootstrap_interval(n, more)[0]
            assert shown_bound(n, fewer) <= shown_bound(n, more)


@pytest.mark.parametrize(("n", "k"), [(0, 0), (-1, 0), (3, 4), (3, -1)])
def test_impossible_counts_are_refused(n, k):
    for function in (bootstrap_interval, shown_bound, figures):
        with pytest.raises(ValueError, match="is no count"):
            function(n, k)


def test_shares_outside_their_range_are_refused():
    with pytest.raises(ValueError, match="not within"):
        shown_bound(3, 3, Fraction(3, 2))
    with pytest.raises(ValueError, match="not within"):
        needed(Fraction(-1, 2), P95)
    with pytest.raises(ValueError, match="not within"):
        needed(P95, Fraction(2))


def test_the_fast_comparison_agrees_with_the_whole_sum():
    for n, k, p in [(50, 20, HALF), (300, 280, P95), (64, 3, Fraction(1, 9))]:
        exact = cdf(n, k, p)
        for limit in (exact, exact * Fraction(999, 1000), exact + Fraction(1, 10**30)):
            sign = (exact > limit) - (exact < limit)
            assert statistics._compare_tail_exactly(n, k, p, limit) == sign
            assert statistics._compare_tail(n, k, p, limit) == sign
