"""A person's keys, and whom they trust."""

from __future__ import annotations

from pathlib import Path

import pytest

from probatum.errors import KeyFault, NotFoundError, UsageError
from probatum.signing import TrustedKey
from probatum.signing.keyfiles import generate_key
from probatum.workspace import Keyring


def nothing(words: str) -> bytes | None:
    del words
    return None


@pytest.fixture
def ring(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "keys", tmp_path / "trust.json")


def test_the_first_run_makes_one_key_and_trusts_it(ring: Keyring) -> None:
    key, made = ring.local(nothing)
    again, twice = ring.local(nothing)
    assert (made, twice) == (True, False)
    assert key.public == again.public
    assert ring.name_of(key.public.fingerprint) == "local"


def test_a_first_run_that_was_killed_is_made_good(ring: Keyring) -> None:
    key, _ = ring.local(nothing)
    ring.trust_path.unlink()
    assert ring.local(nothing)[1] is False
    assert ring.name_of(key.public.fingerprint) == "local"


def test_a_name_that_is_taken_gets_a_number(ring: Keyring) -> None:
    ring.trust(TrustedKey(name="local", key=generate_key().public))
    key, _ = ring.local(nothing)
    assert ring.name_of(key.public.fingerprint) == "local-2"


def test_what_is_not_there_is_named(ring: Keyring) -> None:
    for look in (ring.show, ring.public_key):
        with pytest.raises(NotFoundError) as caught:
            look("nobody")
        assert "key new" in caught.value.hint
    ring.new("mine")
    with pytest.raises(NotFoundError) as known:
        ring.load("nobody", nothing)
    assert known.value.candidates == ("mine",)
    with pytest.raises(UsageError):
        ring.new("../mine")


def test_a_change_that_contradicts_the_file_leaves_it(ring: Keyring) -> None:
    ring.local(nothing)
    before = ring.trust_path.read_bytes()
    with pytest.raises(KeyFault) as caught:
        ring.trust(TrustedKey(name="local", key=generate_key().public))
    assert caught.value.code == "bad-entry"
    assert ring.trust_path.read_bytes() == before
