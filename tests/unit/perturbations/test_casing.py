"""Three cases, of any text."""

from __future__ import annotations

import msgspec
import pytest

from probatum.perturbations.casing import Casing, CasingParams
from probatum.plugins.protocols import NotApplicable


@pytest.mark.parametrize(
    ("text", "upper", "lower", "title"),
    [
        ("how do I", "HOW DO I", "how do i", "How Do I"),
        ("bill's 2nd o'clock", "BILL'S 2ND O'CLOCK", "bill's 2nd o'clock", "Bill's 2nd O'clock"),
        ("it\u2019s \u00e9t\u00e9", "IT\u2019S \u00c9T\u00c9", None, "It\u2019s \u00c9t\u00e9"),
        ("e\u0301tat", "E\u0301TAT", "e\u0301tat", "E\u0301tat"),
        ("stra\u00dfe", "STRASSE", "stra\u00dfe", "Stra\u00dfe"),
        ("\ufb01n", "FIN", "\ufb01n", "Fin"),
        ("\u0130x", "\u0130X", "i\u0307x", "\u0130x"),
        ("\u039f\u0394\u039f\u03a3 \u03a3", None, "\u03bf\u03b4\u03bf\u03c2 \u03c3", None),
        ("\u01c6ep", "\u01c4EP", "\u01c6ep", "\u01c5ep"),
        ("a''b \u2019c", "A''B \u2019C", "a''b \u2019c", "A''B \u2019C"),
        ("A.\u00e9. x_y", None, "a.\u00e9. x_y", "A.\u00c9. X_Y"),
    ],
)
def test_variants(perturb, text, upper, lower, title):
    (_, up), (_, down), (_, capital) = perturb("casing", text)
    assert up == (upper or text.upper())
    assert down == (lower or text.lower())
    assert capital == (title or text.title())


def test_one_smallest_edit_a_variant(perturb):
    up, down, capital = (sample for sample, _ in perturb("casing", "is SSO on?"))
    assert [(e.at, e.op, e.old, e.new) for e in up.edits] == [
        (0, "replace", "is SSO on", "IS SSO ON")
    ]
    assert [(e.at, e.old, e.new) for e in down.edits] == [(3, "SSO", "sso")]
    assert [(e.at, e.old, e.new) for e in capital.edits] == [(0, "is SSO o", "Is Sso O")]


def test_a_variant_without_effect_has_no_edits(perturb):
    (sample, text), *_ = perturb("casing", "LOUD", variants=("upper", "lower"))
    assert (sample.method, sample.edits, text) == ("upper", (), "LOUD")


def test_protected_spans_cut_the_edit(perturb):
    made = perturb("casing", "mail A.b@example.org for order ab12 Now", protect=True)
    assert [text for _, text in made] == [
        "MAIL A.b@example.org FOR ORDER ab12 NOW",
        "mail A.b@example.org for order ab12 now",
        "Mail A.b@example.org For Order ab12 Now",
    ]
    assert [len(sample.edits) for sample, _ in made] == [3, 1, 2]


def test_a_word_goes_on_behind_a_protected_part(perturb):
    made = perturb("casing", "\u00e9JACKETS", values=("jacket",), protect=True)
    assert [text for _, text in made] == ["\u00c9JACKETS", "\u00e9JACKETs", "\u00c9JACKETs"]


@pytest.mark.parametrize(
    ("text", "params", "reason"),
    [
        ("", {}, "no-case"),
        ("123 \u65e5\u672c", {}, "no-case"),
        ("ab12 c3", {"protect": True}, "all-protected"),
    ],
)
def test_not_applicable(prepared, text, params, reason):
    assert prepared("casing", text, **params) == NotApplicable(reason)


def test_characters_that_unicode_14_lacks_keep_their_form(perturb):
    # U+A7DC is the capital that Unicode 16 gave to U+019B; U+10D70 came with it.
    assert perturb("casing", "a\u019b\U00010d70", variants=("upper",))[0][1] == (
        "A\u019b\U00010d70"
    )


@pytest.mark.parametrize("given", [{"variants": []}, {"variants": ["upper", "upper"]}, {"x": 1}])
def test_params_without_meaning_are_refused(given):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(given, CasingParams)


def test_params():
    assert Casing().count(CasingParams()) == 3
    assert Casing().count(msgspec.convert({"variants": ["title"]}, CasingParams)) == 1
