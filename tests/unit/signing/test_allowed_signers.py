"""OpenSSH's allowed_signers: what is taken over, passed over, refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest

from probatum.errors import KeyFault
from probatum.signing import TrustedKey, TrustStore
from probatum.signing.allowed_signers import Imported, import_allowed_signers
from probatum.signing.keyfiles import PrivateKey

Make = Callable[[int], PrivateKey]


def read(text: str | bytes, trust: TrustStore | None = None) -> Imported:
    data = text if isinstance(text, bytes) else text.encode()
    zone = timezone(timedelta(hours=2))
    return import_allowed_signers(trust or TrustStore(), data, zone=zone)


def test_lines_become_keys(key: Make) -> None:
    comment = 'laptop of "alice'
    one, two, three = (key(n).public for n in (1, 2, 3))
    got = read(
        "# people\n\n"
        f"alice@example.com,*@example.com {one.openssh(comment)}\n"
        f'bob namespaces="git,probatum" {two.openssh()}\n'
        f'"*@example.org,carol" Valid-After="20260101",valid-before="202602031230" '
        f"{three.openssh()}\n"
    )
    assert got.skipped == ()
    assert got.trust.keys == tuple(sorted(got.added, key=lambda entry: entry.name))
    assert got.added == (
        TrustedKey(name="alice@example.com", key=one),
        TrustedKey(name="bob", key=two),
        TrustedKey(
            name="carol",
            key=three,
            valid_after=datetime(2025, 12, 31, 22, tzinfo=UTC),
            valid_before=datetime(2026, 2, 3, 10, 30, tzinfo=UTC),
        ),
    )


@pytest.mark.parametrize(
    ("namespaces", "scopes"),
    [
        ("*", ()),
        ("probatum", ()),
        ("git,probatum-session", ("session",)),
        ("probatum-*,!probatum-plan", ("session", "removal", "note")),
        ("probatum-not?", ("note",)),
    ],
)
def test_namespaces_become_scopes(key: Make, namespaces: str, scopes: tuple[str, ...]) -> None:
    got = read(f'a namespaces="{namespaces}" {key(1).public.openssh()}')
    assert got.added[0].scopes == scopes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20260102", datetime(2026, 1, 1, 22, tzinfo=UTC)),
        ("202601021530", datetime(2026, 1, 2, 13, 30, tzinfo=UTC)),
        ("20260102153045", datetime(2026, 1, 2, 13, 30, 45, tzinfo=UTC)),
        ("20260102Z", datetime(2026, 1, 2, tzinfo=UTC)),
        ("20260102153045Z", datetime(2026, 1, 2, 15, 30, 45, tzinfo=UTC)),
    ],
)
def test_times_have_a_zone(key: Make, text: str, expected: datetime) -> None:
    got = read(f'a valid-after="{text}" {key(1).public.openssh()}')
    assert got.added[0].valid_after == expected


def test_what_is_passed_over(key: Make) -> None:
    known = TrustStore(keys=(TrustedKey(name="mine", key=key(1).public),))
    text = key(2).public.openssh()
    got = read(
        f"a {key(1).public.openssh()}\n"
        f"b cert-authority {text}\n"
        f"c ssh-rsa AAAA\n"
        f"d sk-ssh-ed25519@openssh.com AAAA\n"
        f"e ecdsa-sha2-nistp256 AAAA\n"
        f'f namespaces="git" {text}\n'
        f"g {text}\n"
        f"h {text}\n",
        known,
    )
    assert [entry.name for entry in got.trust.keys] == ["g", "mine"]
    assert [line.partition(":")[0] for line in got.skipped] == [
        f"line {n}" for n in (1, 2, 3, 4, 5, 6, 8)
    ]
    assert "already, as 'mine'" in got.skipped[0]
    assert "already, as 'g'" in got.skipped[-1]
    assert read(f"x {key(1).public.openssh()}", known).trust is known


def test_names_are_made_unique(key: Make) -> None:
    long = "x" * 64
    got = read(
        f"me {key(1).public.openssh()}\n"
        f"me {key(2).public.openssh()}\n"
        f"* {key(3).public.openssh()}\n"
        f"{long} {key(4).public.openssh()}\n"
        f"{long} {key(5).public.openssh()}\n"
    )
    names = [entry.name for entry in got.added]
    assert names == [
        "me",
        f"me-{key(2).public.short(12)}",
        f"key-{key(3).public.short(12)}",
        long,
        f"{long[:51]}-{key(5).public.short(12)}",
    ]
    assert len(names[-1]) == 64


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a", "does not read"),
        ("a ssh-ed25519", "does not read"),
        ("a b c d", "does not read"),
        ('a "unclosed ssh-ed25519 AAAA', "does not read"),
        ("a ssh-ed25519 AAAA", "damaged"),
        ("a nonsense ssh-ed25519 AAAA", "unknown option 'nonsense'"),
        ("a =x ssh-ed25519 AAAA", "options cannot be read"),
        ('a namespaces="a",namespaces="b" ssh-ed25519 AAAA', "stands twice"),
        ("a namespaces ssh-ed25519 AAAA", "no value, or one too many"),
        ('a cert-authority="x" ssh-ed25519 AAAA', "no value, or one too many"),
        ('a valid-after="2026" ssh-ed25519 {key}', "not a time"),
        ('a valid-after="20260102153Z" ssh-ed25519 {key}', "not a time"),
        ('a valid-before="20261301" ssh-ed25519 {key}', "not a time"),
        ('a valid-after="00010101" ssh-ed25519 {key}', "not a time"),
        ('a valid-after="20260101",valid-before="20250101" ssh-ed25519 {key}', "not before"),
    ],
)
def test_what_cannot_be_read_is_refused(key: Make, line: str, words: str) -> None:
    with pytest.raises(KeyFault, match=words) as caught:
        read(line.replace("{key}", key(1).public.openssh().split()[1]))
    assert caught.value.code == "bad-trust"


def test_all_bad_lines_are_told() -> None:
    with pytest.raises(KeyFault, match=r"line 1: .*; line 3: "):
        read("a\n\nb\n")


@pytest.mark.parametrize(("data", "words"), [(b"\xff", "UTF-8"), (b" " * 1048577, "1 MiB")])
def test_files_that_are_none(data: bytes, words: str) -> None:
    with pytest.raises(KeyFault, match=words):
        read(data)
