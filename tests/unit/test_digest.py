"""Ids, preimages and their short forms."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from probatum import digest
from probatum.errors import IntegrityError


def test_a_preimage_file_is_named_by_sha256sum(tmp_path: Path) -> None:
    file = tmp_path / "object"
    file.write_bytes(digest.preimage("blob", b"hello"))
    shown = subprocess.run(["sha256sum", file], capture_output=True, text=True, check=True).stdout
    assert shown.split()[0] == digest.object_id("blob", b"hello")


def test_kind_and_size_are_inside_the_hash() -> None:
    assert digest.preimage("output", b"{}") == b"pb1 output 2\x00{}"
    ids = {digest.object_id("output", b"{}"), digest.object_id("blob", b"{}")}
    assert len(ids) == 2
    assert digest.sha256_hex(b"{}") not in ids
    assert digest.sha256_hex(b"{}") == hashlib.sha256(b"{}").hexdigest()


def test_a_preimage_comes_apart_again() -> None:
    assert digest.split_preimage(digest.preimage("plan-case", b"a\x00b")) == (
        "plan-case",
        b"a\x00b",
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"pb1 blob 0",
        b"pb1 blob 1\x00",
        b"pb1 blob 01\x00a",
        b"pb1 blob +1\x00a",
        b"pb1  blob 1\x00a",
        b"pb2 blob 1\x00a",
        b"pb1 Blob 1\x00a",
        b"pb1 \xff 1\x00a",
        b"pb1 " + b"k" * 33 + b" 1\x00a",
        b"pb1 blob 2\x00a",
    ],
)
def test_a_malformed_header_is_refused(data: bytes) -> None:
    with pytest.raises(IntegrityError) as caught:
        digest.split_preimage(data)
    assert caught.value.code == "bad-header"


def test_what_is_an_id_and_how_people_see_it() -> None:
    good = digest.object_id("blob", b"")
    assert digest.is_digest(good)
    assert digest.short(good) == good[:12]
    for bad in ("", good[:-1], good.upper(), good + "0", "g" * 64, good + "\n"):
        assert not digest.is_digest(bad)
