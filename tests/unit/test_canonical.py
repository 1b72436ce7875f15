"""Canonical JSON: what it refuses, on writing and on reading."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from probatum import canonical
from probatum.errors import CanonicalError, IntegrityError, LimitError
from probatum.records.output import Output

MAX = canonical.MAX_INT


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ({"b": 1, "a": [True, False, "x"]}, b'{"a":[true,false,"x"],"b":1}'),
        (
            '\x00\b\t\n\f\r\x1f\x7f"\\/\u2028',
            b'"\\u0000\\b\\t\\n\\f\\r\\u001f\x7f\\"\\\\/\xe2\x80\xa8"',
        ),
        ([MAX, -MAX, 0], b"[9007199254740991,-9007199254740991,0]"),
        ((), b"[]"),
        (nested(64), b"[" * 64 + b"1" + b"]" * 64),
    ],
)
def test_one_value_has_one_spelling(value: Any, data: bytes) -> None:
    assert canonical.encode(value) == data
    assert canonical.encode(canonical.decode(data)) == data


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (None, r"^\$: NoneType"),
        ({"a": 1.5}, r"^\$\.a: float"),
        ([float("nan")], r"^\$\[0\]: float"),
        ({"é": 1}, "key is not ASCII"),
        ({1: 1}, "key is not ASCII"),
        ({"a": [MAX + 1]}, r"^\$\.a\[0\]: integer"),
        (-MAX - 1, "integer"),
        ("\ud835", "lone surrogate"),
        (nested(65), "deeper than 64"),
        ({"a": b"x"}, "bytes"),
    ],
)
def test_what_has_no_form_is_refused(value: Any, place: str) -> None:
    with pytest.raises(CanonicalError, match=place):
        canonical.encode(value)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b" {}",
        b"{}\n",
        b"\xef\xbb\xbf{}",
        b'{"b":1,"a":1}',
        b'{"a":1,"a":1}',
        b'{"a": 1}',
        b'"\\u0061"',
        b'"\\/"',
        b"1.0",
        b"1e2",
        b"-0",
        b"null",
        b'{"a":null}',
        b"9007199254740992",
        b'"\xff"',
        b'"\\ud835"',
        b"[" * 65 + b"]" * 65,
        b"[" * 100_000,
    ],
)
def test_other_spellings_are_refused(data: bytes) -> None:
    with pytest.raises(IntegrityError) as caught:
        canonical.decode(data)
    assert caught.value.code == "non-canonical"


def test_records_are_read_strictly() -> None:
    decoder = msgspec.json.Decoder(Output)
    good = canonical.encode_record(Output(finish="stop", text="a"))
    assert canonical.decode_record(good, decoder) == Output(finish="stop", text="a")
    for bad, code in (
        (good + b" ", "non-canonical"),
        (good.replace(b'"a"', b'"\\u0061"'), "non-canonical"),
        (good.replace(b'"v":1', b'"v":2'), "bad-record"),
        (good.replace(b'"v":1', b'"v":1,"w":1'), "bad-record"),
        (b"[" * 100_000, "bad-record"),
        (b'"\xff"', "bad-record"),
        (b'{"finish":"stop","kind":"output","text":"a"}', "non-canonical"),
    ):
        with pytest.raises(IntegrityError) as caught:
            canonical.decode_record(bad, decoder)
        assert caught.value.code == code


def test_a_record_with_a_lone_surrogate_has_no_bytes() -> None:
    with pytest.raises(CanonicalError, match="surrogate"):
        canonical.encode_record(Output(finish="stop", text="\ud835"))


def test_foreign_json_may_be_spelled_as_it_likes() -> None:
    assert canonical.foreign_json(' {"a": [1.5, null, "\\u0061"]} ') == {"a": [1.5, None, "a"]}
    assert canonical.foreign_json(b"[]") == []


@pytest.mark.parametrize(
    ("text", "error", "code"),
    [
        ('{"a":1,"a":2}', CanonicalError, "duplicate-key"),
        ('{"a":1,"\\u0061":2}', CanonicalError, "duplicate-key"),
        ("NaN", CanonicalError, "not-canonical"),
        ("[-Infinity]", CanonicalError, "not-canonical"),
        ("{", CanonicalError, "not-canonical"),
        (b"\xff", CanonicalError, "not-canonical"),
        ("9" * 5000, CanonicalError, "not-canonical"),
        ("[" * 65 + "]" * 65, LimitError, "limit"),
        ("[" * 200_000, LimitError, "limit"),
        ('{"a":' * 65 + "1" + "}" * 65, LimitError, "limit"),
    ],
)
def test_foreign_json_with_two_meanings_is_refused(
    text: str | bytes, error: type[Exception], code: str
) -> None:
    with pytest.raises(error) as caught:
        canonical.foreign_json(text)
    assert getattr(caught.value, "code", "") == code
