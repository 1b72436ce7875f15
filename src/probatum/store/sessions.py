"""Which sessions a store has, in which order, and what people call them.

Only the few fields that decide this are read from a statement; its bytes have
been hashed, and whoever uses the statement reads it strictly.
"""

import re
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec

from probatum.digest import MIN_PREFIX, is_digest, short
from probatum.errors import IntegrityError, LimitError, NotFoundError
from probatum.records.base import SessionId, StatementId
from probatum.records.session import MAX_SEQ, Sequence40
from probatum.records.statement import RemovalStatement, SessionStatement
from probatum.store.objects import Objects
from probatum.store.refs import SPACES, VERBS, Refs, Space, is_name

_LATEST: Final = re.compile(r"latest(?:~([0-9]{1,9}))?")
_HEX: Final = r"[0-9a-f]{1,64}"
_SHOWN: Final = 5


class SessionHead(NamedTuple):
    """What places a session among the others of its store.

    Attributes:
        id: The session's statement, which is the id that people see.
        root: The session record.
        store: Where it was made.
        own: Whether that is this store.
        end: Claimed.
    """

    seq: int
    end: str
    id: StatementId
    root: SessionId
    store: str
    own: bool
    prev: tuple[StatementId, ...]


class _SessionPredicate(msgspec.Struct, frozen=True, gc=False):
    root: SessionId
    store: str
    seq: Sequence40
    prev: tuple[StatementId, ...]
    end: str


class Removal(msgspec.Struct, frozen=True, gc=False):
    """What a removal says: this session no longer counts."""

    removes: StatementId
    store: str


class _Session(
    msgspec.Struct,
    frozen=True,
    tag_field="predicateType",
    tag=SessionStatement.__struct_config__.tag,
    gc=False,
):
    predicate: _SessionPredicate


class _Removal(
    msgspec.Struct,
    frozen=True,
    tag_field="predicateType",
    tag=RemovalStatement.__struct_config__.tag,
    gc=False,
):
    predicate: Removal


_decoder: Final = msgspec.json.Decoder(_Session | _Removal)


class Sessions:
    """The published sessions of a store.

    Args:
        store_id: Sessions made elsewhere are never ``latest`` nor chained to.
    """

    def __init__(self, objects: Objects, refs: Refs, store_id: str) -> None:
        self._objects = objects
        self._refs = refs
        self._store_id = store_id
        self._known: dict[StatementId, SessionHead | Removal] = {}

    def ids(self) -> list[StatementId]:
        """Return all sessions that are published and not removed, ``latest`` last.

        Statements that cannot be read come first: whoever reads them says why.
        """
        removed = self.removals()
        heads: list[SessionHead] = []
        broken: list[StatementId] = []
        for name in self._refs.statements():
            try:
                statement = self.read(name)
            except IntegrityError:
                broken.append(name)
            else:
                if isinstance(statement, SessionHead):
                    heads.append(statement)
        return [name for name in broken if name not in removed] + [
            head.id for head in sorted(heads) if head.id not in removed
        ]

    def listed(self) -> list[SessionHead]:
        """Return what places all sessions that are published and not removed.

        Sorted by sequence number, claimed end and id: of those made in this
        store the last one is ``latest``.

        Raises:
            IntegrityError: ``dangling-ref`` or the damage of a statement that
                is not removed; what it would have said is unknown, so no
                order can be given.
        """
        heads = map(self.read, self.ids())
        return [head for head in heads if isinstance(head, SessionHead)]

    def removals(self) -> frozenset[StatementId]:
        """Return the sessions that a published removal of this very store names."""
        removed: set[StatementId] = set()
        for name in self._refs.statements():
            with suppress(IntegrityError):
                statement = self.read(name)
                if isinstance(statement, Removal) and statement.store == self._store_id:
                    removed.add(statement.removes)
        return frozenset(removed)

    def chain(self) -> tuple[int, tuple[StatementId, ...]]:
        """Return sequence number and `prev` of the session that is sealed next.

        Raises:
            LimitError: If the sequence number would be above 2^40.
        """
        own = [head for head in self.listed() if head.own]
        named = {name for head in own for name in head.prev}
        heads = [head for head in own if head.id not in named]
        seq = 1 + max((head.seq for head in heads), default=0)
        if seq > MAX_SEQ:
            raise LimitError("no sequence number is left above 2^40", code="sequence-limit")
        return seq, tuple(sorted(head.id for head in heads))

    def resolve(self, text: str) -> StatementId:
        """Return the session that a person means.

        Taken in this order: ``latest`` and ``latest~N``; a tag or baseline,
        which ``tags/NAME`` and ``baselines/NAME`` keep apart; a whole id; the
        beginning of the id of a published session, 8 digits or more.

        Raises:
            NotFoundError: If it means nothing, or several things.
            ConflictError: If the name leads to two places.
        """
        latest = _LATEST.fullmatch(text)
        if latest:
            return self._latest(int(latest[1] or 0), text)
        space, slash, name = text.rpartition("/")
        spaces: tuple[Space, ...] = tuple(s for s in SPACES if not slash or s == space)
        if is_name(name):
            found = {s: target for s in spaces if (target := self._refs.target(s, name))}
            if len(set(found.values())) > 1:
                raise NotFoundError(
                    f"{text!r} is a tag and a baseline",
                    candidates=[f"{s}/{name}" for s in found],
                    code="ambiguous-name",
                    hint="say " + " or ".join(f"{s}/{name}" for s in found),
                )
            if found:
                return next(iter(found.values()))
        if re.fullmatch(_HEX, text):
            return self._by_prefix(text)
        raise self._unknown(text)

    def read(self, name: StatementId) -> SessionHead | Removal:
        """Return what a statement says of its place.

        Raises:
            IntegrityError: If it is missing (``dangling-ref``), damaged, or no
                statement of a session or a removal.
        """
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = self._read(name)
        return known

    def _read(self, name: StatementId) -> SessionHead | Removal:
        try:
            kind, payload = self._objects.get(name)
        except NotFoundError:
            raise IntegrityError(
                f"session {short(name)} is named here, but its statement is not in the store",
                code="dangling-ref",
                hint="a part of the store was not copied; see `probatum verify --all`",
            ) from None
        try:
            if kind != "statement":
                raise IntegrityError(
                    f"{short(name)} is a {kind}, not a statement", code="bad-record"
                )
            statement = _decoder.decode(payload)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise IntegrityError(
                f"{short(name)} is not a statement: {error}", code="bad-record"
            ) from None
        if isinstance(statement, _Removal):
            return statement.predicate
        said = statement.predicate
        own = said.store == self._store_id
        return SessionHead(said.seq, said.end, name, said.root, said.store, own, said.prev)

    def _latest(self, back: int, text: str) -> StatementId:
        own = [head.id for head in self.listed() if head.own]
        if back < len(own):
            return own[-1 - back]
        count = f"{len(own)} session" + ("" if len(own) == 1 else "s")
        raise NotFoundError(
            f"no {text!r}: the store has {count} of its own",
            candidates=[short(name) for name in own[: -1 - _SHOWN : -1]],
            code="unknown-name",
            hint="`probatum log` lists them" if own else "`probatum run SPEC` makes one",
        )

    def _by_prefix(self, text: str) -> StatementId:
        if len(text) < MIN_PREFIX:
            raise NotFoundError(
                f"{text!r} is too short for an id",
                code="unknown-name",
                hint=f"give at least {MIN_PREFIX} digits",
            )
        name = StatementId(text)  # type: ignore[arg-type]
        if is_digest(text) and self._objects.has(name):
            kind = self._objects.get(name).kind
            if kind == "statement" and isinstance(self.read(name), SessionHead):
                return name
            raise NotFoundError(
                f"{short(text)} is a {kind}, not a session",
                code="not-a-session",
                hint="`probatum log` lists sessions",
            )
        found = [head.id for head in self.listed() if head.id.startswith(text)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise self._unknown(text)
        raise NotFoundError(
            f"{text!r} begins the ids of {len(found)} sessions",
            candidates=found,
            code="ambiguous-name",
            hint="give more digits: " + ", ".join(name[: len(text) + 8] for name in found[:_SHOWN]),
        )

    def _unknown(self, text: str) -> NotFoundError:
        from difflib import get_close_matches

        names = {name: VERBS[space] for space in SPACES for name in self._refs.names(space)}
        near = get_close_matches(text, names, n=_SHOWN)
        recent = [short(name) for name in reversed(self.ids())]
        candidates = [*near, *recent][:_SHOWN] or list(names)[:_SHOWN]
        return NotFoundError(
            f"no session, tag or baseline is called {text[:80]!r}",
            candidates=candidates,
            code="unknown-name",
            hint=f"there are: {', '.join(candidates)}" if candidates else "the store is empty",
        )
