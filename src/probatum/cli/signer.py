"""Opening the key that signs, before anything else is done with it."""

from __future__ import annotations

import os
from collections.abc import Callable

from probatum.cli.face import keyring, passphrase, tell
from probatum.digest import object_id
from probatum.engine.pipeline import Signed


def signer_for(name: str | None, *, quiet: bool) -> Callable[[bytes], Signed]:
    """Open a key and return what signs statements with it.

    Opening it first means that a wrong passphrase costs no call of the system.

    Args:
        name: A key's name or path; by default ``PROBATUM_KEY``, else the key
            called ``local``, which is made if it is missing.
        quiet: Whether making a key is not worth a word.
    """
    from probatum.signing import encode_signature, sign

    ring = keyring()
    chosen = name or os.environ.get("PROBATUM_KEY")
    if chosen:
        key = ring.load(chosen, passphrase)
    else:
        key, made = ring.local(passphrase)
        if made and not quiet:
            name = ring.name_of(key.public.fingerprint)
            tell(f"made a signing key: {ring.folder}/local, trusted as {name!r} from now on")

    def sign_statement(statement: bytes) -> Signed:
        signature = sign(statement, key)
        data = encode_signature(object_id("statement", statement), signature)
        return Signed(key.public.fingerprint, data)

    return sign_statement
