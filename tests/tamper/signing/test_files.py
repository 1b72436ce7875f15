"""Key and trust files where, and how, they must not be."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from probatum.errors import KeyFault
from probatum.signing import TrustedKey, TrustStore
from probatum.signing.keyfiles import PrivateKey, load_private_key, save_private_key
from probatum.signing.trustfile import encode_trust, load_trust, update_trust

Make = Callable[[int], PrivateKey]

GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


def code(action: Callable[[], object]) -> str:
    with pytest.raises(KeyFault) as caught:
        action()
    assert "\n" not in str(caught.value)
    return caught.value.code


def test_a_key_is_never_readable_while_it_is_written(
    tmp_path: Path, key: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    real = os.fchmod

    def look(descriptor: int, mode: int) -> None:
        seen.append(os.fstat(descriptor).st_mode & 0o777)
        seen.append(os.fstat(descriptor).st_size)
        real(descriptor, mode)

    monkeypatch.setattr(os, "fchmod", look)
    old = os.umask(0)
    try:
        save_private_key(tmp_path / "local", key(1))
    finally:
        os.umask(old)
    assert seen == [0o600, 0]
    assert (tmp_path / "local").stat().st_mode & 0o777 == 0o600


def test_real_work_trees(tmp_path: Path, key: Make) -> None:
    repo, linked = tmp_path / "repo", tmp_path / "linked"
    for command in (
        ["git", "init", "-q", str(repo)],
        ["git", "-C", str(repo), "-c", "user.name=n", "-c", "user.email=e", "commit", "-q",
         "--allow-empty", "-m", "m"],
        ["git", "-C", str(repo), "worktree", "add", "-q", str(linked)],
    ):  # fmt: skip
        subprocess.run(command, check=True, env={**os.environ, **GIT}, timeout=60)
    for tree in (repo, linked):
        assert (
            code(lambda tree=tree: save_private_key(tree / "sub" / "key", key(1))) == "key-in-git"
        )
        assert not (tree / "sub").exists()
        path = tree / "key"
        path.write_bytes(key(1).openssh())
        path.chmod(0o600)
        assert code(lambda path=path: load_private_key(path)) == "key-in-git"


def test_a_link_to_a_good_key_is_refused(tmp_path: Path, key: Make) -> None:
    save_private_key(tmp_path / "real", key(1))
    (tmp_path / "link").symlink_to("real")
    assert code(lambda: load_private_key(tmp_path / "link")) == "key-symlink"
    assert code(lambda: save_private_key(tmp_path / "link", key(2))) == "key-exists"


def test_odd_files_are_refused_without_hanging(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo", 0o600)
    (tmp_path / "folder").mkdir()
    (tmp_path / "large").write_bytes(b"-" * 70_000)
    (tmp_path / "large").chmod(0o600)
    assert code(lambda: load_private_key(tmp_path / "fifo")) == "key-unreadable"
    assert code(lambda: load_private_key(tmp_path / "folder")) == "key-unreadable"
    assert code(lambda: load_private_key(tmp_path / "large")) == "key-too-large"


def test_a_trust_file_behind_a_link_is_refused(tmp_path: Path, key: Make) -> None:
    trust = TrustStore(keys=(TrustedKey(name="them", key=key(2).public),))
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "trust.json").write_bytes(encode_trust(trust))
    (tmp_path / "trust.json").symlink_to(tmp_path / "bundle" / "trust.json")
    assert code(lambda: load_trust(tmp_path / "trust.json")) == "trust-symlink"
    assert code(lambda: update_trust(tmp_path / "trust.json", lambda t: t)) == "trust-symlink"


def test_an_older_trust_file_put_back_is_refused(tmp_path: Path, key: Make) -> None:
    path = tmp_path / "trust.json"
    update_trust(path, lambda trust: trust.add(TrustedKey(name="stolen", key=key(2).public)))
    yesterday = path.read_bytes()
    today = update_trust(path, lambda trust: trust.remove("stolen"))
    path.write_bytes(yesterday)
    assert code(lambda: load_trust(path, at_least=today.version)) == "trust-rollback"
