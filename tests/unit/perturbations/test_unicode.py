"""Text that looks the same."""

from __future__ import annotations

import unicodedata
from decimal import Decimal

import msgspec
import pytest

from probatum.perturbations.unicode import LOOKALIKES, Unicode, UnicodeParams
from probatum.plugins.protocols import NotApplicable, Sample

METHODS = ("invisible_space", "zero_width", "homoglyph")


def test_methods_are_taken_in_turn(perturb):
    methods = [sample.method for sample, _ in perturb("unicode", "pay the bill", samples=6)]
    assert methods == [*METHODS, *METHODS]


def test_a_method_without_places_takes_its_turn_and_changes_nothing(perturb):
    text = "\u0431\u0433 \u0434"
    made = perturb("unicode", text, samples=6)
    assert [sample.method for sample, _ in made] == [*METHODS, *METHODS]
    assert [changed == text for _, changed in made] == [False, False, True] * 2


def test_a_method_whose_places_are_protected_changes_nothing(perturb):
    made = perturb("unicode", "see a10", samples=3, protect=True)
    assert all(sample.edits for sample, _ in made)
    made = perturb("unicode", "\u0431 a10", samples=3, protect=True)
    assert [bool(sample.edits) for sample, _ in made] == [True, True, False]


def test_a_method_without_places_reads_no_word(prepared, draws):
    stream = draws(2)
    assert prepared("unicode", "\u0431\u0433 \u0434")(stream) == Sample("homoglyph", ())
    assert stream.words(4) == draws(2).words(4)


def test_invisible_spaces(perturb):
    text = "a b c d"
    seen = set()
    for sample, changed in perturb("unicode", text, methods=("invisible_space",)):
        assert [edit.op for edit in sample.edits] == ["replace", "replace"]
        assert unicodedata.normalize("NFKC", changed) == text
        seen |= {edit.new for edit in sample.edits}
    assert seen == set("\u00a0\u2007\u2009\u202f")


def test_zero_width(perturb):
    text = "abcd"
    seen = set()
    for sample, changed in perturb(
        "unicode", text, samples=200, methods=("zero_width",), rate=Decimal(1)
    ):
        assert [(edit.at, edit.op) for edit in sample.edits] == [(n, "insert") for n in (1, 2, 3)]
        seen |= {edit.new for edit in sample.edits}
        assert "".join(c for c in changed if c in text) == text
    assert seen == set("\u200b\u200c\u200d\ufeff\u00ad")


def test_no_joiner_near_what_it_could_join(perturb):
    text = "\U0001f469\U0001f467 \u0643\u062a"
    for sample, _ in perturb(
        "unicode", text, samples=200, methods=("zero_width",), rate=Decimal(1)
    ):
        assert {edit.new for edit in sample.edits} <= set("\u200b\ufeff\u00ad")


def test_no_zero_width_inside_a_cluster(perturb):
    for sample, _ in perturb("unicode", "e\u0301a", methods=("zero_width",), rate=Decimal(1)):
        assert [edit.at for edit in sample.edits] == [2]


def test_homoglyphs(perturb):
    for sample, changed in perturb("unicode", "Pay IBAN now", methods=("homoglyph",)):
        assert len(sample.edits) == 5
        assert len(changed) == 12
        for edit in sample.edits:
            assert edit.new in LOOKALIKES[edit.old]


def test_a_letter_under_a_mark_is_no_place(prepared):
    assert prepared("unicode", "e\u0301", methods=("homoglyph",)) == NotApplicable("no-lookalikes")


@pytest.mark.parametrize("letter", sorted(LOOKALIKES))
def test_lookalikes_keep_case_and_leave_latin(letter):
    for other in LOOKALIKES[letter]:
        words = unicodedata.name(other).split()
        assert words[0] in ("CYRILLIC", "GREEK")
        assert words[1] == ("CAPITAL" if letter.isupper() else "SMALL")


def test_protected_spans_stay(perturb):
    text = "pay 10 a, see https://example.org/a now"
    for _, changed in perturb("unicode", text, protect=True, rate=Decimal(1)):
        assert "https://example.org/a" in changed
        assert "10" in changed


def test_an_insertion_may_stand_at_the_edge_of_a_protected_span(perturb):
    made = perturb("unicode", "ab(12)c", methods=("zero_width",), protect=True, rate=Decimal(1))
    assert [edit.at for edit in made[0][0].edits] == [1, 2, 3, 5, 6]


@pytest.mark.parametrize(
    ("text", "params", "reason"),
    [
        ("word", {"methods": ("invisible_space",)}, "no-spaces"),
        ("x", {"methods": ("zero_width",)}, "too-short"),
        ("\u0431", {"methods": ("homoglyph",)}, "no-lookalikes"),
        ("\u0431", {}, "no-method"),
        ("", {}, "no-method"),
        ("AB12", {"protect": True}, "all-protected"),
    ],
)
def test_not_applicable(prepared, text, params, reason):
    assert prepared("unicode", text, **params) == NotApplicable(reason)


def test_a_rate_of_zero_changes_nothing(perturb):
    for sample, changed in perturb("unicode", "a b", rate=Decimal(0)):
        assert (sample.edits, changed) == ((), "a b")


@pytest.mark.parametrize(
    "given",
    [{"methods": []}, {"methods": ["zero_width"] * 2}, {"rate": "2"}, {"count": 0}, {"more": 1}],
)
def test_params_without_meaning_are_refused(given):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(given, UnicodeParams)


def test_params():
    assert UnicodeParams().methods == METHODS


@pytest.mark.parametrize(
    ("params", "count"),
    [
        ({}, 9),
        ({"count": 3, "methods": ("homoglyph",)}, 3),
        ({"count": 4, "methods": METHODS[:2]}, 8),
    ],
)
def test_the_count_is_of_each_method(params, count):
    assert Unicode().count(UnicodeParams(**params)) == count
