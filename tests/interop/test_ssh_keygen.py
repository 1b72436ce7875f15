"""OpenSSH reads probatum's keys, and probatum reads OpenSSH's keys and trust."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from probatum.errors import KeyFault
from probatum.signing import (
    State,
    TrustStore,
    evaluate,
    pae,
    parse_public_key,
    sign,
)
from probatum.signing.allowed_signers import import_allowed_signers
from probatum.signing.keyfiles import (
    generate_key,
    load_private_key,
    read_public_key,
    save_private_key,
)

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]

STATEMENT = b"{}"
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def make(tool: Run, path: Path, *options: str, passphrase: str = "") -> None:
    done = tool(
        "ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "me", "-f", str(path), *options
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("passphrase", [None, b"open sesame"])
def test_openssh_reads_our_key(tool: Run, tmp_path: Path, passphrase: bytes | None) -> None:
    key = generate_key()
    path = tmp_path / "local"
    save_private_key(path, key, passphrase)
    words = (passphrase or b"").decode()
    printed = tool("ssh-keygen", "-y", "-P", words, "-f", str(path))
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout.decode().split()[:2] == key.public.openssh().split()
    listed = tool("ssh-keygen", "-l", "-f", str(path))
    assert listed.stdout.decode().split()[1] == key.public.ssh_fingerprint
    assert read_public_key(path) == key.public


def test_openssh_reads_our_public_line(tool: Run, tmp_path: Path) -> None:
    key = generate_key()
    (tmp_path / "local.pub").write_text(key.public.openssh("me") + "\n")
    listed = tool("ssh-keygen", "-l", "-f", str(tmp_path / "local.pub")).stdout.decode().split()
    assert listed == ["256", key.public.ssh_fingerprint, "me", "(ED25519)"]


@pytest.mark.parametrize("passphrase", ["", "open sesame", "ünïcödé"])
def test_a_key_of_openssh_loads_and_signs(tool: Run, tmp_path: Path, passphrase: str) -> None:
    path = tmp_path / "id"
    make(tool, path, passphrase=passphrase)
    key = load_private_key(path, passphrase.encode() or None)
    line = (tmp_path / "id.pub").read_text()
    assert parse_public_key(line) == key.public == read_public_key(path)
    assert key.public.verify(sign(STATEMENT, key).sig, pae(STATEMENT))


def test_openssh_opens_what_we_seal_again(tool: Run, tmp_path: Path) -> None:
    path = tmp_path / "id"
    make(tool, path)
    public = read_public_key(path)
    path.write_bytes(load_private_key(path).openssh(b"pw"))
    assert load_private_key(path, b"pw").public == public
    changed = tool("ssh-keygen", "-p", "-P", "pw", "-N", "", "-f", str(path))
    assert changed.returncode == 0, changed.stderr
    assert load_private_key(path).public == public


def test_a_cipher_that_is_not_read_is_told(tool: Run, tmp_path: Path) -> None:
    path = tmp_path / "id"
    make(tool, path, "-Z", "chacha20-poly1305@openssh.com", passphrase="pw")
    with pytest.raises(KeyFault, match="not read") as caught:
        load_private_key(path, b"pw")
    assert caught.value.code == "key-type"
    assert "ssh-keygen -p" in caught.value.hint


def test_a_key_of_another_type_is_refused(tool: Run, tmp_path: Path) -> None:
    path = tmp_path / "id"
    tool("ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-f", str(path))
    with pytest.raises(KeyFault) as caught:
        load_private_key(path)
    assert caught.value.code == "key-type"
    with pytest.raises(KeyFault):
        read_public_key(path)


def test_allowed_signers_mean_the_same_to_both(tool: Run, tmp_path: Path) -> None:
    path, message = tmp_path / "id", tmp_path / "message"
    make(tool, path)
    message.write_bytes(STATEMENT)
    line = (tmp_path / "id.pub").read_text().strip()
    signed = tool("ssh-keygen", "-Y", "sign", "-f", str(path), "-n", "probatum", str(message))
    assert signed.returncode == 0, signed.stderr
    ours = [sign(STATEMENT, load_private_key(path))]
    for options, good in [
        ("", True),
        ('namespaces="git,probatum"', True),
        ('namespaces="git"', False),
        ('valid-after="20250101Z",valid-before="20270101Z"', True),
        ('valid-before="20250101Z"', False),
        ('valid-after="20270101Z"', False),
    ]:
        signers = tmp_path / "allowed_signers"
        signers.write_text(f"me@example.com {options} {line}\n")
        theirs = tool(
            "ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", "me@example.com",
            "-n", "probatum", "-s", f"{message}.sig", "-O", "verify-time=20260601000000Z",
            data=STATEMENT,
        )  # fmt: skip
        assert (theirs.returncode == 0) is good, (options, theirs.stderr)
        trust = import_allowed_signers(TrustStore(), signers.read_bytes(), zone=UTC).trust
        report = evaluate(STATEMENT, ours, trust, statement_type="session", now=NOW)
        assert (report.state is State.TRUSTED) is good, options
