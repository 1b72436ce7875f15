"""Private keys on disk: made, saved and loaded so that nobody else reads them.

A file is private from its first byte: it is created under another name with
mode 0600 and linked to its own once it is whole, so that a key is either
there and complete or not there. Nothing here reads the environment; paths and
passphrases are arguments.

Reading keys loads the rest of `cryptography`, which takes longer than
verifying a session does; checkers never import this module.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from probatum.errors import KeyFault
from probatum.signing.disk import FileRule, complete_file, folder_of, read_file
from probatum.signing.keys import PublicKey, decode_base64, split_blob

_RULE: Final = FileRule(
    noun="private key",
    code="key",
    limit=64 * 1024,
    closed=0o077,
    danger="read by others",
    missing="`probatum key new` makes one",
)

_OPENSSH_HEAD: Final = b"-----BEGIN OPENSSH PRIVATE KEY-----"
_PKCS8_HEAD: Final = b"-----BEGIN PRIVATE KEY-----"
_PKCS8_SEALED_HEAD: Final = b"-----BEGIN ENCRYPTED PRIVATE KEY-----"
_MAGIC: Final = b"openssh-key-v1\x00"


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """An Ed25519 key that signs.

    Attributes:
        public: The key that others verify with.
    """

    _key: Ed25519PrivateKey = field(repr=False)
    public: PublicKey = field(init=False)

    def __post_init__(self) -> None:
        raw = self._key.public_key().public_bytes_raw()
        object.__setattr__(self, "public", PublicKey(raw))

    def sign(self, message: bytes) -> bytes:
        """Return the 64 bytes of the signature over `message`."""
        return self._key.sign(message)

    def openssh(self, passphrase: bytes | None = None) -> bytes:
        """Return the key as an OpenSSH file holds it.

        Args:
            passphrase: What it is sealed with (bcrypt, AES-256); none leaves
                the key in the clear.

        Raises:
            KeyFault: ``empty-passphrase``.
        """
        sealing: serialization.KeySerializationEncryption = serialization.NoEncryption()
        if passphrase is not None:
            if not passphrase:
                raise KeyFault("the passphrase is empty", code="empty-passphrase")
            sealing = serialization.BestAvailableEncryption(passphrase)
        return self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, sealing
        )


def generate_key() -> PrivateKey:
    """Make a new key from the system's randomness."""
    return PrivateKey(Ed25519PrivateKey.generate())


def save_private_key(path: Path, key: PrivateKey, passphrase: bytes | None = None) -> None:
    """Write a key to a new file that its owner alone can read.

    The folder is made if it is missing, closed to others. An existing file,
    even a dangling symbolic link, is never replaced.

    Raises:
        KeyFault: ``key-exists``, ``key-in-git``, ``key-in-store``,
            ``empty-passphrase``, or ``key-unwritable``.
    """
    refuse_exposed_place(path)
    data = key.openssh(passphrase)
    try:
        with folder_of(path), complete_file(path, data, 0o600) as temporary:
            _link(temporary, path)
    except OSError as error:
        raise KeyFault(
            f"key cannot be written to {path}: {error.strerror}", code="key-unwritable"
        ) from None


def _link(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path, follow_symlinks=False)
    except FileExistsError:
        raise KeyFault(
            f"{path} exists and is not replaced",
            code="key-exists",
            hint="choose another name, or move the old key away first",
        ) from None


def load_private_key(path: Path, passphrase: bytes | None = None) -> PrivateKey:
    """Read a key that OpenSSH, OpenSSL or probatum wrote.

    OpenSSH and PKCS8 PEM files are taken. A passphrase is passed over where
    the file has none.

    Raises:
        KeyFault: ``key-missing``, ``key-symlink``, ``key-exposed`` (others
            may read it), ``key-in-git``, ``key-in-store``,
            ``passphrase-missing``, ``passphrase-wrong``, ``key-type``,
            ``key-unreadable``, ``key-too-large`` or ``bad-key``.
    """
    data = _read(path)
    sealed = _is_sealed(data, path)
    if sealed and not passphrase:
        raise KeyFault(
            f"{path} needs a passphrase",
            code="passphrase-missing",
            hint="give the passphrase that the key was made with",
        )
    load = (
        serialization.load_ssh_private_key
        if data.startswith(_OPENSSH_HEAD)
        else serialization.load_pem_private_key
    )
    try:
        loaded = load(data, passphrase if sealed else None)
    except UnsupportedAlgorithm:
        raise KeyFault(
            f"{path} is of a sort that is not read",
            code="key-type",
            hint="`ssh-keygen -p -f FILE` writes it anew with a common cipher",
        ) from None
    except (ValueError, TypeError):
        if sealed:
            raise KeyFault(
                f"{path} does not open with this passphrase",
                code="passphrase-wrong",
                hint="check the passphrase; a damaged key file looks the same",
            ) from None
        raise KeyFault(f"{path} is damaged: the key in it cannot be read") from None
    if not isinstance(loaded, Ed25519PrivateKey):
        raise KeyFault(
            f"{path} holds a key of another type",
            code="key-type",
            hint="probatum signs with ssh-ed25519 keys alone",
        )
    return PrivateKey(loaded)


def read_public_key(path: Path) -> PublicKey | None:
    """Return the public half of a key file without its passphrase.

    Returns:
        None if the file keeps its public half sealed too (PKCS8).

    Raises:
        KeyFault: As `load_private_key`.
    """
    data = _read(path)
    if data.startswith(_OPENSSH_HEAD):
        return PublicKey(split_blob(_openssh_parts(data, path)[1]))
    return None if _is_sealed(data, path) else load_private_key(path).public


def refuse_exposed_place(path: Path) -> None:
    """Refuse folders whose content travels: git work trees and stores.

    Raises:
        KeyFault: ``key-in-git`` or ``key-in-store``.
    """
    if "\0" in str(path):
        raise KeyFault("a path holds a NUL character", code="key-unreadable")
    folders: set[Path] = set()
    for name in (os.path.abspath(path.parent), os.path.realpath(path.parent)):  # noqa: PTH100
        folders.update((Path(name), *Path(name).parents))
    for folder in sorted(folders):
        if os.path.lexists(folder / ".git"):
            raise KeyFault(
                f"{path} is inside the git work tree {folder}",
                code="key-in-git",
                hint="keep private keys where they cannot be committed",
            )
        if _is_store(folder):
            raise KeyFault(
                f"{path} is inside the store {folder}",
                code="key-in-store",
                hint="keep private keys where they cannot be shared",
            )


def _is_store(folder: Path) -> bool:
    try:
        with (folder / "store.json").open("rb") as file:
            return b"probatum-store/" in file.read(4096)
    except OSError:
        return False


def _read(path: Path) -> bytes:
    refuse_exposed_place(path)
    return read_file(path, _RULE)


def _is_sealed(data: bytes, path: Path) -> bool:
    if data.startswith(_OPENSSH_HEAD):
        return _openssh_parts(data, path)[0] != b"none"
    if data.startswith((_PKCS8_HEAD, _PKCS8_SEALED_HEAD)):
        return data.startswith(_PKCS8_SEALED_HEAD)
    raise KeyFault(
        f"{path} is not a private key that probatum reads",
        hint="it takes OpenSSH and PKCS8 PEM files; `probatum key new` makes one",
    )


def _openssh_parts(data: bytes, path: Path) -> tuple[bytes, bytes]:
    """Return cipher name and public key of an OpenSSH file.

    Layout after the magic: cipher, kdf, kdf options (each with a four-byte
    length), the number of keys, then the public key with its length.
    """
    lines = data.split(b"\n")[1:]
    body = b"".join(lines).partition(b"-----END")[0]
    try:
        blob = decode_base64(body.decode("ascii", "replace").replace("\r", ""))
    except KeyFault:
        raise _damaged(path) from None
    if not blob.startswith(_MAGIC):
        raise _damaged(path)
    fields: list[bytes] = []
    rest = blob[len(_MAGIC) :]
    for index in range(4):
        if index == 3:
            rest = rest[4:]
        size = int.from_bytes(rest[:4], "big")
        if len(rest) < 4 + size:
            raise _damaged(path)
        fields.append(rest[4 : 4 + size])
        rest = rest[4 + size :]
    return fields[0], fields[3]


def _damaged(path: Path) -> KeyFault:
    return KeyFault(f"{path} is damaged: the key in it cannot be read")
