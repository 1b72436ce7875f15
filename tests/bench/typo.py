"""Measure the perturbation that runs most often: samples of typo_noise per second.

The text is 200 ASCII characters, the length of a usual prompt, at the default rate.
"""

import sys
import time
from functools import partial
from random import Random
from statistics import median

import texts

from probatum.perturbations.typo_noise import TypoNoise
from probatum.plugins.draws import Draws, seed_material
from probatum.plugins.edits import apply_to_text
from probatum.plugins.protocols import Subject

LENGTH = 200
SAMPLES = 20_000
ROUNDS = 5


def typo_noise(text: str, count: int, seed: int) -> list[str]:
    """Return `count` samples of one typo_noise perturbation at its default rate."""
    family = TypoNoise()
    params = family.params(count=count)
    sampler = family.prepare(Subject(text=text, message=0, protected=()), params)
    material = partial(
        seed_material,
        seed=seed,
        beacon="",
        case="bench",
        declaration="typo_noise",
        family=family.name,
        version=family.version,
        params="{}",
    )
    return [
        apply_to_text(text, sampler(Draws(material(index=index))).edits) for index in range(count)
    ]


def main() -> int:
    """Print the median rate; a fresh seed for each round, so that no result can be reused."""
    text = sample_text()
    rates = []
    for seed in range(ROUNDS):
        start = time.perf_counter()
        samples = typo_noise(text, SAMPLES, seed)
        rates.append(SAMPLES / (time.perf_counter() - start))
        if len(samples) != SAMPLES:
            sys.exit(f"got {len(samples):,} samples, not {SAMPLES:,}")
    print(f"typo_noise: {median(rates):,.0f} samples/s of {LENGTH} ASCII characters")
    return 0


def sample_text(seed: int = LENGTH) -> str:
    """Return words cut to the exact length."""
    rng = Random(seed)
    return " ".join(rng.choices(texts.vocabulary(rng), k=LENGTH))[:LENGTH]


if __name__ == "__main__":
    sys.exit(main())
