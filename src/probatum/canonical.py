"""Canonical JSON: one spelling for one value, so that hashes mean something.

The form is RFC 8785 (JCS) in a narrowed profile: ASCII keys, no null, no
floats, integers within ±(2^53 − 1), well-formed Unicode, at most 64 levels.
In this profile msgspec's sorted encoder writes exactly JCS bytes, which a
property test holds against an independent implementation.

Reading is strict: what is decoded must encode to the very bytes it came from.
That one comparison refuses duplicate keys, white space, other escapes, other
spellings of numbers and a byte-order mark.
"""

import json
from typing import Any, Final, TypeVar

import msgspec

from probatum.errors import CanonicalError, IntegrityError, LimitError

MAX_INT: Final = 2**53 - 1
MAX_DEPTH: Final = 64

_encoder = msgspec.json.Encoder(order="sorted")
_T = TypeVar("_T")


def encode_record(record: msgspec.Struct) -> bytes:
    """Encode a record, whose type already keeps it inside the profile.

    Raises:
        CanonicalError: If a string holds a lone surrogate.
    """
    try:
        return _encoder.encode(record)
    except UnicodeEncodeError:
        raise CanonicalError("text holds a lone surrogate") from None


def encode(value: object) -> bytes:
    """Encode plain JSON values (dict, list, tuple, str, int, bool).

    Raises:
        CanonicalError: If the value is outside the profile; the message
            names the first offending place.
    """
    _check(value, "$", 0)
    return _encoder.encode(value)


def decode(data: bytes) -> Any:
    """Decode canonical bytes to plain values.

    Raises:
        IntegrityError: If `data` is not canonical JSON.
    """
    try:
        value = msgspec.json.decode(data)
        if encode(value) == data:
            return value
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, CanonicalError) as error:
        raise IntegrityError(f"not canonical JSON: {error}", code="non-canonical") from None
    raise IntegrityError("not canonical JSON", code="non-canonical")


def decode_record(data: bytes, decoder: msgspec.json.Decoder[_T]) -> _T:
    """Decode bytes to a record and make sure they were canonical.

    Raises:
        IntegrityError: If the bytes do not fit the type (``bad-record``) or
            are not the record's only spelling (``non-canonical``).
    """
    try:
        record = decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise IntegrityError(f"not a valid record: {error}", code="bad-record") from None
    if _encoder.encode(record) != data:
        raise IntegrityError("record is not in canonical form", code="non-canonical")
    return record


def foreign_json(text: str | bytes) -> Any:
    """Parse JSON that others wrote, refusing what has two meanings.

    Duplicate keys, NaN and Infinity, and nesting beyond 64 levels are refused.

    Raises:
        LimitError: If it nests too deeply.
        CanonicalError: If it is not JSON, or is ambiguous.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise CanonicalError("JSON object has a duplicate key", code="duplicate-key")
        return found

    def refuse(name: str) -> Any:
        raise CanonicalError(f"JSON holds {name}")

    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
    except RecursionError:
        raise LimitError(f"JSON nests deeper than {MAX_DEPTH} levels") from None
    except ValueError as error:
        raise CanonicalError(f"not JSON: {error}") from None
    _check_depth(value)
    return value


def _check_depth(value: object) -> None:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        containers = [item for item in level if isinstance(item, (dict, list))]
        if not containers:
            return
        level = []
        for item in containers:
            level.extend(item.values() if isinstance(item, dict) else item)
    raise LimitError(f"JSON nests deeper than {MAX_DEPTH} levels")


def _check(value: object, path: str, depth: int) -> None:
    if value is True or value is False:
        return
    if depth >= MAX_DEPTH and isinstance(value, (dict, list, tuple)):
        raise CanonicalError(f"{path}: nests deeper than {MAX_DEPTH} levels")
    if isinstance(value, str):
        _check_text(value, path)
    elif isinstance(value, int):
        if not -MAX_INT <= value <= MAX_INT:
            raise CanonicalError(f"{path}: integer beyond 2^53 - 1")
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str) or not key.isascii():
                raise CanonicalError(f"{path}: key is not ASCII text: {key!r}")
            _check(item, f"{path}.{key}", depth + 1)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            _check(item, f"{path}[{index}]", depth + 1)
    else:
        raise CanonicalError(f"{path}: {type(value).__name__} has no canonical form")


def _check_text(value: str, path: str) -> None:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise CanonicalError(f"{path}: text holds a lone surrogate") from None
