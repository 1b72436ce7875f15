"""From a root to everything it needs: closure, inventory, Merkle root."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from probatum.digest import Digest, short
from probatum.errors import IntegrityError, NotFoundError
from probatum.records import codec
from probatum.records.codec import AnyRecord
from probatum.records.kinds import strong_edges
from probatum.store.objects import Reader

Visit = Callable[[str, Digest, bytes, AnyRecord | None], None]
"""Called once an object with kind, id, payload and record (none for a blob)."""

_BLOB_KEY: Final = b'"blob":"'
_BLOB_ONLY: Final = frozenset({"perturbation", "output"})
"""Kinds whose only strong edges are values of a key ``blob``."""

_ROOT: Final = Digest("")
_ABSENT: Final = ""
"""In place of the kind of an object that could not be read."""


class Entry(NamedTuple):
    """An object of a closure; entries sort as their inventory lines do.

    Attributes:
        size: Bytes of the payload.
    """

    kind: str
    id: Digest
    size: int


class Gap(NamedTuple):
    """A strong edge that leads to nothing good.

    Attributes:
        id: What is named.
        kind: The kind that is expected there.
        referrer: The object that names it; empty for the root.
        reason: ``missing``, ``corrupt`` (its bytes are not what the id says),
            ``wrong-kind``, or ``bad-record`` (no canonical record).
        detail: One line.
    """

    id: Digest
    kind: str
    referrer: Digest
    reason: str
    detail: str


class Closure(NamedTuple):
    """Everything that is reached over strong edges.

    Attributes:
        entries: Sorted.
        missing: Edges that could not be followed, in the order of the walk.
    """

    entries: list[Entry]
    missing: list[Gap]


def closure(
    reader: Reader, root: Digest, *, kind: str = "session", visit: Visit | None = None
) -> Closure:
    """Walk from `root` over strong edges.

    Every object is read once, and with `visit` decoded once. Without it,
    kinds that point to blobs at most are decoded only if their bytes hold the
    key ``blob``: in canonical form an edge cannot be spelled without it.

    Args:
        reader: A store or a journal.
        root: Where to begin.
        kind: The kind that `root` must have.
        visit: Sees each object; it may raise to end the walk.
    """
    seen: dict[Digest, str] = {}
    entries: list[Entry] = []
    gaps: list[Gap] = []
    stack: list[tuple[str, Digest, Digest]] = [(kind, root, _ROOT)]
    while stack:
        wanted, name, referrer = stack.pop()
        known = seen.get(name)
        if known is not None:
            if known not in (wanted, _ABSENT):
                gaps.append(_wrong_kind(name, wanted, referrer, known))
            continue
        try:
            actual, payload = reader.get(name)
        except (NotFoundError, IntegrityError) as error:
            seen[name] = _ABSENT
            reason = "missing" if isinstance(error, NotFoundError) else "corrupt"
            gaps.append(Gap(name, wanted, referrer, reason, str(error)))
            continue
        seen[name] = actual
        entries.append(Entry(actual, name, len(payload)))
        if actual != wanted:
            gaps.append(_wrong_kind(name, wanted, referrer, actual))
        try:
            record = _record(actual, payload, whole=visit is not None)
        except IntegrityError as error:
            gaps.append(Gap(name, wanted, referrer, "bad-record", str(error)))
            continue
        if visit is not None:
            visit(actual, name, payload, record)
        if record is not None:
            # Most edges of a large session lead to what was read before: those stop here.
            edges = strong_edges(record)
            below = [(to, target, name) for to, target in edges if seen.get(target) != to]
            stack += below[::-1]
    entries.sort()
    return Closure(entries, gaps)


def inventory_lines(entries: Iterable[Entry]) -> list[bytes]:
    """Return the lines ``kind id size`` without newlines, sorted bytewise."""
    return sorted([f"{kind} {name} {size}".encode() for kind, name, size in entries])


def inventory_bytes(entries: Iterable[Entry]) -> bytes:
    """Return the inventory: every line ends with a newline, the last one too."""
    return b"\n".join([*inventory_lines(entries), b""])


def merkle_root(lines: Sequence[bytes]) -> str:
    """Return the RFC 6962 tree hash over `lines`, in hex.

    Leaves are ``sha256(0x00 line)``, nodes ``sha256(0x01 left right)``; an odd
    node at the end of a level rises as it is, which gives the same tree as
    the RFC's split at the largest power of two.
    """
    if not lines:
        return hashlib.sha256().hexdigest()
    sha256 = hashlib.sha256
    level = [sha256(b"\x00" + line).digest() for line in lines]
    while len(level) > 1:
        nodes = [
            sha256(b"\x01" + left + right).digest()
            for left, right in zip(level[::2], level[1::2], strict=False)
        ]
        level = nodes + level[2 * len(nodes) :]
    return level[0].hex()


def _record(kind: str, payload: bytes, *, whole: bool) -> AnyRecord | None:
    if kind == "blob" or (not whole and kind in _BLOB_ONLY and _BLOB_KEY not in payload):
        return None
    return codec.decode(kind, payload)


def _wrong_kind(name: Digest, wanted: str, referrer: Digest, actual: str) -> Gap:
    detail = f"{short(name)} is a {actual}, not a {wanted}"
    return Gap(name, wanted, referrer, "wrong-kind", detail)
