"""Exact figures about pass counts: bootstrap interval, shown bound, sample sizes.

Everything here decides between integers: no floats, no random numbers, no
tolerance. So a verdict that was stored on one machine is found again, bit for
bit, on any other.

Sources: for pass/fail data the percentile bootstrap of a pass rate k/n
resamples n draws with success probability k/n, so that its distribution is
Binomial(n, k/n) over n (Efron & Tibshirani, *An Introduction to the
Bootstrap*, 1993, section 13.3). The one-sided lower confidence bound is that
of Clopper & Pearson (*Biometrika* 26, 1934): the p at which k or more passes
out of n have probability 1 - confidence.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Final, NamedTuple

from probatum.canonical import MAX_INT

SCALE: Final = 10_000
"""Bounds are written with four decimals, as whole numbers of 1/10,000."""

LOW_POINT: Final = Fraction(1, 40)
HIGH_POINT: Final = Fraction(39, 40)
CONFIDENCE: Final = Fraction(19, 20)
"""One-sided confidence of the shown bound."""

_GUARD_BITS: Final = 192
_CACHE: Final = 4096


class Figures(NamedTuple):
    """What k passes of n say, ready to be stored.

    Attributes:
        low: Lower end of the bootstrap interval, exact.
        low_text: The same with four decimals, rounded down.
        high_text: Upper end, rounded up.
        shown: One-sided 95 % lower bound, rounded down.
    """

    low: Fraction
    low_text: str
    high_text: str
    shown: str


@lru_cache(maxsize=_CACHE)
def figures(n: int, k: int) -> Figures:
    """Return the stored figures of k passes out of n.

    Raises:
        ValueError: Unless 0 <= k <= n and n >= 1.
    """
    low, high = bootstrap_interval(n, k)
    return Figures(low, round_down(low), round_up(high), shown_bound(n, k))


@lru_cache(maxsize=_CACHE)
def ratio(text: str) -> Fraction:
    """Return the exact value of a decimal text, such as a stored threshold."""
    return Fraction(text)


def is_less(one: Fraction, other: Fraction) -> bool:
    """Tell whether `one` < `other`; quicker than `<`, which first asks what `other` is."""
    return one.numerator * other.denominator < other.numerator * one.denominator


def round_down(value: Fraction) -> str:
    """Write a proportion in [0, 1] with four decimals, never more than it is."""
    return _decimal4(value.numerator * SCALE // value.denominator)


def round_up(value: Fraction) -> str:
    """Write a proportion in [0, 1] with four decimals, never less than it is."""
    return _decimal4(-(-value.numerator * SCALE // value.denominator))


def bootstrap_interval(n: int, k: int) -> tuple[Fraction, Fraction]:
    """Return the 95 % percentile bootstrap interval of the pass rate k/n.

    Its ends are the 0.025 and 0.975 quantiles of Binomial(n, k/n) over n; a
    quantile is the least j whose cumulative probability is at least the level.

    Raises:
        ValueError: Unless 0 <= k <= n and n >= 1.
    """
    _check_counts(n, k)
    rate = Fraction(k, n)

    def quantile(level: Fraction) -> Fraction:
        return Fraction(_first(0, n, lambda j: cdf_reaches(n, j, rate, level)), n)

    return quantile(LOW_POINT), quantile(HIGH_POINT)


def shown_bound(n: int, k: int, confidence: Fraction = CONFIDENCE) -> str:
    """Return the one-sided Clopper-Pearson lower bound of k passes out of n.

    Returns:
        Four decimals, rounded down; ``0.0000`` when nothing passed.

    Raises:
        ValueError: Unless 0 <= k <= n, n >= 1 and 0 <= confidence <= 1.
    """
    _check_counts(n, k)
    _check_share(confidence)

    def beyond(x: int) -> bool:
        return not reaches(n, k, Fraction(x, SCALE), confidence)

    return _decimal4(_first(1, SCALE + 1, lambda x: x > SCALE or beyond(x)) - 1)


def reaches(n: int, k: int, stability: Fraction, confidence: Fraction) -> bool:
    """Tell whether the exact lower bound of k passes out of n is at least `stability`.

    The unrounded bound is meant: k or more passes must have a probability of
    at most 1 - `confidence` in a system whose true pass rate is `stability`.
    """
    if stability <= 0:
        return True
    return k > 0 and cdf_reaches(n, k - 1, stability, confidence)


@lru_cache(maxsize=_CACHE)
def needed(stability: Fraction, confidence: Fraction) -> int | None:
    """Return how many passes in a row show `stability` at `confidence`.

    Returns:
        The least n >= 1 with stability^n <= 1 - confidence; None where no n
        up to 2^53 - 1 will do.

    Raises:
        ValueError: If either is outside [0, 1].
    """
    _check_share(stability)
    _check_share(confidence)
    limit = 1 - confidence
    if stability <= limit:
        return 1
    if stability == 1 or limit == 0 or not _power_at_most(stability, MAX_INT, limit):
        return None
    high = 2
    while not _power_at_most(stability, high, limit):
        high *= 2
    return _first(high // 2, high, lambda n: _power_at_most(stability, n, limit))


def cdf_reaches(n: int, k: int, p: Fraction, level: Fraction) -> bool:
    """Tell whether P(X <= k) >= `level` for X ~ Binomial(n, p), without error."""
    if k >= n or p <= 0:
        return level <= 1
    if k < 0 or p >= 1:
        return level <= 0
    if k < (n + 1) * p:
        return _compare_tail(n, k, p, level) >= 0
    return _compare_tail(n, n - k - 1, 1 - p, 1 - level) <= 0


def _compare_tail(n: int, k: int, p: Fraction, limit: Fraction) -> int:
    """Return the sign of P(X <= k) - `limit`, for 0 <= k < (n + 1) p and 0 < p < 1.

    Below the mode each term is smaller than the next, so the sum is taken
    from term k downwards in units of that term, in fixed point. Every floor
    loses less than one unit in the last place and the loss only shrinks as it
    is carried on, so that the whole sum is short by less than (k + 1)^2 units.
    Only if the limit lies within that margin are all terms summed exactly.
    """
    a, b = p.numerator, p.denominator
    c = b - a
    term = total = 1 << _GUARD_BITS
    for i in range(k, 0, -1):
        term = term * (i * c) // ((n - i + 1) * a)
        if not term:
            break
        total += term
    unit: int = comb(n, k) * a**k * c ** (n - k) * limit.denominator
    target: int = limit.numerator * b**n << _GUARD_BITS
    if unit * total > target:
        return 1
    if unit * (total + (k + 1) ** 2) < target:
        return -1
    return _compare_tail_exactly(n, k, p, limit)


def _compare_tail_exactly(n: int, k: int, p: Fraction, limit: Fraction) -> int:
    a, b = p.numerator, p.denominator
    c = b - a
    total, choose, power = 0, 1, 1
    for i in range(k + 1):
        total = total * c + choose * power
        choose = choose * (n - i) // (i + 1)
        power *= a
    left: int = total * c ** (n - k) * limit.denominator
    right: int = limit.numerator * b**n
    return (left > right) - (left < right)


def _power_at_most(base: Fraction, n: int, limit: Fraction) -> bool:
    """Tell whether base^n <= limit, for 0 < base < 1 and limit > 0.

    The power is enclosed between a floor and a ceiling in fixed point, with
    more bits until the limit is outside. Both in lowest terms, they can be
    equal only if the denominators are, and those cases are small.
    """
    if n * (base.denominator.bit_length() - 1) <= limit.denominator.bit_length():
        return base**n <= limit
    bits = 256
    while True:
        target = limit.numerator << bits
        low, high = _enclose_power(base, n, bits)
        if high * limit.denominator <= target:
            return True
        if low * limit.denominator > target:
            return False
        bits *= 2


def _enclose_power(base: Fraction, n: int, bits: int) -> tuple[int, int]:
    square_low = (base.numerator << bits) // base.denominator
    square_high = square_low + 1
    low = high = 1 << bits
    while n:
        if n & 1:
            low = low * square_low >> bits
            high = -(-high * square_high >> bits)
        square_low = square_low * square_low >> bits
        square_high = -(-square_high * square_high >> bits)
        n >>= 1
    return low, high


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the least number from `low` on for which `holds`, given that it does at `high`."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return high


def _decimal4(units: int) -> str:
    return f"{units // SCALE}.{units % SCALE:04d}"


def _check_counts(n: int, k: int) -> None:
    if n < 1 or not 0 <= k <= n:
        raise ValueError(f"{k} passes of {n} is no count")


def _check_share(value: Fraction) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"{value} is not within [0, 1]")
