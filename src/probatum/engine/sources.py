"""The authored files of a run that was begun, to be compiled again."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from probatum.engine.earlier import Earlier
from probatum.engine.log import heading_of
from probatum.errors import NotFoundError
from probatum.records.base import StatementId
from probatum.store import Store


class Sources(NamedTuple):
    """What a run was authored in, to be compiled again.

    Attributes:
        folder: Absolute folder of the spec; none if it is not known here.
        files: Path as given, and bytes; the spec first.
    """

    folder: Path | None
    files: tuple[tuple[str, bytes], ...]


def journal_sources(store: Store, name: str) -> Sources:
    """Return the authored files of an interrupted run.

    Raises:
        NotFoundError: If there is no such journal, or the run had not even
            begun; the journal is gone then.
        ConflictError: If the run is still going on.
    """
    journal = store.reopen_journal(name)
    try:
        heading = heading_of(journal.header)
        files = tuple((path, journal.get(blob).payload) for path, blob in heading.sources)
    except NotFoundError:
        # The spec is kept before the first call, so nothing is lost with this journal.
        journal.discard()
        raise NotFoundError(
            f"the interrupted run {name} has not kept its spec",
            code="nothing-to-resume",
            hint="it had not begun: run the spec anew",
        ) from None
    except BaseException:
        journal.close()
        raise
    journal.close()
    return Sources(Path(heading.folder), files)


def session_sources(store: Store, statement: StatementId) -> Sources:
    """Return the authored files of a sealed session.

    Raises:
        NotFoundError: If the store does not have them.
        IntegrityError: If they are damaged.
    """
    session = Earlier(store, statement).session
    files = tuple((item.path, store.get(item.content).payload) for item in session.sources)
    return Sources(None, files)
