"""Seeded texts: the same words on every machine and every Python, without a data set."""

from itertools import accumulate
from random import Random

VOCABULARY = 2_500

_ONSETS = [*"bdfghklmnprstvz", "br", "dr", "gl", "kr", "pl", "sn", "st", "tr"]
_VOWELS = [*"aeiou", "ai", "ea", "ou"]
_CODAS = ["", "", "n", "r", "s", "l", "m", "t"]


def vocabulary(rng: Random, size: int = VOCABULARY) -> list[str]:
    """Return distinct made-up words of one to three syllables."""
    words: dict[str, None] = {}
    while len(words) < size:
        parts = (
            rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS)
            for _ in range(rng.choice((1, 2, 2, 3)))
        )
        words["".join(parts)] = None
    return list(words)


def zipf(size: int = VOCABULARY) -> list[float]:
    """Return cumulative weights 1/rank, the way word frequencies of natural text fall."""
    return list(accumulate(1.0 / rank for rank in range(1, size + 1)))


def repetitive(cases: int) -> list[str]:
    """Return one sentence for all cases; only the number of the case differs."""
    return [
        f"In case {number} the customer asks whether a parcel that was delivered on Monday can "
        "still be sent back for a full refund before the month is over, and who pays the postage."
        for number in range(cases)
    ]


def diverse(cases: int, length: int = 200, seed: int = 2_500) -> list[str]:
    """Return sentences of uniformly drawn words, so that two cases share almost nothing."""
    rng = Random(seed)
    words = vocabulary(rng)
    return [_sentence(rng, words, length) for _ in range(cases)]


def _sentence(rng: Random, words: list[str], length: int) -> str:
    picked: list[str] = []
    size = 0
    while size < length:
        picked.append(rng.choice(words))
        size += len(picked[-1]) + 1
    # A capital, so that lower case is a variant of its own and not the baseline once more.
    return " ".join(picked).capitalize() + "."
