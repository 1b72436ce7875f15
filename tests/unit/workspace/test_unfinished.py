"""What there is to resume."""

from __future__ import annotations

import pytest
from sessions import build

from probatum.errors import IntegrityError, NotFoundError
from probatum.store import Store
from probatum.workspace import unfinished


def test_nothing_is_unfinished_in_a_new_store() -> None:
    store = Store.memory()
    with pytest.raises(NotFoundError, match="no run to resume"):
        unfinished.newest(store)
    with pytest.raises(NotFoundError, match="no run of this spec"):
        unfinished.made_from(store, b"cases: []\n")


def test_a_journal_of_something_else_is_not_resumed() -> None:
    store = Store.memory()
    journal = store.start_journal({"start": "soon", "sources": []})
    journal.flush()
    with pytest.raises(NotFoundError, match="no run to resume"):
        unfinished.newest(store)
    journal.close()
    with pytest.raises(NotFoundError, match="no run of this spec"):
        unfinished.made_from(store, b"cases: []\n")
    with pytest.raises(IntegrityError) as caught:
        unfinished.newest(store)
    assert caught.value.code == "bad-journal"


def test_a_sealed_session_that_lacks_runs_can_be_completed() -> None:
    built = build(cases={"alpha": set()}, missing={("alpha", 1)})
    wanted = unfinished.Unfinished(None, built.statement)
    assert unfinished.newest(built.store) == wanted
    assert unfinished.named(built.store, built.statement[:12]) == wanted
    assert unfinished.made_from(built.store, b"falsify: {}\n") == wanted


def test_a_complete_session_cannot() -> None:
    built = build(cases={"alpha": set()})
    with pytest.raises(NotFoundError, match="no run to resume"):
        unfinished.newest(built.store)
    with pytest.raises(NotFoundError, match="is complete"):
        unfinished.named(built.store, built.statement[:12])
    with pytest.raises(NotFoundError, match="no run of this spec"):
        unfinished.made_from(built.store, b"falsify: {}\n")
