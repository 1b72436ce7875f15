"""The JSON in the format pages is what the code reads and writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from probatum import canonical
from probatum.digest import object_id
from probatum.plugins.draws import Draws, seed_material
from probatum.records import codec
from probatum.records.kinds import strong_edges
from probatum.records.ref import RefEntry
from probatum.signing import parse_envelope, read_signature
from probatum.signing.trustfile import parse_trust

PAGES = Path(__file__).resolve().parents[2] / "docs" / "format"
BLOCK = re.compile(r"^```json ?([a-z-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


OTHERS: dict[str, Callable[[bytes, Any], object]] = {
    "envelope": lambda text, _: parse_envelope(text).signatures,
    "signature": lambda _, value: (
        not read_signature(canonical.encode(value), value["statement"]).problem
    ),
    "trust": lambda text, _: parse_trust(text).keys,
    "store": lambda _, value: value["format"] == "probatum-store/1",
    "ref": lambda _, value: msgspec.convert(value, RefEntry).nonce,
}


def blocks() -> list[tuple[str, str, str]]:
    found = [
        (page.name, kind, text)
        for page in sorted(PAGES.glob("*.md"))
        for kind, text in BLOCK.findall(page.read_text("utf-8"))
    ]
    assert len(found) >= len(codec.RECORDS)
    return found


@pytest.mark.parametrize(("page", "kind", "text"), blocks())
def test_every_json_block_is_json(page: str, kind: str, text: str) -> None:
    value = canonical.foreign_json(text)
    assert value, page
    if kind in codec.RECORDS:
        payload = canonical.encode(value)
        assert codec.encode(codec.decode(kind, payload)) == payload
    elif kind:
        assert OTHERS[kind](text.strip().encode(), value), page


def test_every_kind_has_an_example() -> None:
    assert {kind for _, kind, _ in blocks()} >= set(codec.RECORDS)


def test_examples_name_each_other() -> None:
    ids: dict[str, str] = {}
    edges: set[tuple[str, str]] = set()
    for page, kind, text in blocks():
        if not kind or page != "records.md":
            continue
        value = json.loads(text)
        payload = canonical.encode(value)
        ids[object_id(kind, payload)] = kind
        edges |= {(edge.id, edge.kind) for edge in strong_edges(codec.decode(kind, payload))}
    inside = {(target, kind) for target, kind in edges if target in ids}
    assert len(inside) == 12
    assert all(ids[target] == kind for target, kind in inside)
    outside = {kind for target, kind in edges if target not in ids}
    assert outside <= {"blob", "table"}


def test_the_id_in_the_prose_is_right() -> None:
    page = (PAGES / "objects.md").read_text("utf-8")
    kind, text = next((kind, text) for name, kind, text in blocks() if name == "objects.md")
    assert f"`{object_id(kind, text.strip().encode())}`" in page
    assert f"payload of {len(text.strip().encode())} bytes" in page


def test_the_draws_in_the_prose_are_right() -> None:
    page = (PAGES / "draws.md").read_text("utf-8")
    material = seed_material(
        seed=7,
        beacon="",
        case="capital",
        declaration="typo_noise-5c0d3f2a",
        family="typo_noise",
        version=1,
        params='{"protect":true,"rate":"0.05"}',
        index=0,
    )
    assert " ".join(map(str, Draws(material).words(8))) in page
