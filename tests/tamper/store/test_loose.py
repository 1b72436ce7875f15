"""A loose object or a ref changed in any one place is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest
from stores import publish

from probatum.errors import ProbatumError
from probatum.store import Finding, Store
from probatum.store.loose import path_of


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "s", create=True)


def findings(store: Store) -> list[Finding]:
    return [item for item in store.scan() if isinstance(item, Finding)]


def changes(data: bytes) -> list[bytes]:
    """Return `data` with each byte flipped, cut at each length, and with something behind it."""
    flipped = [data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :] for at in range(len(data))]
    cut = [data[:size] for size in range(len(data))]
    return [*flipped, *cut, data + b"\n", data.replace(b"\n", b"\r\n") + b"\r\n", data + data]


def test_a_loose_object(store: Store, tmp_path: Path) -> None:
    name = store.put("blob", b"one\ntwo\n")
    path = tmp_path / "s" / path_of(name)
    for data in changes(path.read_bytes()):
        path.write_bytes(data)
        assert len(findings(store)) == 1
        with pytest.raises(ProbatumError):
            store.get(name)


def test_an_entry_of_a_tag(store: Store, tmp_path: Path) -> None:
    target = publish(store)
    entry = store.move("tags", "v1", target)
    path = tmp_path / "s/ref/tags/v1" / entry
    for data in changes(path.read_bytes()):
        path.write_bytes(data)
        assert [item.code for item in findings(store)] == ["ref-corrupt"]
        with pytest.raises(ProbatumError):
            store.target("tags", "v1")


def test_the_ref_of_a_session(store: Store, tmp_path: Path) -> None:
    target = publish(store)
    path = tmp_path / "s/ref/sessions" / target
    for data in changes(path.read_bytes()):
        path.write_bytes(data)
        assert [item.code for item in findings(store)] == ["ref-corrupt"]


def test_the_description_of_a_store(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "s/store.json"
    whole = path.read_bytes()
    seen = 0
    for data in changes(whole):
        path.write_bytes(data)
        try:
            other = Store.open(tmp_path / "s")
        except ProbatumError:
            seen += 1
        else:
            # Only the id itself may be another: that is another store, whose sessions are foreign.
            assert other.id != store.id
    assert seen > len(whole)
