"""OpenSSL verifies what probatum signs, and makes keys that probatum takes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from probatum.errors import KeyFault
from probatum.signing import build_envelope, pae, parse_envelope, sign
from probatum.signing.keyfiles import generate_key, load_private_key, read_public_key

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]

STATEMENT = b'{"_type":"https://in-toto.io/Statement/v1","text":"\xc3\xa9"}'


def verify(tool: Run, folder: Path, public: str, message: bytes, sig: bytes) -> bool:
    (folder / "public.pem").write_text(public)
    (folder / "message").write_bytes(message)
    (folder / "sig").write_bytes(sig)
    done = tool(
        "openssl", "pkeyutl", "-verify", "-rawin", "-pubin",
        "-inkey", str(folder / "public.pem"), "-in", str(folder / "message"),
        "-sigfile", str(folder / "sig"),
    )  # fmt: skip
    return done.returncode == 0


def test_openssl_verifies_our_signature(tool: Run, tmp_path: Path) -> None:
    key = generate_key()
    read = parse_envelope(build_envelope(STATEMENT, [sign(STATEMENT, key)]))
    sig = read.signatures[0].sig
    assert verify(tool, tmp_path, key.public.pem(), pae(read.statement), sig)
    assert not verify(tool, tmp_path, key.public.pem(), pae(read.statement + b" "), sig)
    assert not verify(tool, tmp_path, generate_key().public.pem(), pae(read.statement), sig)


def test_openssl_reads_our_public_key(tool: Run, tmp_path: Path) -> None:
    key = generate_key()
    (tmp_path / "public.pem").write_text(key.public.pem())
    done = tool("openssl", "pkey", "-pubin", "-in", str(tmp_path / "public.pem"), "-outform", "DER")
    assert done.returncode == 0
    assert done.stdout.endswith(key.public.raw)


def test_a_key_of_openssl_loads_and_signs(tool: Run, tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    assert tool("openssl", "genpkey", "-algorithm", "ed25519", "-out", str(path)).returncode == 0
    path.chmod(0o600)
    key = load_private_key(path)
    assert read_public_key(path) == key.public
    der = tool("openssl", "pkey", "-in", str(path), "-pubout", "-outform", "DER").stdout
    assert der.endswith(key.public.raw)
    (tmp_path / "message").write_bytes(pae(STATEMENT))
    theirs = tool(
        "openssl", "pkeyutl", "-sign", "-rawin", "-inkey", str(path),
        "-in", str(tmp_path / "message"),
    ).stdout  # fmt: skip
    assert theirs == sign(STATEMENT, key).sig


def test_a_sealed_key_of_openssl_loads(tool: Run, tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    tool(
        "openssl", "genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:pw",
        "-out", str(path),
    )  # fmt: skip
    path.chmod(0o600)
    assert load_private_key(path, b"pw").sign(b"m")
    with pytest.raises(KeyFault) as caught:
        load_private_key(path, b"other")
    assert caught.value.code == "passphrase-wrong"


@pytest.mark.parametrize("algorithm", ["x25519", "ed448"])
def test_a_key_of_another_algorithm_is_refused(tool: Run, tmp_path: Path, algorithm: str) -> None:
    path = tmp_path / "key.pem"
    tool("openssl", "genpkey", "-algorithm", algorithm, "-out", str(path))
    path.chmod(0o600)
    with pytest.raises(KeyFault) as caught:
        load_private_key(path)
    assert caught.value.code == "key-type"
