"""Finding the run that is to be finished: a journal left behind, or a session that lacks runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from probatum.digest import object_id, short
from probatum.errors import NotFoundError
from probatum.records.base import StatementId
from probatum.records.session import Session
from probatum.records.statement import SessionStatement

if TYPE_CHECKING:
    from probatum.store import JournalInfo, Store


class Unfinished(msgspec.Struct, frozen=True, gc=False):
    """Something that ``run --resume`` can finish.

    Attributes:
        journal: Name of the journal of an interrupted run, or
        statement: the id of a sealed session that lacks runs.
    """

    journal: str | None
    statement: StatementId | None


def newest(store: Store) -> Unfinished:
    """Return the newest interrupted run, or else the newest session if it lacks runs.

    Raises:
        NotFoundError: If nothing is unfinished.
    """
    for info in _left_behind(store):
        if _has_begun(store, info):
            return Unfinished(info.name, None)
    own = [head.id for head in store.session_heads() if head.own]
    if own and not _complete(store, own[-1]):
        return Unfinished(None, own[-1])
    raise NotFoundError(
        "there is no run to resume",
        code="nothing-to-resume",
        hint="`probatum log` lists sessions",
    )


def named(store: Store, name: str) -> Unfinished:
    """Return an interrupted run by the start of its journal's name, or a session.

    Raises:
        NotFoundError: If there is none, or it is complete.
    """
    found = [info.name for info in _left_behind(store) if info.name.startswith(name)]
    if len(found) == 1:
        return Unfinished(found[0], None)
    statement = store.resolve_name(name)
    if _complete(store, statement):
        raise NotFoundError(
            f"session {short(statement)} is complete",
            code="nothing-to-resume",
            hint="run its spec to make another",
        )
    return Unfinished(None, statement)


def made_from(store: Store, spec: bytes) -> Unfinished:
    """Return the newest unfinished run of a spec.

    Args:
        store: Where to look.
        spec: The file's bytes; a run of anything else is not taken for it.

    Raises:
        NotFoundError: If there is none.
    """
    wanted = object_id("blob", spec)
    for info in _left_behind(store):
        if _first_source(info.header) == wanted and _has_begun(store, info):
            return Unfinished(info.name, None)
    for head in reversed(store.session_heads()):
        session = store.record(head.root, Session)
        if head.own and any(source.content == wanted for source in session.sources[:1]):
            if not session.complete:
                return Unfinished(None, head.id)
            break
    raise NotFoundError(
        "no run of this spec, as it is now, is unfinished",
        code="nothing-to-resume",
        hint="without its path, --resume finishes what was begun, as it was begun",
    )


def _left_behind(store: Store) -> list[JournalInfo]:
    """Return the journals that nobody writes any more, newest first."""
    left = [info for info in store.journals() if not info.running]
    return sorted(left, key=_start, reverse=True)


def _start(info: JournalInfo) -> int:
    start = info.header.get("start")
    return start if isinstance(start, int) else 0


def _first_source(header: Any) -> object:
    try:
        return header["sources"][0][1]
    except (LookupError, TypeError):
        return None


def _has_begun(store: Store, info: JournalInfo) -> bool:
    """Tell whether a run kept its spec, without which there is nothing to go on from."""
    from probatum.engine.sources import journal_sources

    try:
        journal_sources(store, info.name)
    except NotFoundError:
        return False
    return True


def _complete(store: Store, statement: StatementId) -> bool:
    return store.record(statement, SessionStatement).predicate.complete
