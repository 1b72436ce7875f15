"""Private keys on disk: round trips, permissions, places, passphrases."""

from __future__ import annotations

import base64
import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from probatum.errors import KeyFault
from probatum.signing.keyfiles import (
    PrivateKey,
    generate_key,
    load_private_key,
    read_public_key,
    save_private_key,
)

Make = Callable[[int], PrivateKey]


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    old = os.umask(request.param)
    try:
        yield request.param
    finally:
        os.umask(old)


def write(path: Path, data: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(data)
    path.chmod(mode)
    return path


def pem(key: object, passphrase: bytes | None = None) -> bytes:
    sealing = (
        serialization.BestAvailableEncryption(passphrase)
        if passphrase
        else serialization.NoEncryption()
    )
    return key.private_bytes(  # type: ignore[attr-defined, no-any-return]
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, sealing
    )


def test_two_new_keys_differ() -> None:
    assert generate_key().public != generate_key().public


def test_a_saved_key_is_private_under_any_umask(tmp_path: Path, key: Make, umask: int) -> None:
    path = tmp_path / "local"
    save_private_key(path, key(1))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_private_key(path).public == key(1).public
    assert [entry.name for entry in tmp_path.iterdir()] == ["local"]


def test_a_missing_folder_is_made_closed_to_others(tmp_path: Path, key: Make) -> None:
    save_private_key(tmp_path / "a" / "b" / "local", key(1))
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700


@pytest.mark.parametrize("existing", ["file", "dangling"])
def test_nothing_is_replaced(tmp_path: Path, key: Make, existing: str) -> None:
    path = tmp_path / "local"
    if existing == "file":
        path.write_bytes(b"kept")
    else:
        path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(KeyFault, match="exists") as caught:
        save_private_key(path, key(1))
    assert caught.value.code == "key-exists"
    assert not (tmp_path / "elsewhere").exists()
    assert [entry.name for entry in tmp_path.iterdir()] == ["local"]


def test_one_of_many_writers_wins_whole(tmp_path: Path, key: Make) -> None:
    path = tmp_path / "new" / "local"
    codes: list[str] = []

    def race(seed: int) -> None:
        try:
            save_private_key(path, key(seed))
        except KeyFault as error:
            codes.append(error.code)

    threads = [threading.Thread(target=race, args=(seed,)) for seed in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == ["key-exists"] * 7
    assert load_private_key(path).public in {key(seed).public for seed in range(1, 9)}


def test_a_folder_that_is_a_file_is_told(tmp_path: Path, key: Make) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(KeyFault, match="cannot be written") as caught:
        save_private_key(tmp_path / "file" / "local", key(1))
    assert caught.value.code == "key-unwritable"


def test_a_failed_write_leaves_nothing(
    tmp_path: Path, key: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(KeyFault, match="No space left on device"):
        save_private_key(tmp_path / "local", key(1))
    assert list(tmp_path.iterdir()) == []


def test_a_passphrase_seals_and_opens(tmp_path: Path, key: Make) -> None:
    path = tmp_path / "local"
    save_private_key(path, key(1), b"open sesame")
    assert load_private_key(path, b"open sesame").public == key(1).public
    assert read_public_key(path) == key(1).public
    for passphrase, code in [
        (None, "passphrase-missing"),
        (b"", "passphrase-missing"),
        (b"wrong", "passphrase-wrong"),
    ]:
        with pytest.raises(KeyFault) as caught:
            load_private_key(path, passphrase)
        assert caught.value.code == code
        assert caught.value.hint


def test_an_empty_passphrase_is_refused(tmp_path: Path, key: Make) -> None:
    with pytest.raises(KeyFault) as caught:
        save_private_key(tmp_path / "local", key(1), b"")
    assert caught.value.code == "empty-passphrase"


def test_a_needless_passphrase_is_passed_over(tmp_path: Path, key: Make) -> None:
    save_private_key(tmp_path / "local", key(1))
    assert load_private_key(tmp_path / "local", b"unused").public == key(1).public


def test_pkcs8_is_read(tmp_path: Path) -> None:
    inner = Ed25519PrivateKey.from_private_bytes(bytes(32))
    clear = write(tmp_path / "clear.pem", pem(inner))
    sealed = write(tmp_path / "sealed.pem", pem(inner, b"pw"))
    assert load_private_key(clear).public == load_private_key(sealed, b"pw").public
    assert read_public_key(clear) == load_private_key(clear).public
    assert read_public_key(sealed) is None
    with pytest.raises(KeyFault) as caught:
        load_private_key(sealed, b"wrong")
    assert caught.value.code == "passphrase-wrong"


def test_keys_of_other_types_are_refused(tmp_path: Path) -> None:
    big = rsa.generate_private_key(65537, 2048)
    curve = ec.generate_private_key(ec.SECP256R1())
    openssh = big.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH,
        serialization.NoEncryption(),
    )
    for name, data in [("a", pem(big)), ("b", pem(curve)), ("c", openssh)]:
        with pytest.raises(KeyFault, match="another type") as caught:
            load_private_key(write(tmp_path / name, data))
        assert caught.value.code == "key-type"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o610, 0o666])
def test_a_key_that_others_may_touch_is_refused(tmp_path: Path, key: Make, mode: int) -> None:
    path = write(tmp_path / "local", key(1).openssh(), mode)
    with pytest.raises(KeyFault, match=f"mode 0{mode:o}") as caught:
        load_private_key(path)
    assert caught.value.code == "key-exposed"
    assert caught.value.hint == f"chmod 600 {path}"


@pytest.mark.parametrize("marker", ["folder", "file"])
def test_work_trees_are_refused_both_ways(tmp_path: Path, key: Make, marker: str) -> None:
    tree = tmp_path / "tree"
    (tree / "deep").mkdir(parents=True)
    path = write(tree / "deep" / "local", key(1).openssh())
    assert load_private_key(path).public == key(1).public
    if marker == "folder":
        (tree / ".git").mkdir()
    else:
        (tree / ".git").write_text("gitdir: elsewhere\n")
    (tmp_path / "link").symlink_to(tree / "deep")
    for place in (path, tmp_path / "link" / "local", tree / "deep" / ".." / "deep" / "local"):
        with pytest.raises(KeyFault, match="git work tree") as caught:
            load_private_key(place)
        assert caught.value.code == "key-in-git"
    with pytest.raises(KeyFault, match="git work tree"):
        save_private_key(tmp_path / "link" / "new", key(1))
    assert sorted(entry.name for entry in (tree / "deep").iterdir()) == ["local"]


def test_a_relative_path_is_placed_too(
    tmp_path: Path, key: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KeyFault, match="git work tree"):
        save_private_key(Path("local"), key(1))


def test_stores_are_refused(tmp_path: Path, key: Make) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "store.json").write_text("{}")
    save_private_key(store / "first", key(1))
    (store / "store.json").write_text('{"format":"probatum-store/1","hash":"sha256"}')
    with pytest.raises(KeyFault, match="inside the store") as caught:
        save_private_key(store / "second", key(1))
    assert caught.value.code == "key-in-store"
    with pytest.raises(KeyFault, match="inside the store"):
        load_private_key(store / "first")


def test_a_missing_key_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(KeyFault) as caught:
        load_private_key(tmp_path / "local")
    assert caught.value.code == "key-missing"
    assert "key new" in caught.value.hint


def test_a_symbolic_link_is_refused(tmp_path: Path, key: Make) -> None:
    save_private_key(tmp_path / "real", key(1))
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(KeyFault, match="symbolic link") as caught:
        load_private_key(tmp_path / "link")
    assert caught.value.code == "key-symlink"


def test_a_nul_in_a_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KeyFault, match="NUL"):
        load_private_key(Path(f"{tmp_path}/a\0b"))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"",
        lambda data: b"-----BEGIN RSA PRIVATE KEY-----\n",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"b3BlbnNzaC1rZXk", b"b3BlbnNzaC1rZXl"),
        lambda data: data.replace(b"AAAA", b"!!!!", 1),
        lambda data: b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END",
        lambda data: b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        lambda data: data[:140] + b"AAAA" + data[144:],
    ],
)
def test_damage_is_told(tmp_path: Path, key: Make, change: Callable[[bytes], bytes]) -> None:
    path = write(tmp_path / "local", change(key(1).openssh()))
    with pytest.raises(KeyFault, match=r"damaged|not a private key") as caught:
        load_private_key(path)
    assert caught.value.code == "bad-key"


def test_a_private_key_is_not_printed(key: Make) -> None:
    assert "Ed25519PrivateKey" not in repr(key(1))
    assert key(1).public.verify(key(1).sign(b"m"), b"m")


def test_a_cipher_that_is_not_known_is_told(tmp_path: Path, key: Make) -> None:
    lines = key(1).openssh(b"pw").split(b"\n")
    blob = base64.b64decode(b"".join(lines[1:-2])).replace(b"aes256-ctr", b"aes999-ctr")
    data = b"\n".join((lines[0], base64.b64encode(blob), *lines[-2:]))
    with pytest.raises(KeyFault, match="of a sort that is not read") as caught:
        load_private_key(write(tmp_path / "local", data), b"pw")
    assert caught.value.code == "key-type"
