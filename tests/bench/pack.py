"""Measure the object store alone: how fast objects go into a pack and are verified, and their size.

The objects are synthetic judgments. Their ids are random, as hashes are, so nothing can compress
them; their text is Zipf-distributed, as words are, so that a compressor gains what it would in use.
"""

import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import texts

from probatum.store import Scanned, Store

OBJECTS = 100_000
MEAN_BYTES = 600
KIND = "judgment"


def write_objects(store: Path, payloads: Sequence[bytes]) -> None:
    """Write all payloads as objects of `KIND` into one pack of a new store, durably."""
    Store.open(store, create=True).write_pack((KIND, payload) for payload in payloads)


def verify_objects(store: Path) -> int:
    """Recompute the id of every object of the pack, in the order it holds them; return how many."""
    return sum(isinstance(item, Scanned) for item in Store.open(store).scan())


def main() -> int:
    """Write, verify, and print three numbers."""
    payloads = judgments(OBJECTS)
    with tempfile.TemporaryDirectory(prefix="bench-pack-") as folder:
        store = Path(folder)
        start = time.perf_counter()
        write_objects(store, payloads)
        written = time.perf_counter()
        verified = verify_objects(store)
        end = time.perf_counter()
        size = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    if verified != OBJECTS:
        sys.exit(f"verified {verified:,} objects of {OBJECTS:,}")
    mean = sum(map(len, payloads)) / OBJECTS
    print(f"{OBJECTS:,} objects of {mean:.0f} bytes on average")
    print(f"written:  {OBJECTS / (written - start):,.0f} objects/s")
    print(f"verified: {OBJECTS / (end - written):,.0f} objects/s")
    print(f"stored:   {size / OBJECTS:.1f} bytes/object")
    return 0


def judgments(count: int, seed: int = 600) -> list[bytes]:
    """Return canonical JSON of distinct records whose mean size is `MEAN_BYTES`."""
    rng = Random(seed)
    words = texts.vocabulary(rng)
    weights = texts.zipf()
    # Everything but the text has a fixed size; sizes of the text vary evenly around the rest.
    middle = MEAN_BYTES - len(_judgment(rng, ""))
    return [
        _judgment(rng, _text(rng, words, weights, rng.randint(middle // 2, middle + middle // 2)))
        for _ in range(count)
    ]


def _judgment(rng: Random, text: str) -> bytes:
    record = {
        "baseline": _digest(rng),
        "detail": text,
        "invariant": _digest(rng),
        "result": "pass",
        "subject": _digest(rng),
    }
    return json.dumps(record, sort_keys=True, separators=(",", ":")).encode("ascii")


def _digest(rng: Random) -> str:
    return hashlib.sha256(rng.randbytes(16)).hexdigest()


def _text(rng: Random, words: list[str], weights: list[float], size: int) -> str:
    # A word and its space take three characters or more, so these words always fill the size.
    return " ".join(rng.choices(words, cum_weights=weights, k=size // 3 + 1))[:size]


if __name__ == "__main__":
    sys.exit(main())
