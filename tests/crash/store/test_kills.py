"""Killed at every step of a write, a store is in its old state or its new one, never between."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from stores import session_statement

from probatum.digest import object_id
from probatum.errors import NotFoundError
from probatum.records import codec
from probatum.store import Finding, Store

HERE = Path(__file__).parent


def runs(scenario: str, tmp_path: Path) -> Iterator[tuple[Store, dict[str, list[str]], bool]]:
    """Yield the store of every run, what it acknowledged, and whether it was the last one."""
    paths = [str(HERE.parents[1] / "support"), *sys.path]
    subprocess.run(
        [sys.executable, str(HERE / "killed.py"), scenario, str(tmp_path / "runs")],
        check=True,
        env={"PYTHONPATH": ":".join(paths), "PYTHONWARNINGS": "error"},
        timeout=100,
    )
    folders = sorted((tmp_path / "runs").iterdir(), key=lambda folder: int(folder.name))
    assert len(folders) > 10
    for folder in folders:
        acks: dict[str, list[str]] = {}
        for line in (folder / "acks").read_text().splitlines():
            word, value = line.split()
            acks.setdefault(word, []).append(value)
        yield Store.open(folder / "s", create=True), acks, folder is folders[-1]


def check_clean(store: Store) -> None:
    assert [item for item in store.scan() if isinstance(item, Finding)] == []
    assert list(store.check_packs()) == []


def test_making_a_store(tmp_path: Path) -> None:
    for store, acks, _ in runs("make", tmp_path):
        assert acks.get("made", [store.id]) == [store.id]
        check_clean(store)
        name = store.put("blob", b"x")
        assert store.path is not None
        assert Store.open(store.path).get(name).payload == b"x"


def test_putting_objects(tmp_path: Path) -> None:
    for store, acks, last in runs("put", tmp_path):
        check_clean(store)
        for name in acks.get("put", []):
            assert store.get(name).kind == "blob"  # type: ignore[arg-type]
        for body in (b"one", b"two"):
            store.put("blob", body)
            assert store.get(object_id("blob", body)).payload == body
        assert len(acks.get("put", [])) == 3 or not last


@pytest.mark.parametrize("scenario", ["session", "resume"])
def test_running_a_session(scenario: str, tmp_path: Path) -> None:
    for store, acks, last in runs(scenario, tmp_path):
        check_clean(store)
        published = store.sessions()
        assert published in ([], acks.get("published", published))
        assert len(published) <= 1
        if "published" in acks:
            assert published == acks["published"]
        if "journal" in acks and not published:
            assert [info.name for info in store.journals()] == acks["journal"]
        statement = complete(store, acks)
        assert store.sessions() == ([statement] if statement else [])
        check_clean(store)
        assert store.journals() == []
        assert "tagged" in acks or not last


def complete(store: Store, acks: dict[str, list[str]]) -> str | None:
    """Do what is left of the session, and make sure that nothing acknowledged was lost."""
    flushed = acks.get("flushed", [])
    for info in store.journals():
        assert info.header == {"plan": "p"}
        assert not info.running
        journal = store.reopen_journal(info.name)
        assert set(flushed) <= set(journal.ids)
        if "journal" in acks:
            assert journal.notes[: len(flushed)] == [b"row %d" % n for n in range(len(flushed))]
        if not store.sessions():
            name = journal.put("statement", codec.encode(session_statement(store.id, 1)))
            journal.seal()
            store.publish_session(name)  # type: ignore[arg-type]
        journal.discard()
    for name in flushed:
        assert store.get(name).kind == "blob"  # type: ignore[arg-type]
    try:
        return store.resolve_name("latest")
    except NotFoundError:
        return None
