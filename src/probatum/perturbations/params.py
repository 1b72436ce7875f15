"""What the parameters of several families have in common."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Final

from msgspec import Meta

Samples = Annotated[int, Meta(ge=1, le=100_000)]
"""How many distinct perturbations are asked for."""

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
