"""Streams."""

from __future__ import annotations

import hashlib
import struct

from probatum.plugins.draws import Draws, Streams, seed_material

PARTS = {
    "seed": 1,
    "beacon": "",
    "case": "c:1",
    "declaration": "d",
    "family": "f",
    "version": 1,
    "params": '{"a":"\u00e9"}',
}


def material(**changes):
    return seed_material(**{**PARTS, "index": 12, **changes})


def test_material_tells_its_parts_apart():
    assert material().startswith(b"10:pb-draws-11:1")
    assert b'10:{"a":"\xc3\xa9"}' in material()
    assert material(case="c", declaration=":1d") != material(case="c:1", declaration="d")


def test_a_stream_knows_its_index():
    assert Draws(material()).index == 12
    assert Draws(material(index=0)).index == 0


def test_words_are_the_stream_in_order():
    data = hashlib.shake_256(material()).digest(4 * 600)
    expected = struct.unpack("<600I", data)
    draws = Draws(material())
    found = [draws.word(), *draws.words(62), *draws.words(3), *draws.words(0), *draws.words(534)]
    assert tuple(found) == expected
    assert Draws(material()).below(10) == expected[0] * 10 >> 32


def test_streams_are_those_of_the_whole_material():
    streams = Streams(**PARTS)
    for index in (12, 0, 10, 12, 99_999):
        assert streams[index].words(500) == Draws(material(index=index)).words(500)
        assert streams[index].index == index
