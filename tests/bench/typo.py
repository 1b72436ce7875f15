"""Measure the perturbation that runs most often: samples of typo_noise per second.

The text is 200 ASCII characters, the length of a usual prompt, at the default rate.
"""

import sys
import time
from random import Random
from statistics import median

import texts

from probatum.perturbations.typo_noise import TypoNoise
from probatum.plugins.draws import Streams
from probatum.plugins.protocols import Subject

LENGTH = 200
SAMPLES = 20_000
ROUNDS = 5


def typo_noise(text: str, count: int, seed: int) -> list[str | None]:
    """Return the texts of `count` samples of one typo_noise perturbation at its default rate."""
    family = TypoNoise()
    params = family.params(count=count)
    sampler = family.prepare(Subject(text=text, message=0, protected=()), params)
    streams = Streams(
        seed=seed,
        beacon="",
        case="bench",
        declaration="typo_noise",
        family=family.name,
        version=family.version,
        params="{}",
    )
    return [sampler(streams[index]).text for index in range(count)]


def main() -> int:
    """Print the median rate; a fresh seed for each round, so that no result can be reused."""
    text = sample_text()
    rates = []
    for seed in range(ROUNDS):
        start = time.perf_counter()
        samples = typo_noise(text, SAMPLES, seed)
        rates.append(SAMPLES / (time.perf_counter() - start))
        if sum(bool(sample) for sample in samples) != SAMPLES:
            sys.exit(f"got fewer than {SAMPLES:,} samples")
    print(f"typo_noise: {median(rates):,.0f} samples/s of {LENGTH} ASCII characters")
    return 0


def sample_text(seed: int = LENGTH) -> str:
    """Return words cut to the exact length."""
    rng = Random(seed)
    return " ".join(rng.choices(texts.vocabulary(rng), k=LENGTH))[:LENGTH]


if __name__ == "__main__":
    sys.exit(main())
