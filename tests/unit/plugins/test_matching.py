"""Folding case without losing the place."""

from __future__ import annotations

from probatum.plugins.matching import Folded, fold, occurrences


def test_fold_leads_back():
    text = "a\u00dfB\ufb03"
    folded = fold(text)
    assert folded.text == "assbffi"
    assert [folded.origin(at) for at in range(8)] == [0, 1, 1, 2, 3, 3, 3, 4]
    assert folded.span(1, 3) == (1, 2)
    assert folded.span(2, 5) == (1, 4)


def test_text_of_the_same_length_needs_no_way_back():
    assert fold("ABC") == Folded("abc")
    assert Folded("abc", before=2).span(0, 1) == (2, 3)
    assert Folded("", (), 2).origin(0) == 2


def test_occurrences_are_apart():
    assert list(occurrences("aaaa b aa", "aa")) == [(0, 2), (2, 4), (7, 9)]
    assert list(occurrences("abc", "")) == []
    assert list(occurrences("abc", "d")) == []
