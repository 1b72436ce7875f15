from __future__ import annotations

from decimal import Decimal

import pytest

from probatum.spec import scalars
from probatum.spec.scalars import Plain, plain_scalar


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "yes",
        "on",
        "12:30",
        "2026-01-01",
        "1_000",
        "0x",
        "0o9",
        "1e",
        "+",
        "-",
        ".",
        "1.2.3",
        "<<",
        "=",
        "nULL",
        "0b1",
        "1,5",
    ],
)
def test_text_of_yaml_1_1_surprises_is_text(text: str) -> None:
    assert type(plain_scalar(text)) is str


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("0", 0),
        ("-12", -12),
        ("+7", 7),
        ("0777", 777),
        ("0o17", 15),
        ("0x1F", 31),
        ("1e3", Decimal(1000)),
        ("1.", Decimal(1)),
        (".5", Decimal("0.5")),
        ("-0.050", Decimal("-0.050")),
        ("true", True),
        ("FALSE", False),
        ("", None),
        ("~", None),
        ("Null", None),
    ],
)
def test_core_schema(text: str, meaning: object) -> None:
    found = plain_scalar(text)
    assert isinstance(found, Plain)
    assert found == text
    assert scalars.core(found) == meaning
    assert type(scalars.core(found)) is type(meaning)


@pytest.mark.parametrize("text", [".inf", "-.INF", ".nan", "9" * 65, "1e65", "1e-65"])
def test_numbers_that_cannot_be_meant(text: str) -> None:
    found = plain_scalar(text)
    assert isinstance(found, Plain)
    with pytest.raises(ValueError, match="number"):
        scalars.core(found)


@pytest.mark.parametrize("text", ["5", "5.0", "5e0", "0x5", "0.5e1"])
def test_whole_numbers(text: str) -> None:
    assert scalars.whole(plain_scalar(text)) == 5


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("5", "expected a whole number, found the text '5' in quotes"),
        ("five", "expected a whole number, found the text 'five'"),
        (Plain("5.5"), "expected a whole number, found 5.5"),
        (Plain("true"), "expected a whole number, found true"),
        (Plain(""), "expected a whole number, found nothing"),
        ([], "expected a whole number, found a list"),
        ({}, "expected a whole number, found a mapping"),
        ("y" * 50, f"expected a whole number, found the text '{'y' * 39}…'"),
        (Plain("9007199254740992"), "9007199254740992 is beyond 2^53 - 1"),
    ],
)
def test_what_is_no_whole_number(value: object, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        scalars.whole(value)
    assert str(caught.value) == words


def test_numbers_are_exact() -> None:
    assert scalars.number(Plain("0.1")) == Decimal("0.1")
    assert scalars.number(Plain("3")) == Decimal(3)
    with pytest.raises(ValueError, match="expected a number, found the text 'x'"):
        scalars.number("x")
    with pytest.raises(ValueError, match="expected a number, found true"):
        scalars.number(Plain("true"))


def test_truth() -> None:
    assert scalars.truth(Plain("True")) is True
    assert scalars.truth(Plain("false")) is False
    with pytest.raises(ValueError, match=r"found the text 'yes' \(did you mean true\?\)"):
        scalars.truth("yes")
    with pytest.raises(ValueError, match=r"found the text 'No' \(did you mean false\?\)"):
        scalars.truth("No")
    with pytest.raises(ValueError, match=r"found 7$"):
        scalars.truth(Plain("7"))
    with pytest.raises(ValueError, match="found a list"):
        scalars.truth([])


def test_untyped_places_follow_the_core_schema() -> None:
    tree = {"a": [Plain("1"), Plain("0.5"), "1", Plain("null"), Plain("true")], "b": "no"}
    assert scalars.untyped(tree) == {"a": [1, 0.5, "1", None, True], "b": "no"}
    with pytest.raises(ValueError, match="no number"):
        scalars.untyped([Plain(".inf")])


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("0.050", "0.05"),
        ("5e-2", "0.05"),
        ("1.0", "1"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("100", "100"),
        ("1E+2", "100"),
        ("0.10000000000000000000000000001", "0.10000000000000000000000000001"),
    ],
)
def test_shortest(typed: str, text: str) -> None:
    assert scalars.shortest(Decimal(typed)) == text
