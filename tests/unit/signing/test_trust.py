"""What a trust store may say, and how it changes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from probatum.errors import KeyFault
from probatum.signing import KeyState, TrustedKey, TrustRule, TrustStore
from probatum.signing import trust as module
from probatum.signing.keyfiles import PrivateKey

Make = Callable[[int], PrivateKey]

DAY = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def pair(key: Make) -> TrustStore:
    return TrustStore(
        keys=(TrustedKey(name="b", key=key(2).public), TrustedKey(name="a", key=key(1).public)),
        rules=(
            TrustRule(type="session", threshold=2),
            TrustRule(type="plan", keys=("a",)),
        ),
    )


def test_order_does_not_matter(pair: TrustStore) -> None:
    assert [entry.name for entry in pair.keys] == ["a", "b"]
    assert [rule.type for rule in pair.rules] == ["plan", "session"]
    assert pair == TrustStore(keys=pair.keys[::-1], rules=pair.rules[::-1])


def test_rules_have_a_default(pair: TrustStore) -> None:
    assert pair.rule("session").threshold == 2
    assert pair.rule("note") == TrustRule(type="note", threshold=1, keys=())


def test_keys_are_found(pair: TrustStore, key: Make) -> None:
    assert pair.find("a") == pair.owner(key(1).public) == pair.keys[0]
    assert pair.find("c") is None
    assert pair.owner(key(3).public) is None


def test_keys_come_change_and_go(pair: TrustStore, key: Make) -> None:
    more = pair.add(TrustedKey(name="c", key=key(3).public))
    assert [entry.name for entry in more.keys] == ["a", "b", "c"]
    retired = more.amend(
        TrustedKey(name="c", key=key(3).public, state=KeyState.RETIRED, valid_before=DAY)
    )
    assert retired.find("c") == retired.keys[2] != more.keys[2]
    assert retired.remove("c") == pair
    assert pair.digest == more.digest == ""


@pytest.mark.parametrize("verb", ["remove", "amend"])
def test_unknown_names_are_told(pair: TrustStore, key: Make, verb: str) -> None:
    argument = "x" if verb == "remove" else TrustedKey(name="x", key=key(3).public)
    with pytest.raises(KeyFault, match="called 'x'") as caught:
        getattr(pair, verb)(argument)
    assert (caught.value.code, caught.value.hint) == ("key-unknown", "known: a, b")
    with pytest.raises(KeyFault) as caught:
        getattr(TrustStore(), verb)(argument)
    assert caught.value.hint == "known: none"


def test_a_key_that_a_rule_needs_stays(pair: TrustStore) -> None:
    with pytest.raises(KeyFault, match="names 'a', which is no key here") as caught:
        pair.remove("a")
    assert caught.value.code == "bad-trust"
    assert "cannot be met by 1 keys" in str(caught.value)


def test_one_key_under_two_names_is_refused(pair: TrustStore, key: Make) -> None:
    with pytest.raises(KeyFault, match="'a' and 'twin' are the same key"):
        pair.add(TrustedKey(name="twin", key=key(1).public))
    with pytest.raises(KeyFault, match="two keys are called 'a'"):
        pair.add(TrustedKey(name="a", key=key(3).public))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": ""}, "a name is"),
        ({"name": "-x"}, "a name is"),
        ({"name": "x" * 65}, "a name is"),
        ({"name": "a\x1b[2J"}, "a name is"),
        ({"scopes": ("sesion",)}, "unknown scope 'sesion'; did you mean 'session'"),
        ({"scopes": ("zzz",)}, "known: session, plan, removal, note"),
        ({"valid_after": DAY, "valid_before": DAY}, "valid_after is not before"),
        ({"valid_after": DAY.replace(tzinfo=None)}, "valid_after is not a whole second"),
        ({"valid_before": DAY.replace(microsecond=1)}, "valid_before is not a whole second"),
        ({"revoked_from": DAY}, "its state is not revoked"),
    ],
)
def test_entries_are_checked(key: Make, fields: dict[str, object], words: str) -> None:
    entry = TrustedKey(**{"name": "x", "key": key(1).public, **fields})  # type: ignore[arg-type]
    with pytest.raises(KeyFault, match=words) as caught:
        TrustStore(keys=(entry,))
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (TrustRule(type="sesion"), "unknown statement type 'sesion'; did you mean 'session'"),
        (TrustRule(type="session", threshold=0), "threshold 0 cannot be met by 2 keys"),
        (TrustRule(type="session", threshold=3), "threshold 3 cannot be met by 2 keys"),
        (TrustRule(type="session", threshold=2, keys=("a", "a")), "cannot be met by 1 keys"),
        (TrustRule(type="note", threshold=2), "cannot be met by 1 keys"),
        (TrustRule(type="session", keys=("x",)), "names 'x'"),
    ],
)
def test_rules_are_checked(key: Make, rule: TrustRule, words: str) -> None:
    keys = (
        TrustedKey(name="a", key=key(1).public),
        TrustedKey(name="b", key=key(2).public, scopes=("session",)),
    )
    with pytest.raises(KeyFault, match=words):
        TrustStore(keys=keys, rules=(rule,))


def test_a_rule_stands_once(key: Make) -> None:
    keys = (TrustedKey(name="a", key=key(1).public),)
    with pytest.raises(KeyFault, match="two rules are for 'plan'"):
        TrustStore(keys=keys, rules=(TrustRule(type="plan"), TrustRule(type="plan")))


@pytest.mark.parametrize("version", [0, -1, 2**53])
def test_versions_are_counted(version: int) -> None:
    with pytest.raises(KeyFault, match="out of range"):
        TrustStore(version=version)


def test_many_keys_are_refused(key: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_KEYS", 1)
    with pytest.raises(KeyFault, match="over the limit"):
        TrustStore(keys=tuple(TrustedKey(name=f"k{n}", key=key(n).public) for n in (1, 2)))


def test_many_problems_are_cut() -> None:
    with pytest.raises(KeyFault, match=r"and 5 more$"):
        raise module.trust_fault([f"problem {n}" for n in range(25)])
