"""Finding an object wherever it lies, and never believing it unhashed."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Final, NamedTuple, Protocol

from probatum.digest import KIND, MIN_PREFIX, Digest, preimage, short, split_preimage
from probatum.errors import IntegrityError, LimitError, NotFoundError, UsageError
from probatum.records.codec import MAX_SIZE
from probatum.store import loose
from probatum.store.backend import Backend
from probatum.store.packreader import BlockCache, PackReader
from probatum.store.packwriter import PackWriter

PACK_NAME: Final = re.compile(r"([0-9a-f]{64})\.pbp")
_PREFIX: Final = r"[0-9a-f]{8,64}"


class Stored(NamedTuple):
    """An object as it was hashed."""

    kind: str
    payload: bytes


def stored(preimage: bytes) -> Stored:
    """Return the object of a preimage that has been hashed.

    Raises:
        IntegrityError: If it has no proper header.
    """
    # Past the named tuple's own constructor, which costs more than all else around the hash.
    return tuple.__new__(Stored, split_preimage(preimage))


class Reader(Protocol):
    """Whatever objects can be taken from."""

    def get(self, name: Digest) -> Stored:
        """Return an object whose bytes have been hashed.

        Raises:
            NotFoundError: If it is not here.
            IntegrityError: If what is here is not it.
        """
        ...


class Objects:
    """All objects of a store, in packs and loose.

    An object may lie in several places; a damaged copy is passed over as long
    as a whole one exists.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._cache = BlockCache()
        self._packs: dict[Digest, PackReader] = {}
        self._order: list[PackReader] = []
        self._listed = False

    def get(self, name: Digest) -> Stored:
        """Return an object, hashed on this very read.

        Raises:
            NotFoundError: If no copy exists.
            IntegrityError: If every copy is damaged.
        """
        return stored(self.preimage(name))

    def preimage(self, name: Digest) -> bytes:
        """Return the bytes that hash to `name`; errors as in `get`."""
        raw_id = _raw(name)
        if not raw_id:
            raise NotFoundError(f"not an object id: {name[:80]!r}", code="no-object")
        damage: list[IntegrityError] = []
        # Most reads follow another one into the same pack, so that one is tried with no ado.
        if self._order:
            try:
                for found in self._order[0].find(raw_id):
                    if hashlib.sha256(found).digest() == raw_id:
                        return found
            except IntegrityError:
                pass
        for found in self._copies(name, raw_id, damage):
            if hashlib.sha256(found).digest() == raw_id:
                return found
            damage.append(
                IntegrityError(
                    f"object {short(name)} is not what its id says", code="object-corrupt"
                )
            )
        if damage:
            raise damage[0]
        raise NotFoundError(f"no object {short(name)} in this store", code="no-object")

    def has(self, name: Digest) -> bool:
        """Tell whether some file claims to hold an object, without reading it."""
        raw_id = _raw(name)
        if not raw_id:
            return False
        if any(self._holds(pack, raw_id) for pack in self.packs()):
            return True
        if self._backend.size(loose.path_of(name)) is not None:
            return True
        return any(self._holds(pack, raw_id) for pack in self._fresh())

    def put(self, kind: str, payload: bytes) -> Digest:
        """Keep a single object durably and return its id.

        Raises:
            LimitError: If it is larger than 16 MiB.
        """
        data = _preimage(kind, payload)
        name = Digest(hashlib.sha256(data).hexdigest())
        if data not in self._packed(self.packs(), bytes.fromhex(name), []):
            loose.write(self._backend, name, data)
        return name

    def write_pack(self, objects: Iterable[tuple[str, bytes]]) -> Digest:
        """Keep many objects durably in one pack and return the pack's name.

        Nothing is left behind if `objects` or the disk fails half-way.

        Raises:
            LimitError: If one is larger than 16 MiB.
        """
        writer = PackWriter(self._backend)
        try:
            preimages = (_preimage(kind, payload) for kind, payload in objects)
            writer.extend((hashlib.sha256(data).digest(), data) for data in preimages)
            name = writer.finish()
        finally:
            writer.abort()
        return name

    def find(self, prefix: str) -> list[Digest]:
        """Return the ids of all objects that begin with `prefix`, ascending.

        Raises:
            UsageError: If `prefix` is not 8 to 64 lower-case hex digits.
        """
        if not re.fullmatch(_PREFIX, prefix):
            raise UsageError(
                f"not the beginning of an object id: {prefix[:80]!r}",
                hint=f"give at least {MIN_PREFIX} lower-case hex digits",
            )
        self._fresh()
        found = set(loose.names(self._backend, prefix))
        for pack in self.packs():
            with suppress(IntegrityError):
                found.update(pack.matching(prefix))
        return sorted(found)

    def packs(self) -> list[PackReader]:
        """Return all packs, the one that was last of use first."""
        if not self._listed:
            self._fresh()
        return self._order

    def packs_holding(self, name: Digest) -> list[Digest]:
        """Return the names of the packs that hold an object, ascending."""
        self._fresh()
        raw_id = _raw(name)
        return sorted(pack.name for pack in self.packs() if self._holds(pack, raw_id))

    def _copies(self, name: Digest, raw_id: bytes, damage: list[IntegrityError]) -> Iterator[bytes]:
        yield from self._packed(self.packs(), raw_id, damage)
        try:
            found = loose.read(self._backend, name)
        except IntegrityError as error:
            damage.append(error)
        else:
            if found is not None:
                yield found
        # A session may have been sealed since the packs were listed.
        yield from self._packed(self._fresh(), raw_id, damage)

    def _packed(
        self, packs: list[PackReader], raw_id: bytes, damage: list[IntegrityError]
    ) -> Iterator[bytes]:
        for position, pack in enumerate(packs):
            try:
                found = pack.find(raw_id)
            except IntegrityError as error:
                self._note(pack, error, damage)
                continue
            if found and position:
                self._order = [pack, *(other for other in self._order if other is not pack)]
            yield from found

    def _note(self, pack: PackReader, error: IntegrityError, damage: list[IntegrityError]) -> None:
        if error.code == "pack-gone":
            # Another process rewrote it; what it held is in a pack that `_fresh` finds.
            self._packs.pop(pack.name, None)
            self._order = [other for other in self._order if other is not pack]
        else:
            damage.append(IntegrityError(f"{pack.path}: {error}", code=error.code))

    def _holds(self, pack: PackReader, raw_id: bytes) -> bool:
        try:
            return pack.holds(raw_id)
        except IntegrityError:
            return False

    def _fresh(self) -> list[PackReader]:
        """List the packs again and return those that are new."""
        new: list[PackReader] = []
        for file in self._backend.list("pack"):
            match = PACK_NAME.fullmatch(file)
            if match and match[1] not in self._packs:
                name = Digest(match[1])
                self._packs[name] = PackReader(self._backend, name, self._cache)
                new.append(self._packs[name])
        self._order = [*new, *self._order]
        self._listed = True
        return new


def _raw(name: str) -> bytes:
    """Return the bytes of an id, or none: a record may hold any text in place of one."""
    try:
        raw_id = bytes.fromhex(name)
    except ValueError:
        return b""
    return raw_id if len(raw_id) == 32 and raw_id.hex() == name else b""


def _preimage(kind: str, payload: bytes) -> bytes:
    _check_kind(kind)
    if len(payload) > MAX_SIZE:
        raise LimitError(f"a {kind} of {len(payload)} bytes is over the 16 MiB limit")
    return preimage(kind, payload)


@lru_cache(maxsize=64)
def _check_kind(kind: str) -> None:
    if not KIND.fullmatch(kind):
        raise UsageError(f"not a kind of object: {kind[:80]!r}")
