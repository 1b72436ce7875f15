"""Frozen payloads and ids: none of them may ever change."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from probatum.digest import object_id
from probatum.records import codec

ROWS = json.loads(Path(__file__).with_name("ids.json").read_text("utf-8"))["objects"]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['kind']}-{row['id'][:8]}" for row in ROWS])
def test_id(row: dict[str, str]) -> None:
    payload = row["payload"].encode()
    header = f"pb1 {row['kind']} {len(payload)}\0".encode()
    assert hashlib.sha256(header + payload).hexdigest() == row["id"]
    assert object_id(row["kind"], payload) == row["id"]
    if row["kind"] != "blob":
        record = codec.decode(row["kind"], payload)
        assert codec.encode(record) == payload
        assert codec.identify(record) == row["id"]


def test_every_kind_is_frozen() -> None:
    assert {row["kind"] for row in ROWS} == {*codec.RECORDS, "blob"}
