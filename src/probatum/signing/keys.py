"""Ed25519 public keys: which ones are taken, how they are written and named.

The signature primitive is `cryptography`'s. It takes any 32 bytes as a key,
among them the eight points of small order, under which almost any message has
a signature that nobody made. A key of this module is therefore a point of the
curve, spelled canonically, whose order is not small; nothing else exists.

Curve constants and the rule for the x coordinate: RFC 8032, section 5.1.
OpenSSH's spelling of a key: RFC 8709.
"""

import base64
import hashlib
from typing import Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from probatum.errors import IntegrityError, KeyFault

KEY_TYPE: Final = "ssh-ed25519"
KEY_SIZE: Final = 32
SIGNATURE_SIZE: Final = 64
SHORT: Final = 4
"""Hex digits of a fingerprint that people see where room is scarce."""

_P: Final = 2**255 - 19
_L: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, -1, _P) % _P
_ORDER_8: Final = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)
_SMALL_ORDER: Final = frozenset({0, 1, _P - 1, _ORDER_8, _P - _ORDER_8})
_BLOB_HEAD: Final = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20"
_SPKI_HEAD: Final = bytes.fromhex("302a300506032b6570032100")


class PublicKey(msgspec.Struct, frozen=True, order=True):
    """A usable Ed25519 public key; two are equal when their 32 bytes are.

    Args:
        raw: The 32 bytes of RFC 8032.

    Raises:
        KeyFault: ``weak-key`` if the point has small order or its encoding is
            not canonical, ``bad-key`` if it is no point of the curve.
    """

    raw: bytes

    def __post_init__(self) -> None:
        if len(self.raw) != KEY_SIZE:
            raise KeyFault(f"an Ed25519 key has {KEY_SIZE} bytes, not {len(self.raw)}")
        y = int.from_bytes(self.raw, "little") & (2**255 - 1)
        if y >= _P:
            raise KeyFault("Ed25519 key is not canonically encoded", code="weak-key")
        if y in _SMALL_ORDER:
            raise KeyFault(
                "Ed25519 key has small order: anybody can sign for it",
                code="weak-key",
                hint="such a key is made on purpose; ask its owner for another",
            )
        numerator, denominator = (y * y - 1) % _P, (_D * y * y + 1) % _P
        if pow(numerator * denominator, (_P - 1) // 2, _P) != 1:
            raise KeyFault("Ed25519 key is not a point of the curve")

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the 32 bytes, as 64 lower-case hex digits."""
        return hashlib.sha256(self.raw).hexdigest()

    def short(self, digits: int = SHORT) -> str:
        """Return the first digits of the fingerprint, for people only."""
        return self.fingerprint[:digits]

    @property
    def ssh_fingerprint(self) -> str:
        """The fingerprint as ``ssh-keygen -l`` prints it."""
        digest = hashlib.sha256(_BLOB_HEAD + self.raw).digest()
        return "SHA256:" + base64.b64encode(digest).decode("ascii").rstrip("=")

    def openssh(self, comment: str = "") -> str:
        """Return the line of a ``.pub`` file, without line end."""
        blob = base64.b64encode(_BLOB_HEAD + self.raw).decode("ascii")
        return f"{KEY_TYPE} {blob} {comment}".rstrip()

    def pem(self) -> str:
        """Return the SubjectPublicKeyInfo PEM that ``openssl`` reads."""
        body = base64.b64encode(_SPKI_HEAD + self.raw).decode("ascii")
        return f"-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n"

    def verify(self, signature: bytes, message: bytes) -> bool:
        """Tell whether `signature` over `message` was made with this key.

        A scalar of L or more is refused, so that no signature has a twin.
        """
        if not is_signature(signature):
            return False
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except InvalidSignature:
            return False
        return True


def is_signature(data: bytes) -> bool:
    """Tell whether some key can verify `data`: 64 bytes, with a scalar below L."""
    return len(data) == SIGNATURE_SIZE and int.from_bytes(data[32:], "little") < _L


def parse_public_key(text: str) -> PublicKey:
    """Read ``ssh-ed25519 AAAA… comment``; the comment is dropped.

    Raises:
        KeyFault: ``key-type`` for keys of another algorithm, ``bad-key`` or
            ``weak-key`` for others that cannot be used.
    """
    words = text.split(maxsplit=2)
    if len(words) < 2:
        raise KeyFault(
            f"not an OpenSSH public key: {text[:60]!r}", hint="it reads `ssh-ed25519 AAAA… name`"
        )
    if words[0] != KEY_TYPE:
        raise KeyFault(
            f"key type {words[0][:40]!r} is not taken",
            code="key-type",
            hint="probatum signs with ssh-ed25519 keys alone",
        )
    return PublicKey(split_blob(decode_base64(words[1])))


def split_blob(blob: bytes) -> bytes:
    """Return the 32 bytes inside OpenSSH's binary form of a public key.

    Raises:
        KeyFault: If it is the form of anything else.
    """
    if not blob.startswith(_BLOB_HEAD) or len(blob) != len(_BLOB_HEAD) + KEY_SIZE:
        raise KeyFault("public key is damaged: its inner length or type is wrong")
    return blob[len(_BLOB_HEAD) :]


def decode_base64(text: str) -> bytes:
    """Decode what a key file holds: the standard alphabet, in its only spelling.

    Raises:
        KeyFault: If the text is not what encoding its bytes gives.
    """
    try:
        return strict_base64(text, b"+/")
    except IntegrityError:
        raise KeyFault("public key is damaged: not base64 in its only spelling") from None


def strict_base64(text: str, *alphabets: bytes) -> bytes:
    """Decode padded base64 in its only spelling.

    Args:
        text: What to decode.
        alphabets: The last two characters of each alphabet that is taken;
            `text` keeps to one of them.

    Raises:
        IntegrityError: For line ends, other characters, missing padding, or
            set bits behind the end.
    """
    for altchars in alphabets:
        try:
            data = base64.b64decode(text, altchars=altchars, validate=True)
        except ValueError:
            continue
        if base64.b64encode(data, altchars=altchars).decode("ascii") == text:
            return data
    raise IntegrityError("base64 is not strict", code="bad-base64")
