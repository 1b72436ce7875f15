"""Chance that is the same everywhere and in every release.

A stream is the SHAKE-256 output over what identifies a sample: plan seed,
case id, declaration id, family, version, params, index. It knows no list
position, no shared generator and no ``hash()``, so inserting a case, a
declaration or a sample changes no other.
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from _hashlib import HASHXOF

_FIRST: Final = 136
"""Bytes taken of a stream at first: one block of SHAKE-256, enough for most samples."""


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
    parts = ("pb-draws-1", str(seed), beacon, case, declaration, family, str(version), params)
    return _spelled(*parts, str(index))


def _spelled(*parts: str) -> bytes:
    return b"".join([b"%d:%b" % (len(part), part) for part in map(str.encode, parts)])


class Draws:
    """A stream of 32-bit numbers, read in order.

    Args:
        material: See `seed_material`.

    Attributes:
        index: The sample's index in its declaration, for variants taken in turn.
    """

    __slots__ = ("_at", "_bytes", "_state", "index")

    def __init__(self, material: bytes) -> None:
        self._begin(hashlib.shake_256(material), int(material.rpartition(b":")[2]))

    def _begin(self, state: HASHXOF, index: int) -> None:
        self._state = state
        self._bytes = state.digest(_FIRST)
        self._at = 0
        self.index = index

    def word(self) -> int:
        """Return the next number in [0, 2^32)."""
        return self.words(1)[0]

    def words(self, count: int) -> tuple[int, ...]:
        """Return the next `count` numbers in [0, 2^32); one slice, for hot loops."""
        start = self._at
        end = self._at = start + 4 * count
        if end > len(self._bytes):
            size = len(self._bytes)
            while size < end:
                size *= 4
            self._bytes = self._state.digest(size)
        return struct.unpack_from(f"<{count}I", self._bytes, start)

    def below(self, bound: int) -> int:
        """Return a number in [0, bound) by multiply and shift.

        The bias of any value is under bound / 2^32; bounds are text lengths
        and table sizes, far below that.
        """
        return self.word() * bound >> 32


class Streams:
    """The streams of one declaration; see `seed_material` for the arguments.

    The index comes last in the material, so what is before it is hashed once
    for all samples.
    """

    def __init__(
        self,
        *,
        seed: int,
        beacon: str,
        case: str,
        declaration: str,
        family: str,
        version: int,
        params: str,
    ) -> None:
        material = seed_material(
            seed=seed,
            beacon=beacon,
            case=case,
            declaration=declaration,
            family=family,
            version=version,
            params=params,
            index=0,
        )
        self._state = hashlib.shake_256(material.removesuffix(_spelled("0")))

    def __getitem__(self, index: int) -> Draws:
        """Return the stream of the sample with this index."""
        state = self._state.copy()
        # As `_spelled` has it, at a third of the time: this is done for every sample.
        state.update(b"%d:%d" % (len(str(index)), index))
        draws = Draws.__new__(Draws)
        draws._begin(state, index)  # noqa: SLF001
        return draws
