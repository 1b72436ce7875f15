"""Detached signatures: one spelling, bound to one statement and one key."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from probatum import canonical
from probatum.digest import Digest, object_id
from probatum.errors import IntegrityError, KeyFault
from probatum.signing import Signature, encode_signature, pae, read_signature, sign
from probatum.signing.keyfiles import PrivateKey
from probatum.signing.keys import strict_base64

Make = Callable[[int], PrivateKey]

STATEMENT = b'{"_type":"https://in-toto.io/Statement/v1"}'
ID = object_id("statement", STATEMENT)


def test_pae_is_the_one_of_the_dsse_document() -> None:
    given = pae(b"hello world", "http://example.com/HelloWorld")
    assert given == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_pae_counts_bytes() -> None:
    assert pae("é".encode(), "ü") == "DSSEv1 2 ü 2 é".encode()
    assert pae(b"") == b"DSSEv1 28 application/vnd.in-toto+json 0 "


def test_a_signature_comes_back(key: Make) -> None:
    signature = sign(STATEMENT, key(1))
    data = encode_signature(ID, signature)
    assert canonical.decode(data)["statement"] == ID
    again = read_signature(data, ID)
    assert again == signature
    assert again.key == key(1).public
    assert again.key.verify(again.sig, pae(STATEMENT))
    assert encode_signature(ID, sign(STATEMENT, key(1))) == data
    assert len(again.digest) == 64


def test_a_signature_without_key_is_not_kept() -> None:
    with pytest.raises(KeyFault) as caught:
        encode_signature(ID, Signature(sig=bytes(64)))
    assert caught.value.code == "key-unknown"


def changed(data: bytes, **fields: object) -> bytes:
    return canonical.encode({**canonical.decode(data), **fields})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data + b"\n", "canonical"),
        (lambda data: data.replace(b":", b": ", 1), "canonical"),
        (lambda data: data[:-1] + b',"sig":"AA=="}', "canonical"),
        (lambda data: data[:-1], "not a valid record"),
        (lambda data: b"", "not a valid record"),
        (lambda data: b"\xff" * 9, "not a valid record"),
        (lambda data: b"[" * 4000, "not a valid record"),
        (lambda data: changed(data, more="x"), "unknown field"),
        (lambda data: changed(data, format="probatum-signature/2"), "format"),
        (lambda data: changed(data, statement="0" * 64), "another statement"),
        (lambda data: changed(data, key="ssh-ed25519 AAAA"), "damaged"),
        (lambda data: changed(data, key=canonical.decode(data)["key"] + " me"), "more than"),
        (lambda data: changed(data, sig="AA=="), "has 1 bytes"),
        (lambda data: changed(data, sig="A"), "not strict"),
        (lambda data: changed(data, sig="é"), "not strict"),
        (lambda data: changed(data, sig=canonical.decode(data)["sig"].rstrip("=")), "not strict"),
        (lambda data: changed(data, sig="x" * 5000), "over the limit"),
    ],
)
def test_other_files_are_told(key: Make, change: Callable[[bytes], bytes], words: str) -> None:
    data = change(encode_signature(ID, sign(STATEMENT, key(1))))
    signature = read_signature(data, ID)
    assert words in signature.problem
    assert signature.key is None
    assert signature.sig == b""


def test_a_weak_key_in_a_file_is_told(key: Make) -> None:
    weak = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    data = changed(encode_signature(ID, sign(STATEMENT, key(1))), key=weak)
    assert "small order" in read_signature(data, ID).problem


def test_strict_base64_keeps_to_one_alphabet() -> None:
    both = (b"+/", b"-_")
    assert strict_base64("+/+/", *both) == strict_base64("-_-_", *both) == b"\xfb\xff\xbf"
    for text in ("+_+_", "-_-_", "QR==", "QQ=", "QQ==QQ=="):
        with pytest.raises(IntegrityError) as caught:
            strict_base64(text, b"+/")
        assert caught.value.code == "bad-base64"


def test_a_digest_is_a_plain_string(key: Make) -> None:
    assert read_signature(encode_signature(Digest(ID), sign(STATEMENT, key(2))), ID).problem == ""
