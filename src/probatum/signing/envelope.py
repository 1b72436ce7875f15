"""The DSSE envelope: what is signed, how it travels, how strictly it is read.

A signature is made over the *pre-authentication encoding* of a statement's
bytes, never over an envelope, so that an envelope can be built from a stored
statement and its detached signatures whenever somebody asks for one.

Reading goes in one order: size, JSON without duplicate keys, strict base64,
and only then signatures, over the very bytes that the caller parses next.
Format: DSSE 1.0 (github.com/secure-systems-lab/dsse).
"""

import base64
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from probatum import canonical
from probatum.errors import CanonicalError, IntegrityError, LimitError
from probatum.records.statement import PAYLOAD_TYPE
from probatum.signing.keys import strict_base64
from probatum.signing.signatures import MAX_SIGNATURES, Signature

MAX_ENVELOPE: Final = 16 * 1024 * 1024
"""Largest envelope, in bytes."""

_ALPHABETS: Final = (b"+/", b"-_")


class Envelope(NamedTuple):
    """What an envelope carries; nothing of it is verified yet.

    Attributes:
        statement: The bytes that were signed and that must be parsed.
        signatures: In the order of the envelope.
    """

    statement: bytes
    signatures: tuple[Signature, ...]


def build_envelope(statement: bytes, signatures: Sequence[Signature]) -> bytes:
    """Return the envelope of a statement, as canonical JSON.

    The key id is the OpenSSH text of the key where it is known, so that
    whoever gets the file can check the signature without asking for the key.
    Equal input gives equal bytes, in whatever order the signatures come.

    Raises:
        LimitError: If there are more than 16 signatures or 16 MiB.
    """
    if len(signatures) > MAX_SIGNATURES:
        raise LimitError(f"{len(signatures)} signatures are over the limit of {MAX_SIGNATURES}")
    rows = sorted(
        {(item.key.openssh() if item.key else item.keyid, _base64(item.sig)) for item in signatures}
    )
    data = canonical.encode(
        {
            "payload": _base64(statement),
            "payloadType": PAYLOAD_TYPE,
            "signatures": [{"keyid": keyid, "sig": sig} for keyid, sig in rows],
        }
    )
    if len(data) > MAX_ENVELOPE:
        raise LimitError("the envelope is over the 16 MiB limit")
    return data


def parse_envelope(data: bytes) -> Envelope:
    """Read an envelope from anywhere; it need not be canonical.

    Fields that DSSE does not define are passed over.

    Raises:
        LimitError: If it is over 16 MiB, over 16 signatures or 64 levels deep.
        IntegrityError: ``bad-envelope`` if it is not an envelope,
            ``payload-type`` if it holds something else than a statement.
    """
    if len(data) > MAX_ENVELOPE:
        raise LimitError("the envelope is over the 16 MiB limit")
    try:
        value = canonical.foreign_json(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise _bad("it is not UTF-8") from None
    except CanonicalError as error:
        raise _bad(str(error)) from None
    if not isinstance(value, dict):
        raise _bad("it is not a JSON object")
    kind = _text(value, "payloadType")
    if kind != PAYLOAD_TYPE:
        raise IntegrityError(
            f"envelope holds {kind[:80]!r}, not {PAYLOAD_TYPE!r}", code="payload-type"
        )
    rows = value.get("signatures")
    if not isinstance(rows, list):
        raise _bad("`signatures` is not a list")
    if len(rows) > MAX_SIGNATURES:
        raise LimitError(f"{len(rows)} signatures are over the limit of {MAX_SIGNATURES}")
    statement = _bytes(value, "payload")
    return Envelope(statement, tuple(_signature(row) for row in rows))


def _signature(row: Any) -> Signature:
    if not isinstance(row, dict):
        raise _bad("a signature is not a JSON object")
    keyid = row.get("keyid", "")
    if not isinstance(keyid, str):
        raise _bad("a `keyid` is not text")
    return Signature(sig=_bytes(row, "sig"), keyid=keyid)


def _text(value: dict[str, Any], name: str) -> str:
    text = value.get(name)
    if not isinstance(text, str):
        raise _bad(f"`{name}` is missing or not text")
    return text


def _bytes(value: dict[str, Any], name: str) -> bytes:
    try:
        return strict_base64(_text(value, name), *_ALPHABETS)
    except IntegrityError:
        raise _bad(f"the base64 of `{name}` is not strict") from None


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _bad(why: str) -> IntegrityError:
    return IntegrityError(f"not a DSSE envelope: {why}", code="bad-envelope")
