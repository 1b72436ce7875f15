"""Public keys: known vectors, every refused point, OpenSSH's spelling."""

from __future__ import annotations

import base64

import pytest

from probatum.errors import KeyFault
from probatum.signing import PublicKey, parse_public_key
from probatum.signing.keys import decode_base64, is_signature, split_blob

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P

# RFC 8032, section 7.1: public key, message, signature.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
]


def raw(y: int, sign: int = 0) -> bytes:
    return (y | sign << 255).to_bytes(32, "little")


def small_order_ys() -> set[int]:
    """Derive y of all points of small order from the doubling formula.

    (x, y) has order 8 when doubling it gives a point with y = 0, that is when
    x² = -y²; with the curve equation, d·y⁴ + 2·y² - 1 = 0.
    """
    root = pow(1 + D, (P + 3) // 8, P)
    if root * root % P != (1 + D) % P:
        root = root * pow(2, (P - 1) // 4, P) % P
    assert root * root % P == (1 + D) % P
    ys = {0, 1, P - 1}
    for numerator in (-1 + root, -1 - root):
        square = numerator * pow(D, -1, P) % P
        y = pow(square, (P + 3) // 8, P)
        for candidate in (y, y * pow(2, (P - 1) // 4, P) % P):
            if candidate * candidate % P == square:
                ys |= {candidate, P - candidate}
    return ys


@pytest.mark.parametrize(("public", "message", "signature"), VECTORS)
def test_known_vectors_verify(public: str, message: str, signature: str) -> None:
    key = PublicKey(bytes.fromhex(public))
    assert key.verify(bytes.fromhex(signature), bytes.fromhex(message))
    assert not key.verify(bytes.fromhex(signature), bytes.fromhex(message) + b"\0")


@pytest.mark.parametrize("sign", [0, 1])
@pytest.mark.parametrize("y", sorted(small_order_ys()))
def test_points_of_small_order_are_refused(y: int, sign: int) -> None:
    with pytest.raises(KeyFault, match="small order") as caught:
        PublicKey(raw(y, sign))
    assert caught.value.code == "weak-key"
    assert caught.value.hint


def test_there_are_eight_points_of_small_order() -> None:
    ys = small_order_ys()
    assert len(ys) == 5
    # y = ±1 have x = 0, the others have two x each.
    assert sum(1 if y in (1, P - 1) else 2 for y in ys) == 8


@pytest.mark.parametrize("sign", [0, 1])
@pytest.mark.parametrize("excess", range(19))
def test_encodings_beyond_the_prime_are_refused(excess: int, sign: int) -> None:
    with pytest.raises(KeyFault, match="not canonically encoded") as caught:
        PublicKey(raw(P + excess, sign))
    assert caught.value.code == "weak-key"


def test_a_y_without_an_x_is_refused() -> None:
    off = next(
        y for y in range(2, 50) if pow((y * y - 1) * (D * y * y + 1) % P, (P - 1) // 2, P) == P - 1
    )
    with pytest.raises(KeyFault, match="not a point of the curve"):
        PublicKey(raw(off))


@pytest.mark.parametrize("size", [0, 31, 33])
def test_other_lengths_are_refused(size: int) -> None:
    with pytest.raises(KeyFault, match="has 32 bytes"):
        PublicKey(bytes(size))


def test_a_scalar_has_no_twin() -> None:
    public, message, signature = VECTORS[0]
    good = bytes.fromhex(signature)
    twin = good[:32] + (int.from_bytes(good[32:], "little") + L).to_bytes(32, "little")
    assert is_signature(good)
    assert not is_signature(twin)
    assert not PublicKey(bytes.fromhex(public)).verify(twin, bytes.fromhex(message))


@pytest.mark.parametrize("change", [lambda s: s[:-1], lambda s: s + b"\0", lambda _: b""])
def test_signatures_of_other_lengths_do_not_verify(change: object) -> None:
    public, message, signature = VECTORS[0]
    bad = change(bytes.fromhex(signature))  # type: ignore[operator]
    assert not PublicKey(bytes.fromhex(public)).verify(bad, bytes.fromhex(message))


def test_names_of_a_key() -> None:
    key = PublicKey(bytes.fromhex(VECTORS[0][0]))
    assert key.fingerprint == "21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9"
    assert key.short() == "21fe"
    assert key.short(12) == "21fe31dfa154"
    text = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"
    assert key.openssh() == text
    # What `ssh-keygen -l` and `openssl pkey -pubin` say about this key.
    assert key.ssh_fingerprint == "SHA256:bbXpuKG6zhzdmnxq256TlqzFBzRl2f6OOg722cYNbU8"
    assert key.pem().splitlines()[1] == (
        "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
    )
    assert key.openssh("a comment") == text + " a comment"
    assert parse_public_key(text + " a comment, with words") == key
    assert hash(parse_public_key(text)) == hash(key)


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", "bad-key", "not an OpenSSH public key"),
        ("ssh-ed25519", "bad-key", "not an OpenSSH public key"),
        ("ssh-rsa AAAA", "key-type", "'ssh-rsa' is not taken"),
        ("ssh-ed25519 A", "bad-key", "not base64"),
        ("ssh-ed25519 AAAé", "bad-key", "not base64"),
        ("ssh-ed25519 AAAA", "bad-key", "inner length or type"),
    ],
)
def test_other_texts_are_refused(text: str, code: str, words: str) -> None:
    with pytest.raises(KeyFault, match=words) as caught:
        parse_public_key(text)
    assert caught.value.code == code


def test_base64_has_one_spelling() -> None:
    assert decode_base64("QQ==") == b"A"
    with pytest.raises(KeyFault, match="only spelling"):
        decode_base64("QR==")


def test_a_blob_of_another_length_is_refused() -> None:
    blob = base64.b64decode(PublicKey(bytes.fromhex(VECTORS[0][0])).openssh().split()[1])
    assert split_blob(blob) == bytes.fromhex(VECTORS[0][0])
    with pytest.raises(KeyFault):
        split_blob(blob + b"\0")
