"""Steps, one by one and in order."""

from __future__ import annotations

import pytest

from probatum.errors import SpecError
from probatum.invariants.normalize import STEPS, normalizer


@pytest.mark.parametrize(
    ("step", "text", "expected"),
    [
        ("nfc", "e\u0301\ufb01", "\u00e9\ufb01"),
        ("nfkc", "e\u0301\ufb01\u00a0\uff21", "\u00e9fi A"),
        ("case", "Stra\u00dfe", "strasse"),
        ("spaces", "\n a \t\u3000b\u202f", "a b"),
        ("dashes", "\u2010\u2013\u2014\u2212-", "-----"),
        ("quotes", "\u201ca\u201d \u2018b\u2019 \u00abc\u00bb 5\u2032", '"a" \'b\' "c" 5\''),
        ("zero-width", "a\u200b\u00ad\ufeff\u200db", "ab"),
    ],
)
def test_step(step, text, expected):
    assert normalizer((step,))(text) == expected
    assert set(STEPS) == {"nfc", "nfkc", "case", "spaces", "dashes", "quotes", "zero-width"}


def test_steps_are_applied_in_order():
    assert normalizer(("zero-width", "spaces"))("a \u200b b") == "a b"
    assert normalizer(("spaces", "zero-width"))("a \u200b b") == "a  b"
    assert normalizer(())(" A ") == " A "


def test_an_unknown_step_names_the_nearest():
    with pytest.raises(SpecError, match="'space'") as caught:
        normalizer(("space",))
    assert caught.value.hint == "did you mean 'spaces'?"
    with pytest.raises(SpecError) as caught:
        normalizer(("qqq",))
    assert "zero-width" in caught.value.hint


def test_profiles_are_short() -> None:
    assert normalizer(("nfkc",) * 16)("ﬁ") == "fi"
    with pytest.raises(SpecError, match="17 normalisation steps") as caught:
        normalizer(("nfkc",) * 17)
    assert caught.value.code == "too-many-steps"
