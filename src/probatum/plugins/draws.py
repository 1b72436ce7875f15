"""Chance that is the same everywhere and in every release.

A stream is the SHAKE-256 output over what identifies a sample: plan seed,
case id, declaration id, family, version, params, index. It knows no list
position, no shared generator and no ``hash()``, so inserting a case, a
declaration or a sample changes no other.
"""

from __future__ import annotations

import hashlib
import struct
from typing import Final

_FIRST: Final = 256
_unpack_first = struct.Struct(f"<{_FIRST // 4}I").unpack


def seed_material(
    *,
    seed: int,
    beacon: str,
    case: str,
    declaration: str,
    family: str,
    version: int,
    params: str,
    index: int,
) -> bytes:
    """Return the bytes that a sample's stream is made from.

    Each part is preceded by its length in bytes, so that no two lists of
    parts give the same bytes.
    """
    parts = (
        "pb-draws-1",
        str(seed),
        beacon,
        case,
        declaration,
        family,
        str(version),
        params,
        str(index),
    )
    return b"".join(b"%d:%b" % (len(part), part) for part in map(str.encode, parts))


class Draws:
    """A stream of 32-bit numbers, read in order.

    Args:
        material: See `seed_material`.
    """

    __slots__ = ("_at", "_material", "_state", "_words")

    def __init__(self, material: bytes) -> None:
        self._material = material
        self._state = hashlib.shake_256(material)
        self._words: tuple[int, ...] = _unpack_first(self._state.digest(_FIRST))
        self._at = 0

    @property
    def index(self) -> int:
        """The sample's index in its declaration, for variants taken in turn."""
        return int(self._material.rpartition(b":")[2])

    def word(self) -> int:
        """Return the next number in [0, 2^32)."""
        return self.words(1)[0]

    def words(self, count: int) -> tuple[int, ...]:
        """Return the next `count` numbers in [0, 2^32); one slice, for hot loops."""
        end = self._at + count
        if end > len(self._words):
            size = len(self._words)
            while size < end:
                size *= 4
            self._words = struct.unpack(f"<{size}I", self._state.digest(4 * size))
        found = self._words[self._at : end]
        self._at = end
        return found

    def below(self, bound: int) -> int:
        """Return a number in [0, bound) by multiply and shift.

        The bias of any value is under bound / 2^32; bounds are text lengths
        and table sizes, far below that.
        """
        return self.word() * bound >> 32
