"""A signature on its own: the file beside a statement, and how one is made.

Adding a signature writes a file and changes none. The file names the key that
it must verify under; whether that key counts is for the trust file to say.
"""

import base64
from typing import Final, Protocol

import msgspec

from probatum import canonical
from probatum.digest import Digest, sha256_hex
from probatum.errors import IntegrityError, KeyFault
from probatum.records.statement import PAYLOAD_TYPE
from probatum.signing.keys import SIGNATURE_SIZE, PublicKey, parse_public_key, strict_base64

MAX_SIGNATURES: Final = 16
"""Most signatures that are looked at for one statement."""

MAX_FILE: Final = 4096
FORMAT: Final = "probatum-signature/1"


class Signer(Protocol):
    """Whatever can sign: a private key here, a device elsewhere."""

    @property
    def public(self) -> PublicKey:
        """The key that verifies what `sign` makes."""
        ...

    def sign(self, message: bytes) -> bytes:
        """Return the 64 bytes of an Ed25519 signature."""
        ...


class Signature(msgspec.Struct, frozen=True):
    """One signature, not verified yet.

    Attributes:
        sig: The raw bytes; 64 of them, if it is to verify.
        key: The key that it must verify under; none where only a hint came.
        keyid: An envelope's hint at the key; proves nothing.
        problem: Why the file it came from cannot be used, or nothing.
    """

    sig: bytes
    key: PublicKey | None = None
    keyid: str = ""
    problem: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 of the raw bytes, to which time proofs are tied."""
        return sha256_hex(self.sig)


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: str
    key: str
    sig: str
    statement: str


_decoder = msgspec.json.Decoder(_File)


def pae(payload: bytes, payload_type: str = PAYLOAD_TYPE) -> bytes:
    """Return DSSE's pre-authentication encoding; lengths are counts of bytes."""
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def sign(statement: bytes, signer: Signer) -> Signature:
    """Sign the bytes of a statement.

    Args:
        statement: The payload of a stored `statement`.
        signer: Holder of the private key.
    """
    return Signature(sig=signer.sign(pae(statement)), key=signer.public)


def encode_signature(statement: Digest, signature: Signature) -> bytes:
    """Return the bytes of a detached signature file.

    Raises:
        KeyFault: If the signature does not say its key.
    """
    if signature.key is None:
        raise KeyFault("a signature without its key cannot be kept", code="key-unknown")
    return canonical.encode(
        {
            "format": FORMAT,
            "key": signature.key.openssh(),
            "sig": base64.b64encode(signature.sig).decode("ascii"),
            "statement": statement,
        }
    )


def read_signature(data: bytes, statement: Digest) -> Signature:
    """Read a detached signature file, whatever bytes it holds.

    Args:
        data: The file's bytes.
        statement: Id of the statement that the file lies beside.

    Returns:
        The signature; its `problem` says why it cannot be used, if so.
    """
    try:
        return _read(data, statement)
    except (IntegrityError, KeyFault) as error:
        return Signature(sig=b"", problem=str(error))


def hinted_key(keyid: str) -> PublicKey | None:
    """Return the key that an envelope's key id spells in full, if it does."""
    try:
        return parse_public_key(keyid)
    except KeyFault:
        return None


def _read(data: bytes, statement: Digest) -> Signature:
    if len(data) > MAX_FILE:
        raise IntegrityError(f"signature file of {len(data)} bytes is over the limit of {MAX_FILE}")
    file = canonical.decode_record(data, _decoder)
    if file.format != FORMAT:
        raise IntegrityError(f"signature file has format {file.format[:40]!r}, not {FORMAT!r}")
    if file.statement != statement:
        raise IntegrityError("signature file is for another statement")
    key = parse_public_key(file.key)
    if key.openssh() != file.key:
        raise IntegrityError("signature file spells its key with more than the key")
    sig = strict_base64(file.sig, b"+/")
    if len(sig) != SIGNATURE_SIZE:
        raise IntegrityError(f"signature has {len(sig)} bytes, not {SIGNATURE_SIZE}")
    return Signature(sig=sig, key=key)
