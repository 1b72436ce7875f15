"""The same facts on every Python release."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from probatum.plugins import unicode14


def test_the_table_is_unicode_14():
    held = {code for code in range(sys.maxunicode + 1) if unicode14.assigned(chr(code))}
    assert len(held) == 144_697 + 65 + 2_048 + 137_468  # graphic and format, Cc, Cs, Co
    known = {code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) != "Cn"}
    assert held <= known
    if unicodedata.unidata_version == "14.0.0":
        assert held == known


@pytest.mark.parametrize("character", ["\U0001e4f0", "\u0cf3", "\U0001fae8", "\U00010d70"])
def test_what_came_later_is_unassigned(character):
    assert unicode14.category(character) == "Cn"
    assert unicode14.upper(character) == unicode14.lower(character) == character
    assert unicode14.title(character) == character


def test_case():
    assert unicode14.category("a") == "Ll"
    assert unicode14.upper("\u00df") == "SS"
    assert unicode14.lower("\u0130") == "i\u0307"
    assert unicode14.title("\u01c6") == "\u01c5"
    assert unicode14.upper("\u019b") == "\u019b"
