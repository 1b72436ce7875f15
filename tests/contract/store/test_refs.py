"""What a store promises of sessions, names and signatures, wherever it is kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from stores import publish, remove, session_statement

from probatum.digest import Digest, object_id, short
from probatum.errors import (
    ConflictError,
    IntegrityError,
    LimitError,
    NotFoundError,
    UsageError,
)
from probatum.records import codec
from probatum.store import Space, Store
from probatum.store.refs import VERBS

Again = Callable[[], Store]
ELSEWHERE = "e" * 32
KEY = "0123456789abcdef"


def test_a_new_store_has_no_session(store: Store) -> None:
    assert store.sessions() == store.session_heads() == store.published() == []
    assert store.chain() == (1, ())
    with pytest.raises(NotFoundError) as caught:
        store.resolve_name("latest")
    assert "has 0 sessions" in str(caught.value)
    assert "run SPEC" in caught.value.hint
    with pytest.raises(NotFoundError, match="is called 'nothing'") as caught:
        store.resolve_name("nothing")
    assert caught.value.hint == "the store is empty"


def test_latest_goes_by_number_then_end_then_id(store: Store, again: Again) -> None:
    first = publish(store, 1, end="2026-12-31T00:00:00.000Z")
    second = publish(store, 2, end="2026-01-01T00:00:00.000Z")
    later = publish(store, 2, end="2026-01-02T00:00:00.000Z")
    twins = sorted(publish(store, 3, name=name) for name in ("a", "b", "c"))
    order = [first, second, later, *twins]
    for seen in (store, again()):
        assert seen.sessions() == order
        assert [head.id for head in seen.session_heads()] == order
        assert seen.resolve_name("latest") == seen.resolve_name("latest~0") == order[-1]
        assert [seen.resolve_name(f"latest~{back}") for back in range(6)] == order[::-1]
    with pytest.raises(NotFoundError, match="'latest~6': the store has 6 sessions") as caught:
        store.resolve_name("latest~6")
    assert caught.value.code == "unknown-name"


def test_publishing_twice_is_publishing_once(store: Store) -> None:
    name = publish(store)
    assert store.is_published(name)
    assert not store.publish_session(name)
    assert store.published() == [name]


def test_only_a_stored_statement_is_published(store: Store) -> None:
    with pytest.raises(IntegrityError) as caught:
        store.publish_session(object_id("statement", b"absent"))  # type: ignore[arg-type]
    assert caught.value.code == "dangling-ref"
    blob = store.put("blob", codec.encode(session_statement(store.id)))
    with pytest.raises(IntegrityError, match="is a blob, not a statement"):
        store.publish_session(blob)  # type: ignore[arg-type]
    junk = store.put("statement", b"{}")
    with pytest.raises(IntegrityError, match="is not a statement"):
        store.publish_session(junk)  # type: ignore[arg-type]
    assert store.published() == []


def test_a_foreign_session_is_never_latest_and_never_chained(store: Store) -> None:
    own = publish(store, 1)
    foreign = publish(store, 900, origin=ELSEWHERE)
    assert store.sessions() == [own, foreign]
    assert [head.own for head in store.session_heads()] == [True, False]
    assert store.resolve_name("latest") == own
    assert store.chain() == (2, (own,))
    assert store.resolve_name(foreign[:8]) == foreign


def test_the_chain_continues_from_all_heads(store: Store) -> None:
    first = publish(store, 1)
    left = publish(store, 2, prev=(first,), name="left")
    right = publish(store, 2, prev=(first,), name="right")
    assert store.chain() == (3, tuple(sorted((left, right))))
    last = publish(store, 3, prev=(left, right))
    assert store.chain() == (4, (last,))


def test_the_chain_ends_at_its_limit(store: Store) -> None:
    publish(store, 2**40)
    with pytest.raises(LimitError) as caught:
        store.chain()
    assert caught.value.code == "sequence-limit"


def test_a_removed_session_no_longer_counts(store: Store, again: Again) -> None:
    first = publish(store, 1)
    second = publish(store, 2, prev=(first,))
    removal = remove(store, second)
    for seen in (store, again()):
        assert seen.removals() == {second}
        assert seen.sessions() == [first]
        assert seen.resolve_name("latest") == first
        assert seen.chain() == (2, (first,))
        assert seen.resolve_name(second) == second
        with pytest.raises(NotFoundError, match="is called"):
            seen.resolve_name(second[:12])
        with pytest.raises(NotFoundError, match="not a session"):
            seen.resolve_name(removal)
    store.publish_session(second)
    assert store.sessions() == [first]


def test_a_foreign_removal_removes_nothing(store: Store) -> None:
    name = publish(store)
    remove(store, name, origin=ELSEWHERE)
    assert store.removals() == frozenset()
    assert store.sessions() == [name]


def test_a_session_is_named_by_eight_digits_or_more(store: Store) -> None:
    name = publish(store)
    for length in (8, 12, 63, 64):
        assert store.resolve_name(name[:length]) == name
    with pytest.raises(NotFoundError, match="too short") as caught:
        store.resolve_name(name[:7])
    assert "8 digits" in caught.value.hint
    with pytest.raises(NotFoundError) as caught:
        store.resolve_name("f" * 12)
    assert caught.value.candidates == (short(name),)
    assert short(name) in caught.value.hint
    with pytest.raises(NotFoundError, match="is called"):
        store.resolve_name("f" * 64)


def test_an_ambiguous_beginning_lists_the_sessions(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads = [head._replace(id=head.id[:20] + "0" * 44) for head in _published(store, 2)]
    twins = [heads[0], heads[0]._replace(id=heads[0].id[:20] + "1" * 44)]
    monkeypatch.setattr(store._sessions, "listed", lambda: twins)
    with pytest.raises(NotFoundError, match="begins the ids of 2 sessions") as caught:
        store.resolve_name(twins[0].id[:10])
    assert list(caught.value.candidates) == [head.id for head in twins]
    assert caught.value.code == "ambiguous-name"


def _published(store: Store, count: int) -> list:  # type: ignore[type-arg]
    for seq in range(1, count + 1):
        publish(store, seq)
    return store.session_heads()


@pytest.mark.parametrize("space", ["tags", "baselines"])
def test_a_name_leads_moves_back_and_ends(store: Store, again: Again, space: Space) -> None:
    first, second = publish(store, 1), publish(store, 2)
    assert store.target(space, "v1") is None
    for target in (first, second, first, None, second):
        store.move(space, "v1", target)
        assert again().target(space, "v1") == target
        assert len(store.heads(space, "v1")) == 1
        assert store.names(space) == (["v1"] if target else [])
    assert store.resolve_name("v1") == second
    assert store.resolve_name(f"{space}/v1") == second


def test_a_deleted_name_is_unknown(store: Store) -> None:
    name = publish(store)
    store.move("tags", "v1", name)
    store.move("tags", "v1", None)
    with pytest.raises(NotFoundError, match="is called 'v1'"):
        store.resolve_name("v1")


@pytest.mark.parametrize("space", ["tags", "baselines"])
def test_two_heads_are_told_and_settled_by_a_move(store: Store, space: Space) -> None:
    first, second = publish(store, 1), publish(store, 2)
    store.move(space, "v1", first)
    _merge_from_elsewhere(store, space, second)
    with pytest.raises(ConflictError) as caught:
        store.resolve_name("v1")
    assert caught.value.code == "two-heads"
    assert short(first) in str(caught.value)
    assert short(second) in str(caught.value)
    assert f"probatum {VERBS[space]} v1 " in caught.value.hint
    assert len(store.heads(space, "v1")) == 2
    assert store.names(space) == ["v1"]
    store.move(space, "v1", second)
    assert store.resolve_name("v1") == second


def test_two_branches_that_agree_are_no_conflict(store: Store) -> None:
    first = publish(store)
    store.move("tags", "v1", first)
    _merge_from_elsewhere(store, "tags", first)
    assert store.target("tags", "v1") == first


def test_a_move_against_a_deletion_is_a_conflict(store: Store) -> None:
    first = publish(store)
    store.move("tags", "v1", first)
    store.move("tags", "v1", None)
    _merge_from_elsewhere(store, "tags", first)
    with pytest.raises(ConflictError, match="nowhere"):
        store.target("tags", "v1")


def _merge_from_elsewhere(store: Store, space: Space, target: Digest) -> None:
    """Add an entry as a branch would have it that never saw the others."""
    other = Store.memory()
    entry = other.move(space, "v1", target)  # type: ignore[arg-type]
    path = f"ref/{space}/v1/{entry}"
    data = other._backend.read(path, 999)
    assert data is not None
    store._backend.create(path, data)


def test_a_tag_and_a_baseline_of_one_name_are_kept_apart(store: Store) -> None:
    first, second = publish(store, 1), publish(store, 2)
    store.move("tags", "v1", first)
    store.move("baselines", "v1", first)
    assert store.resolve_name("v1") == first
    store.move("baselines", "v1", second)
    with pytest.raises(NotFoundError) as caught:
        store.resolve_name("v1")
    assert caught.value.code == "ambiguous-name"
    assert list(caught.value.candidates) == ["tags/v1", "baselines/v1"]
    assert store.resolve_name("tags/v1") == first
    assert store.resolve_name("baselines/v1") == second
    with pytest.raises(NotFoundError):
        store.resolve_name("other/v1")


def test_an_unknown_name_shows_the_nearest(store: Store) -> None:
    name = publish(store)
    store.move("tags", "release-1", name)
    with pytest.raises(NotFoundError) as caught:
        store.resolve_name("relase-1")
    assert list(caught.value.candidates) == ["release-1", short(name)]


def test_a_deleted_session_leaves_names_as_candidates(store: Store) -> None:
    name = publish(store)
    store.move("tags", "kept", name)
    remove(store, name)
    with pytest.raises(NotFoundError) as caught:
        store.resolve_name("zzz")
    assert list(caught.value.candidates) == ["kept"]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "A",
        "a b",
        ".a",
        "-a",
        "_a",
        "a" * 65,
        "a.lock",
        "a.",
        "con",
        "nul.txt",
        "com1",
        "lpt9.x",
        "latest",
        "deadbeef",
        "0" * 64,
        "../x",
        "a/b",
        "é",
        "a\n",
    ],
)
def test_a_name_that_cannot_be_is_refused(store: Store, name: str) -> None:
    target = publish(store)
    with pytest.raises(UsageError) as caught:
        store.move("tags", name, target)
    assert caught.value.code == "bad-name"
    assert store.names("tags") == []


@pytest.mark.parametrize("name", ["a", "0", "v1.2_3-x", "latest1", "deadbee", "z" * 64, "console"])
def test_a_name_that_can_be_is_taken(store: Store, name: str) -> None:
    target = publish(store)
    store.move("tags", name, target)
    assert store.resolve_name(name) == target
    assert store.names("tags") == [name]


def test_signatures_lie_beside_their_statement(store: Store, again: Again) -> None:
    first, second = publish(store, 1), publish(store, 2)
    assert store.signatures(first) == []
    assert store.add_signature(first, KEY, b"one")
    assert not store.add_signature(first, KEY, b"one")
    assert store.add_signature(first, "f" * 64, b"two")
    assert again().signatures(first) == [b"one", b"two"]
    assert store.signatures(second) == []
    with pytest.raises(ConflictError) as caught:
        store.add_signature(first, KEY, b"other")
    assert caught.value.code == "signature-differs"
    assert store.signatures(first) == [b"one", b"two"]


@pytest.mark.parametrize("fingerprint", ["", "abc", "../../../../etc/x", "A" * 16, "0" * 65])
def test_a_fingerprint_that_cannot_be_is_refused(store: Store, fingerprint: str) -> None:
    with pytest.raises(UsageError):
        store.add_signature(publish(store), fingerprint, b"x")


def test_signatures_are_limited_in_size_and_number(store: Store) -> None:
    name = publish(store)
    with pytest.raises(LimitError):
        store.add_signature(name, KEY, bytes(65_537))
    for number in range(16):
        store.add_signature(name, f"{number:016x}", b"x")
    with pytest.raises(LimitError):
        store.add_signature(name, "f" * 16, b"x")
    assert not store.add_signature(name, f"{3:016x}", b"x")
    assert len(store.signatures(name)) == 16
    store._backend.create(f"sig/{name}.{'f' * 16}.json", b"x")
    with pytest.raises(LimitError, match="17 signatures"):
        store.signatures(name)
