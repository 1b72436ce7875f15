"""What several families share: counts, rates, protection, drawing places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Final

from msgspec import Meta

from probatum.plugins.draws import Draws
from probatum.plugins.protocols import Span

Samples = Annotated[int, Meta(ge=1, le=100_000)]
"""How many distinct perturbations are asked for."""

FORMAT_DEFAULTS: Final[Mapping[str, Mapping[str, bool]]] = {"probatum/1": {"protect": True}}
"""The 1.0 format mutates anything unless told otherwise."""

_DIGITS: Final = 18


def check_proportion(name: str, value: Decimal) -> None:
    """Refuse what is no proportion, or has more than 18 decimals.

    Raises:
        ValueError: Which msgspec turns into a validation error with a path.
    """
    if not value.is_finite() or not 0 <= value <= 1:
        raise ValueError(f"{name} must be between 0 and 1, not {value}")
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -_DIGITS:
        raise ValueError(f"{name} has more than {_DIGITS} decimals")


def share(rate: Decimal, total: int) -> int:
    """Return `rate` of `total`, rounded half up, at least 1 unless the rate is 0.

    The arithmetic is exact; the result is at most `total` for a total of at
    least 1.
    """
    over, under = rate.as_integer_ratio()
    return max(1, (2 * over * total + under) // (2 * under)) if over else 0


def subset(draws: Draws, total: int, size: int) -> set[int]:
    """Draw `size` distinct numbers of [0, total), every subset with equal chance.

    Floyd's algorithm: exactly one word a member.
    """
    chosen: set[int] = set()
    for bound, word in zip(range(total - size + 1, total + 1), draws.words(size), strict=True):
        member = word * bound >> 32
        chosen.add(bound - 1 if member in chosen else member)
    return chosen


def clear_of(protected: Sequence[Span], spans: Iterable[Span]) -> Iterator[bool]:
    """Yield for each of `spans` whether an edit of it leaves `protected` alone.

    Both are sorted, and `protected` does not overlap itself. An empty span is
    an insertion; it may stand at either end of a protected span, not inside.
    """
    at = 0
    for start, end in spans:
        while at < len(protected) and protected[at][1] <= start:
            at += 1
        yield at == len(protected) or end <= protected[at][0]
