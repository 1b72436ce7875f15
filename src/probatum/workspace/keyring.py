"""The user's keys and whom they trust: a folder of key files and one trust file.

Both lie in the user's configuration folder, never in a store or a repository.
The first run makes a key called ``local`` and trusts it under that name.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from probatum.errors import KeyFault, NotFoundError, UsageError
from probatum.signing import PublicKey, TrustedKey, TrustStore, parse_public_key
from probatum.signing.trust import is_name

if TYPE_CHECKING:
    from probatum.signing.keyfiles import PrivateKey

LOCAL: Final = "local"

Ask = Callable[[str], bytes | None]
"""Asks a person for a passphrase, given the words to ask with."""


class KeyEntry(NamedTuple):
    """A private key file.

    Attributes:
        public: None if the file keeps its public half sealed, or is damaged.
        problem: Why it cannot be used, or nothing.
    """

    name: str
    path: Path
    public: PublicKey | None
    problem: str


class Keyring:
    """Keys and trust of one person on one machine.

    Args:
        folder: Holds one OpenSSH private key file a name.
        trust: The trust file; it need not exist.
    """

    def __init__(self, folder: Path, trust: Path) -> None:
        self.folder = folder
        self.trust_path = trust

    def keys(self) -> list[KeyEntry]:
        """List the key files, sorted by name."""
        if not self.folder.is_dir():
            return []
        paths = sorted(path for path in self.folder.iterdir() if not path.name.startswith("."))
        return [self.entry(path.name) for path in paths]

    def entry(self, name: str) -> KeyEntry:
        """Look at one key file without opening its private half."""
        from probatum.signing.keyfiles import read_public_key

        path = self._path(name)
        try:
            return KeyEntry(name, path, read_public_key(path), "")
        except KeyFault as error:
            return KeyEntry(name, path, None, str(error))

    def show(self, name: str) -> tuple[KeyEntry, PublicKey]:
        """Return a key file and its public half.

        Raises:
            NotFoundError: If there is no such key.
            KeyFault: If its public half cannot be read.
        """
        from probatum.signing.keyfiles import read_public_key

        path = self._path(name)
        if not path.exists():
            raise self._unknown(name)
        public = read_public_key(path)
        if public is None:
            raise KeyFault(
                f"{path} keeps its public half sealed",
                code="key-sealed",
                hint="`ssh-keygen -y -f FILE` shows it",
            )
        return KeyEntry(name, path, public, ""), public

    def new(self, name: str, passphrase: bytes | None = None) -> PublicKey:
        """Make a key in the folder; an existing one is never replaced.

        Raises:
            UsageError: If it may not be called so.
            KeyFault: If there is one, or the folder cannot be written.
        """
        from probatum.signing.keyfiles import generate_key, save_private_key

        # A key's file is called like its entry in the trust file.
        if not is_name(name):
            raise UsageError(
                f"not a name for a key: {name[:80]!r}",
                code="bad-name",
                hint="use letters, digits and . _ @ + -, 64 at most, a letter or digit first",
            )
        key = generate_key()
        save_private_key(self._path(name), key, passphrase)
        return key.public

    def local(self, ask: Ask) -> tuple[PrivateKey, bool]:
        """Return the key called ``local``, and whether it was made just now.

        A key that is made is trusted under that name, too.
        """
        from probatum.signing.keyfiles import generate_key, save_private_key

        path = self._path(LOCAL)
        made = False
        if not path.exists():
            key = generate_key()
            try:
                save_private_key(path, key)
                made = True
            except KeyFault as error:
                if error.code != "key-exists":
                    raise
                # Another first run was faster: its key is the one to use.
        if not made:
            key = self.load(str(path), ask)
        if made or self.trusted() is None:
            # A first run that was killed half-way left a key and no trust file.
            self._update(lambda trust: _with_own(trust, key.public))
        return key, made

    def load(self, name: str, ask: Ask) -> PrivateKey:
        """Open a private key, by its name here or by a path.

        Args:
            name: A name without a slash is looked up in the folder first.
            ask: Called when the file is sealed.
        """
        from probatum.signing.keyfiles import load_private_key

        path = Path(name)
        if "/" not in name and self._path(name).exists():
            path = self._path(name)
        elif not path.exists():
            raise self._unknown(name)
        try:
            return load_private_key(path)
        except KeyFault as error:
            if error.code != "passphrase-missing":
                raise
        passphrase = ask(f"Passphrase of {path}")
        if not passphrase:
            raise KeyFault(
                f"{path} needs a passphrase",
                code="passphrase-missing",
                hint="set PROBATUM_PASSPHRASE, or run on a terminal",
            )
        return load_private_key(path, passphrase)

    def trusted(self, *, required: bool = False) -> TrustStore | None:
        """Read the trust file.

        Args:
            required: Whether a missing file is an error.
        """
        from probatum.signing.trustfile import load_trust

        if not required and not self.trust_path.exists() and not self.trust_path.is_symlink():
            return None
        try:
            return load_trust(self.trust_path)
        except KeyFault as error:
            if error.code != "bad-trust":
                raise
            raise KeyFault(
                f"{self.trust_path}: {error}",
                code=error.code,
                hint=error.hint or "mend the file, or move it away and use `probatum trust add`",
            ) from None

    def trust(self, *entries: TrustedKey) -> TrustStore:
        """Trust more keys."""
        return self._update(lambda trust: trust.add(*entries))

    def distrust(self, name: str) -> TrustStore:
        """Take a key out of the trust file."""
        self.trusted(required=True)
        return self._update(lambda trust: trust.remove(name))

    def amend(self, name: str, change: Callable[[TrustedKey], TrustedKey]) -> TrustStore:
        """Change the entry of one trusted key."""

        def edit(trust: TrustStore) -> TrustStore:
            found = trust.find(name)
            if found is None:
                raise NotFoundError(
                    f"no trusted key is called {name!r}",
                    code="key-unknown",
                    candidates=[key.name for key in trust.keys],
                    hint="`probatum trust list` shows them",
                )
            return trust.amend(change(found))

        self.trusted(required=True)
        return self._update(edit)

    def import_allowed_signers(self, data: bytes, zone: tzinfo) -> tuple[list[str], list[str]]:
        """Trust the keys of an OpenSSH ``allowed_signers`` file.

        Returns:
            Names of the keys added, and why other lines were passed over.
        """
        from probatum.signing.allowed_signers import import_allowed_signers

        added: list[str] = []
        skipped: list[str] = []

        def edit(trust: TrustStore) -> TrustStore:
            found = import_allowed_signers(trust, data, zone=zone)
            added.extend(key.name for key in found.added)
            skipped.extend(found.skipped)
            return found.trust

        self._update(edit)
        return added, skipped

    def public_key(self, text: str) -> PublicKey:
        """Read a public key: an ``ssh-ed25519`` line, a ``.pub`` file, or a key's name here."""
        if text.startswith("ssh-"):
            return parse_public_key(text)
        if "/" not in text and self._path(text).exists():
            return self.show(text)[1]
        path = Path(text)
        if not path.is_file():
            raise self._unknown(text)
        line = path.read_bytes()[:4096].decode("utf-8", "replace").strip()
        return parse_public_key(line)

    def name_of(self, fingerprint: str) -> str:
        """Return what the trust file calls a key, or nothing."""
        trust = self.trusted()
        keys = trust.keys if trust else ()
        return next((key.name for key in keys if key.key.fingerprint == fingerprint), "")

    def _update(self, edit: Callable[[TrustStore], TrustStore]) -> TrustStore:
        from probatum.signing.trustfile import update_trust

        self.trusted()
        try:
            return update_trust(self.trust_path, edit)
        except KeyFault as error:
            if error.code != "bad-trust":
                raise
            # The file could be read just now: it is the change that is wrong.
            raise KeyFault(
                f"{self.trust_path} is left as it was: {error}",
                code="bad-entry",
                hint="`probatum trust list` shows what is trusted",
            ) from None

    def _path(self, name: str) -> Path:
        if name in {"", ".", ".."} or "/" in name or name.startswith(".") or "\x00" in name:
            if "/" in name:
                return Path(name)
            raise UsageError(f"not a name for a key: {name!r}")
        return self.folder / name

    def _unknown(self, name: str) -> NotFoundError:
        known = [entry.name for entry in self.keys()]
        hint = f"known keys: {', '.join(known)}" if known else "`probatum key new` makes one"
        return NotFoundError(f"no key {name!r}", code="key-missing", candidates=known, hint=hint)


def _with_own(trust: TrustStore, key: PublicKey) -> TrustStore:
    """Trust a key of one's own, unless another first run has just done so."""
    if any(entry.key == key for entry in trust.keys):
        return trust
    taken = {entry.name for entry in trust.keys}
    number = 1
    while (name := LOCAL if number == 1 else f"{LOCAL}-{number}") in taken:
        number += 1
    return trust.add(TrustedKey(name=name, key=key))
