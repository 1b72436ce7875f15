"""The trust file on disk: strict reading, every problem, safe changing."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from probatum.digest import sha256_hex
from probatum.errors import KeyFault
from probatum.signing import KeyState, TrustedKey, TrustRule, TrustStore
from probatum.signing.keyfiles import PrivateKey
from probatum.signing.trustfile import encode_trust, load_trust, parse_trust, update_trust

Make = Callable[[int], PrivateKey]


@pytest.fixture
def full(key: Make) -> TrustStore:
    return TrustStore(
        version=7,
        keys=(
            TrustedKey(name="plain", key=key(1).public),
            TrustedKey(
                name="full@example.com",
                key=key(2).public,
                state=KeyState.REVOKED,
                valid_after=datetime(2025, 1, 1, tzinfo=UTC),
                valid_before=datetime(2026, 1, 1, tzinfo=UTC),
                revoked_from=datetime(2025, 6, 1, tzinfo=UTC),
                scopes=("plan", "session"),
            ),
        ),
        rules=(TrustRule(type="session", threshold=2), TrustRule(type="plan", keys=("plain",))),
    )


def test_a_file_comes_back(full: TrustStore) -> None:
    data = encode_trust(full)
    again = parse_trust(data)
    assert again.digest == sha256_hex(data)
    assert (again.keys, again.rules, again.version) == (full.keys, full.rules, 7)
    assert encode_trust(again) == data
    assert data.endswith(b"}\n")


def test_defaults_of_a_hand_written_file(key: Make) -> None:
    text = key(1).public.openssh("a comment")
    data = json.dumps({"format": "probatum-trust/1", "keys": [{"name": "me", "key": text}]})
    trust = parse_trust(data.encode())
    assert trust.version == 1
    assert trust.rules == ()
    assert trust.keys == (TrustedKey(name="me", key=key(1).public),)


def problems(value: Any) -> str:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    with pytest.raises(KeyFault) as caught:
        parse_trust(data)
    assert caught.value.code == "bad-trust"
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON"),
        (b"\xff", "not UTF-8"),
        (b"[]", "not a JSON object"),
        (b'{"keys":[],"keys":[]}', "duplicate key"),
        (b'{"a":' + b"[" * 90 + b"]" * 90 + b"}", "64 levels"),
        ({}, "format is not 'probatum-trust/1'; keys is missing"),
        ({"format": "probatum-trust/2", "keys": []}, "format is not"),
        ({"format": "probatum-trust/1", "keys": {}}, "keys is missing or not a list"),
        ({"format": "probatum-trust/1", "keys": [], "version": True}, "version is not a whole"),
        ({"format": "probatum-trust/1", "keys": [], "version": 1.5}, "version is not a whole"),
        ({"format": "probatum-trust/1", "keys": [], "version": 0}, "out of range"),
        ({"format": "probatum-trust/1", "keys": [], "rule": []}, "did you mean 'rules'"),
        ({"format": "probatum-trust/1", "keys": [], "rules": None}, "rules is missing or not"),
        ({"format": "probatum-trust/1", "keys": [1], "rules": [2]}, "keys[0] is not a JSON"),
    ],
)
def test_shapes_are_checked(data: Any, words: str) -> None:
    assert words in problems(data)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"key": None}, "keys[0].key is missing"),
        ({"key": "ssh-rsa AAAA"}, "keys[0].key: key type 'ssh-rsa' is not taken"),
        ({"name": 5}, "keys[0].name is missing"),
        ({"state": "retird"}, "keys[0].state: unknown state 'retird'; did you mean 'retired'"),
        ({"state": {}}, "keys[0].state"),
        ({"scopes": "session"}, "keys[0].scopes is missing or not a list"),
        ({"scopes": []}, "keys[0].scopes is empty"),
        ({"scopes": [1]}, "keys[0].scopes holds something else"),
        ({"valid_after": "2026-01-01"}, "keys[0].valid_after is not a time"),
        ({"valid_after": "2026-1-01T00:00:00Z"}, "keys[0].valid_after is not a time"),
        ({"valid_before": None}, "keys[0].valid_before is not a time"),
        ({"valid_until": "x"}, "keys[0]: unknown field 'valid_until'"),
    ],
)
def test_keys_are_checked(key: Make, fields: dict[str, Any], words: str) -> None:
    entry = {"name": "a", "key": key(1).public.openssh(), **fields}
    assert words in problems({"format": "probatum-trust/1", "keys": [entry]})


def test_every_problem_is_told_at_once(key: Make) -> None:
    told = problems(
        {
            "format": "probatum-trust/1",
            "keys": [{"name": "a", "key": "x"}, {"name": "b", "state": "no"}],
            "rules": [{"type": "session", "threshold": "2"}, {"threshold": 1, "keys": []}],
            "extra": 1,
        }
    )
    for words in (
        "unknown field 'extra'",
        "keys[0].key",
        "keys[1].key",
        "keys[1].state",
        "rules[0].threshold is not a whole number",
        "rules[1].type is missing",
        "rules[1].keys is empty",
    ):
        assert words in told


def test_a_file_is_made_and_changed(tmp_path: Path, key: Make) -> None:
    path = tmp_path / "conf" / "trust.json"
    local = TrustedKey(name="local", key=key(1).public)
    first = update_trust(path, lambda trust: trust.add(local))
    assert first == load_trust(path)
    assert (first.version, first.digest) == (1, sha256_hex(path.read_bytes()))
    before = path.stat().st_ino
    assert update_trust(path, lambda trust: trust) == first
    assert path.stat().st_ino == before
    second = update_trust(path, lambda trust: trust.remove("local"))
    assert (second.version, second.keys) == (2, ())
    assert [entry.name for entry in path.parent.iterdir()] == ["trust.json"]
    assert path.stat().st_mode & 0o777 == 0o644


def test_an_edit_that_fails_changes_nothing(tmp_path: Path, key: Make) -> None:
    path = tmp_path / "trust.json"
    update_trust(path, lambda trust: trust.add(TrustedKey(name="a", key=key(1).public)))
    before = path.read_bytes()
    with pytest.raises(KeyFault, match="two keys are called"):
        update_trust(path, lambda trust: trust.add(TrustedKey(name="a", key=key(2).public)))
    assert path.read_bytes() == before


def test_a_full_disk_changes_nothing(
    tmp_path: Path, key: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "trust.json"

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(KeyFault, match="No space left") as caught:
        update_trust(path, lambda trust: trust.add(TrustedKey(name="a", key=key(1).public)))
    assert caught.value.code == "trust-unwritable"
    assert list(tmp_path.iterdir()) == []


def test_all_of_many_changes_are_kept(tmp_path: Path, key: Make) -> None:
    path = tmp_path / "trust.json"

    def add(seed: int) -> None:
        entry = TrustedKey(name=f"k{seed}", key=key(seed).public)
        update_trust(path, lambda trust: trust.add(entry))

    threads = [threading.Thread(target=add, args=(seed,)) for seed in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    trust = load_trust(path)
    assert trust.version == 8
    assert len(trust.keys) == 8


def test_files_that_are_refused(tmp_path: Path, full: TrustStore) -> None:
    real = tmp_path / "real.json"
    real.write_bytes(encode_trust(full))
    assert load_trust(real, at_least=7).version == 7
    (tmp_path / "link.json").symlink_to(real)
    (tmp_path / "dangling.json").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "fifo.json")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "large.json").write_bytes(b" " * (1024 * 1024 + 1))
    (tmp_path / "open.json").write_bytes(real.read_bytes())
    (tmp_path / "open.json").chmod(0o666)
    for name, code in [
        ("none.json", "trust-missing"),
        ("link.json", "trust-symlink"),
        ("dangling.json", "trust-symlink"),
        ("fifo.json", "trust-unreadable"),
        ("folder.json", "trust-unreadable"),
        ("large.json", "trust-too-large"),
        ("open.json", "trust-exposed"),
        ("real.json/x", "trust-unreadable"),
        ("nul\0.json", "trust-unreadable"),
    ]:
        with pytest.raises(KeyFault) as caught:
            load_trust(tmp_path / name)
        assert caught.value.code == code, name
    with pytest.raises(KeyFault) as caught:
        update_trust(tmp_path / "link.json", lambda trust: trust)
    assert caught.value.code == "trust-symlink"


def test_an_older_version_is_refused(tmp_path: Path, full: TrustStore) -> None:
    path = tmp_path / "trust.json"
    path.write_bytes(encode_trust(full))
    with pytest.raises(KeyFault, match="version 7, but 8 was seen") as caught:
        load_trust(path, at_least=8)
    assert caught.value.code == "trust-rollback"
