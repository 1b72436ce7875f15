from __future__ import annotations

from pathlib import Path

import pytest
from stores import publish, remove, session_statement

from probatum import canonical
from probatum.digest import object_id, short
from probatum.errors import IntegrityError, NotFoundError
from probatum.records import codec
from probatum.store import Store, loose


def test_a_ref_to_nothing_is_told_wherever_the_order_matters(store: Store, root: Path) -> None:
    kept = publish(store, 1)
    lost = publish(store, 2)
    (root / loose.path_of(lost)).unlink()
    fresh = Store.open(root)
    assert fresh.sessions() == [lost, kept]
    assert fresh.removals() == frozenset()
    for use in (fresh.session_heads, fresh.chain, lambda: fresh.resolve_name("latest")):
        with pytest.raises(IntegrityError) as caught:
            use()
        assert caught.value.code == "dangling-ref"
        assert short(lost) in str(caught.value)
    assert fresh.resolve_name(kept) == kept
    with pytest.raises(NotFoundError) as caught_name:
        fresh.resolve_name("v1")
    assert set(caught_name.value.candidates) == {short(kept), short(lost)}


def test_a_lost_session_that_was_removed_is_no_loss(store: Store, root: Path) -> None:
    kept = publish(store, 1)
    gone = publish(store, 2, prev=(kept,))
    remove(store, gone)
    (root / loose.path_of(gone)).unlink()
    fresh = Store.open(root)
    assert fresh.sessions() == [kept]
    assert fresh.resolve_name("latest") == kept


def test_a_statement_is_found_whole_even_if_it_is_not_published(store: Store) -> None:
    payload = codec.encode(session_statement(store.id))
    name = store.put("statement", payload)
    assert store.resolve_name(name) == name
    assert store.sessions() == []


def test_a_number_out_of_range_is_no_statement(store: Store) -> None:
    payload = codec.encode(session_statement(store.id)).replace(b'"seq":1,', b'"seq":0,')
    name = store.put("statement", payload)
    with pytest.raises(IntegrityError, match="is not a statement"):
        store.publish_session(name)  # type: ignore[arg-type]


def test_a_ref_says_what_it_names(store: Store, root: Path) -> None:
    name = publish(store)
    assert (root / "ref/sessions" / name).read_bytes() == canonical.encode({"target": name})


def test_files_that_are_no_refs_are_passed_over(store: Store, root: Path) -> None:
    name = publish(store)
    store.move("tags", "v1", name)
    (root / "ref/sessions/.DS_Store").write_bytes(b"x")
    (root / "ref/tags/.DS_Store").write_bytes(b"x")
    assert store.sessions() == [name]
    assert store.names("tags") == ["v1"]


def test_a_damaged_entry_is_refused(store: Store, root: Path) -> None:
    name = publish(store)
    entry = store.move("tags", "v1", name)
    path = root / "ref/tags/v1" / entry
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(IntegrityError) as caught:
        store.resolve_name("v1")
    assert caught.value.code == "ref-corrupt"
    assert f"ref/tags/v1/{entry}" in str(caught.value)


@pytest.mark.parametrize("data", [b"{}", b"", b'{"nonce":"x","replaces":[], "target":"y"}'])
def test_an_entry_that_is_none_is_refused(store: Store, root: Path, data: bytes) -> None:
    import hashlib

    digest = hashlib.sha256(data).hexdigest()
    (root / "ref/tags/v1").mkdir()
    (root / "ref/tags/v1" / digest).write_bytes(data)
    with pytest.raises(IntegrityError) as caught:
        store.target("tags", "v1")
    assert caught.value.code == "ref-corrupt"


def test_a_name_may_lead_to_what_is_not_here(store: Store) -> None:
    absent = object_id("statement", b"absent")
    store.move("tags", "v1", absent)  # type: ignore[arg-type]
    assert store.resolve_name("v1") == absent


def test_an_entry_that_vanishes_while_it_is_listed_is_left_out(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = publish(store)
    entry = store.move("tags", "v1", name)
    listed = store._backend.list
    (root / "ref/tags/v1" / entry).unlink()
    monkeypatch.setattr(
        store._backend, "list", lambda path: [entry] if path == "ref/tags/v1" else listed(path)
    )
    assert store.target("tags", "v1") is None
