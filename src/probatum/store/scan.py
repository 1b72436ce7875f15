"""Reading every byte of a store, and saying what is wrong with it.

Findings are values, each with a documented code:

=====================  ==================================================
``object-corrupt``     bytes that do not have the id they lie under
``object-header``      an object without a proper kind and size
``pack-header``        a pack of another format
``pack-truncated``     a pack that is cut short or has something behind it
``pack-index``         a pack index that contradicts itself or the blocks
``pack-block``         a block that does not open to what the index says
``pack-checksum``      a pack whose bytes are not those it was named by
``file-empty``         a file of no bytes, left by a power cut
``lfs-pointer``        a Git LFS pointer in place of the content
``not-a-file``         a link, folder or device where a file belongs
``not-a-folder``       a link or file where a folder belongs
``stray-file``         something that does not belong in a store
``ref-corrupt``        a ref that is not what its name says
``dangling-ref``       a ref to a statement that is not here
``too-large``          a file over its limit
``unreadable``         the machine refuses to read it: not known to be bad
=====================  ==================================================
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from typing import Final, Literal, TypeVar, cast

import msgspec

from probatum import canonical
from probatum.digest import Digest, is_digest, short, split_preimage
from probatum.errors import EnvironmentFault, IntegrityError, LimitError
from probatum.records.base import UNSET
from probatum.store import layout, loose, signatures
from probatum.store.backend import Backend
from probatum.store.objects import PACK_NAME
from probatum.store.pack import HEADER, TAIL, Extent, Index
from probatum.store.packreader import PackReader, open_block, salvage, verify_name
from probatum.store.refs import MAX_ENTRY, SPACES, is_name, read_entry

Severity = Literal["error", "warning"]

_LFS: Final = b"version https://git-lfs"


class Scanned(msgspec.Struct, frozen=True, gc=False):
    """An object whose bytes have the id that is given here.

    Attributes:
        path: The file that holds it.
    """

    id: Digest
    kind: str
    payload: bytes
    path: str


class Finding(msgspec.Struct, frozen=True, gc=False):
    """Something that is wrong with a file of the store.

    Attributes:
        code: One of the codes that this module documents.
        path: The file, relative to the store.
        message: One line.
        offset: Where in the file, if that is known.
        severity: ``warning`` where no object is affected.
    """

    code: str
    path: str
    message: str
    offset: int | None = None
    severity: Severity = "error"


Item = Scanned | Finding
_T = TypeVar("_T", Scanned, Finding, Item)


def scan(backend: Backend, packs: Collection[Digest] | None = None) -> Iterator[Item]:
    """Read every byte of a store, or of some of its packs, and yield what is found."""
    if packs is not None:
        for name in sorted(packs):
            yield from _guarded(f"pack/{name}.pbp", partial(scan_pack, backend, name))
        return
    statements: set[str] = set()
    for item in _objects(backend):
        if isinstance(item, Scanned) and item.kind == "statement":
            statements.add(item.id)
        yield item
    yield from _refs(backend, statements)
    yield from _others(backend)


def check_packs(backend: Backend) -> Iterator[Finding]:
    """Hash the pack files alone; nothing is said of single objects."""
    for file in backend.list("pack"):
        match = PACK_NAME.fullmatch(file)
        if match:
            yield from _guarded(f"pack/{file}", partial(_named, backend, Digest(match[1])))


def _named(backend: Backend, name: Digest) -> Iterator[Finding]:
    if not verify_name(backend, name):
        yield _checksum(f"pack/{name}.pbp")


def scan_pack(backend: Backend, name: Digest) -> Iterator[Item]:
    """Read a pack from its first byte to its last.

    Objects come in the order in which they lie. Those of a damaged block are
    missing; from a pack whose index is damaged all that can be read is taken.
    """
    reader = PackReader(backend, name)
    strange = _strange(backend, reader.path)
    if strange is not None:
        yield strange
        return
    try:
        index = reader.index
    except IntegrityError as error:
        if error.code != "pack-gone":
            yield Finding(error.code, reader.path, str(error))
            yield from _salvaged(backend, reader.path)
        return
    hasher = hashlib.sha256()
    end = index.extents[0].offset if index.extents else HEADER.size
    hasher.update(backend.read_at(reader.path, 0, end) or b"")
    keys = index.in_pack_order()
    for extent in index.extents:
        chunk = reader.chunk(extent)
        hasher.update(chunk)
        end = extent.offset + len(chunk)
        yield from _block(reader.path, index, keys, extent, chunk)
    rest = backend.read_at(reader.path, end, (backend.size(reader.path) or end) - end) or b""
    hasher.update(rest[:-32])
    stated = hasher.digest()
    hasher.update(rest[-32:])
    if len(rest) < TAIL or stated != rest[-32:] or hasher.hexdigest() != name:
        yield _checksum(reader.path)


def _block(path: str, index: Index, keys: array[int], extent: Extent, chunk: bytes) -> list[Item]:
    try:
        raw = open_block(chunk, extent)
    except IntegrityError as error:
        return [Finding(error.code, path, str(error), extent.offset)]
    places = slice(extent.first, extent.first + extent.objects)
    ends = [*accumulate(index.lengths[places], initial=0)]
    kinds = [(kind, b"pb1 %b " % kind.encode()) for kind in index.kinds]
    items: list[Item] = []
    # This loop sets the speed of reading a whole store: one hash, one copy and few calls an object.
    sha256, view = hashlib.sha256, memoryview(raw)
    for (start, end), key, code in zip(
        pairwise(ends), keys[places], index.codes[places], strict=True
    ):
        name = cast("Digest", sha256(view[start:end]).hexdigest())
        kind, begin = kinds[code]
        header = _header(begin, end - start)
        if int(name[:16], 16) != key:
            items.append(_corrupt(path, f"{key:016x}", extent.offset))
        elif not raw.startswith(header, start):
            message = f"object {short(name)} is not the {kind} that the index says"
            items.append(Finding("object-header", path, message, extent.offset))
        else:
            items.append(Scanned(name, kind, raw[start + len(header) : end], path))
    return items


@lru_cache(maxsize=4096)
def _header(begin: bytes, length: int) -> bytes:
    """Return how a preimage of `length` bytes begins, or a byte that begins none."""
    for digits in range(1, 9):
        size = length - len(begin) - digits - 1
        header = b"%b%d\x00" % (begin, size)
        if size >= 0 and len(header) + size == length:
            return header
    return b"\xff"


def _salvaged(backend: Backend, path: str) -> Iterator[Item]:
    for offset, data in salvage(backend, path):
        try:
            kind, payload = split_preimage(data)
        except IntegrityError as error:
            yield Finding("object-header", path, str(error), offset)
        else:
            yield Scanned(Digest(hashlib.sha256(data).hexdigest()), kind, payload, path)


def _objects(backend: Backend) -> Iterator[Item]:
    for file in backend.list("pack"):
        match = PACK_NAME.fullmatch(file)
        path = f"pack/{file}"
        if match:
            name = Digest(match[1])
            yield from _guarded(path, partial(scan_pack, backend, name))
        else:
            yield _stray(path)
    for fan in backend.list("obj"):
        yield from _guarded(f"obj/{fan}", partial(_fan, backend, fan))


def _fan(backend: Backend, fan: str) -> Iterator[Item]:
    for rest in backend.list(f"obj/{fan}"):
        path, name = f"obj/{fan}/{rest}", fan + rest
        if is_digest(name) and len(fan) == 2:
            yield from _guarded(path, partial(_loose, backend, Digest(name)))
        else:
            yield _stray(path)


def _loose(backend: Backend, name: Digest) -> Iterator[Item]:
    path = loose.path_of(name)
    strange = _strange(backend, path)
    data = loose.read(backend, name)
    if strange is not None:
        yield strange
    elif data is not None and hashlib.sha256(data).hexdigest() != name:
        yield _corrupt(path, name, None)
    elif data is not None:
        try:
            yield Scanned(name, *split_preimage(data), path)
        except IntegrityError as error:
            yield Finding("object-header", path, str(error), 0)


def _refs(backend: Backend, statements: set[str]) -> Iterator[Finding]:
    for file in backend.list("ref/sessions"):
        path = f"ref/sessions/{file}"
        if is_digest(file):
            yield from _guarded(path, partial(_session_ref, backend, path, file, statements))
        else:
            yield _stray(path)
    for space in SPACES:
        for name in backend.list(f"ref/{space}"):
            folder = f"ref/{space}/{name}"
            if is_name(name):
                yield from _guarded(folder, partial(_entries, backend, folder, statements))
            else:
                yield _stray(folder)


def _session_ref(backend: Backend, path: str, file: str, statements: set[str]) -> Iterator[Finding]:
    if backend.read(path, MAX_ENTRY) != canonical.encode({"target": file}):
        yield Finding("ref-corrupt", path, "not what its name says", 0)
    if file not in statements:
        yield _dangling(path, file)


def _entries(backend: Backend, folder: str, statements: set[str]) -> Iterator[Finding]:
    for file in backend.list(folder):
        path = f"{folder}/{file}"
        try:
            entry = read_entry(path, file, backend.read(path, MAX_ENTRY) or b"")
        except IntegrityError as error:
            yield Finding(error.code, path, "not what its name says", 0)
            continue
        if entry.target is not UNSET and entry.target not in statements:
            yield _dangling(path, entry.target)


def _others(backend: Backend) -> Iterator[Finding]:
    for file in backend.list("sig"):
        if not signatures.NAME.fullmatch(file):
            yield _stray(f"sig/{file}")
    for name in backend.list(""):
        if name not in layout.NAMES:
            yield _stray(name)


def _guarded(path: str, inside: Callable[[], Iterator[_T]]) -> Iterator[_T | Finding]:
    """Turn what keeps a file from being read into a finding, and go on with the next."""
    try:
        yield from inside()
    except EnvironmentFault as error:
        yield Finding("unreadable", path, str(error))
    except LimitError as error:
        yield Finding("too-large", path, str(error))
    except IntegrityError as error:
        yield Finding(error.code, path, str(error))


def _strange(backend: Backend, path: str) -> Finding | None:
    start = backend.read_at(path, 0, len(_LFS))
    if start == b"":
        return Finding("file-empty", path, "no bytes: a power cut before they were written", 0)
    if start == _LFS:
        hint = "a Git LFS pointer: the content was not fetched (git lfs pull)"
        return Finding("lfs-pointer", path, hint, 0)
    return None


def _corrupt(path: str, name: str, offset: int | None) -> Finding:
    return Finding("object-corrupt", path, f"object {short(name)} is not what its id says", offset)


def _checksum(path: str) -> Finding:
    return Finding("pack-checksum", path, "its bytes are not those it was named by")


def _dangling(path: str, name: str) -> Finding:
    return Finding("dangling-ref", path, f"statement {short(name)} is not in the store")


def _stray(path: str) -> Finding:
    return Finding("stray-file", path, "does not belong in a store", None, "warning")
