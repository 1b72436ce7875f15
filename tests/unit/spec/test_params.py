# ruff: noqa: E501  # tables of exact messages read better a row a line
from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import UNSET, Meta, UnsetType

from probatum.errors import CanonicalError
from probatum.spec import params
from probatum.spec.problems import Problems
from probatum.spec.scalars import Plain

P = Plain


class Inner(msgspec.Struct, frozen=True, kw_only=True):
    size: Annotated[int, Meta(ge=1)]
    share: Decimal = Decimal("0.5")


class Wide(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    text: Annotated[str, Meta(min_length=1, max_length=5)] = "x"
    count: Annotated[int, Meta(ge=1, le=9)] = 5
    rate: Decimal = Decimal("0.05")
    weight: float = 0.25
    flag: bool = False
    words: Annotated[tuple[str, ...], Meta(min_length=2)] = ("a", "b")
    mode: Literal["one", "two"] = "one"
    modes: tuple[Literal["red", "blue"], ...] = ()
    bound: int | UnsetType = UNSET
    limit: int | None = None
    either: int | str | bool | float = 0
    number: int | Decimal = 0
    level: Literal["low"] | int = 1
    several: list[int] | dict[str, int] | str = "none"
    named: dict[str, int] = {}
    free: Any = None
    inner: Inner | None = None

    def __post_init__(self) -> None:
        if self.rate > 1:
            raise ValueError("rate must be at most 1")
        if self.flag and self.mode == "two":
            raise ValueError("flag and mode two exclude each other")


class Needs(msgspec.Struct, frozen=True, kw_only=True):
    must: int
    other: Annotated[int, Meta(ge=2)] = 2

    def __post_init__(self) -> None:
        if self.must < 0:
            raise ValueError("must is negative")
        if self.other > 9:
            raise ValueError("other is more than 9")


def build(given: dict[str, Any], struct: type[msgspec.Struct] = Wide) -> Any:
    problems = Problems()
    found = params.build(struct, given, ("p",), problems)
    assert len(problems) == 0
    return found


def flaws(given: dict[str, Any], struct: type[msgspec.Struct] = Wide) -> list[tuple[Any, str]]:
    problems = Problems()
    assert params.build(struct, given, (), problems, also=("type",)) is None
    return sorted((item.path, item.text) for item in problems._found)


def test_scalars_take_the_type_that_is_declared() -> None:
    found = build(
        {
            "text": P("12"),
            "count": P("0x7"),
            "rate": P("5e-1"),
            "weight": P("1"),
            "flag": P("true"),
            "words": [P("1"), "no"],
            "bound": P("3"),
            "limit": P("null"),
            "level": P("4"),
            "free": [P("1"), {"a": P("~")}],
            "named": {"a": P("1")},
            "inner": {"size": P("2")},
        }
    )
    assert (found.text, found.count, found.rate, found.weight) == ("12", 7, Decimal("0.5"), 1.0)
    assert (found.flag, found.words, found.bound, found.limit) == (True, ("1", "no"), 3, None)
    assert (found.level, found.free, found.named) == (4, [1, {"a": None}], {"a": 1})
    assert found.inner == Inner(size=2)
    assert type(found.text) is str
    assert type(found.words[0]) is str


@pytest.mark.parametrize(
    ("value", "meaning"),
    [(P("1"), 1), ("1", "1"), (P("0.5"), 0.5), (P("true"), True), ("yes", "yes")],
)
def test_a_choice_of_types_takes_the_one_that_was_typed(value: str, meaning: object) -> None:
    found = build({"either": value}).either
    assert found == meaning
    assert type(found) is type(meaning)


@pytest.mark.parametrize(
    ("value", "meaning"),
    [([P("1")], [1]), ({"a": P("1")}, {"a": 1}), ("x", "x"), (P("~"), "~")],
)
def test_a_choice_of_shapes(value: object, meaning: object) -> None:
    assert build({"several": value}).several == meaning


@pytest.mark.parametrize(
    ("given", "path", "text"),
    [
        ({"txt": "a"}, "txt", "unknown key 'txt' (did you mean 'text'?)"),
        ({"typ": "a"}, "typ", "unknown key 'typ' (did you mean 'type'?)"),
        ({"text": ""}, "text", "text: must not be empty"),
        ({"text": "abcdef"}, "text", "text: must have at most 5 characters"),
        ({"text": []}, "text", "text: expected text, found a list"),
        ({"count": "5"}, "count", "count: expected a whole number, found the text '5' in quotes"),
        ({"count": P("0")}, "count", "count: must be at least 1"),
        ({"count": P("10")}, "count", "count: must be at most 9"),
        ({"rate": P("2")}, "rate", "rate must be at most 1"),
        ({"rate": {}}, "rate", "rate: expected a number, found a mapping"),
        ({"flag": "no"}, "flag", "flag: expected true or false, found the text 'no' (did you mean false?)"),
        ({"words": ["a"]}, "words", "words: must have at least 2 entries"),
        ({"words": "a"}, "words", "words: expected a list, found the text 'a'"),
        ({"mode": "twoo"}, "mode", "mode: unknown value 'twoo' (did you mean 'two'?)"),
        ({"mode": []}, "mode", "mode: expected text, found a list"),
        ({"limit": []}, "limit", "limit: expected a whole number, found a list"),
        ({"named": {"a": "b"}}, "named", "named: expected a whole number, found the text 'b'"),
        ({"free": P(".nan")}, "free", "free: .nan is no number that can be stored"),
        ({"level": "lo"}, "level", "level: unknown value 'lo' (did you mean 'low'?)"),
    ],
)  # fmt: skip
def test_mistakes(given: dict[str, Any], path: str, text: str) -> None:
    assert flaws(given) == [((path,), text)]


def test_mistakes_inside_lists_and_structs_have_their_place() -> None:
    assert flaws({"words": ["a", "b", {}]}) == [
        (("words", 2), "words[2]: expected text, found a mapping")
    ]
    assert flaws({"modes": ["red", "bleu"]}) == [
        (("modes", 1), "modes[1]: unknown value 'bleu' (did you mean 'blue'?)")
    ]
    assert flaws({"several": [P("1"), "x"]}) == [
        (("several", 1), "several[1]: expected a whole number, found the text 'x'")
    ]
    assert flaws({"inner": {"siz": P("0"), "share": "a"}}) == [
        (("inner",), "'size' is missing"),
        (("inner", "share"), "share: expected a number, found the text 'a'"),
        (("inner", "siz"), "unknown key 'siz' (did you mean 'size'?)"),
    ]


def test_every_mistake_is_found_at_once() -> None:
    given = {"cont": 1, "count": P("0"), "rate": P("3"), "flag": "maybe", "mode": "one"}
    assert [path for path, _ in flaws(given)] == [("cont",), ("count",), ("flag",), ("rate",)]


def test_what_only_the_whole_shows() -> None:
    assert flaws({"flag": P("true"), "mode": "two"}) == [
        (("flag",), "flag and mode two exclude each other")
    ]
    assert flaws({"must": P("-1")}, Needs) == [(("must",), "must is negative")]


def test_required_keys() -> None:
    assert flaws({}, Needs) == [((), "'must' is missing")]
    assert flaws({"other": P("1")}, Needs) == [
        ((), "'must' is missing"),
        (("other",), "other: must be at least 2"),
    ]
    assert flaws({"must": P("1"), "other": P("10"), "more": 1}, Needs) == [
        (("more",), "unknown key 'more' (known: must, other, type)"),
        (("other",), "other is more than 9"),
    ]


def test_a_message_about_nothing_given_stands_at_the_whole() -> None:
    class Odd(msgspec.Struct):
        a: int = 0

        def __post_init__(self) -> None:
            raise ValueError("neither fish nor fowl")

    assert flaws({"a": P("1")}, Odd) == [((), "neither fish nor fowl")]


def test_text_of_fills_defaults_and_writes_shortest_decimals() -> None:
    found = build(
        {"rate": P("0.050"), "free": [P("0.50"), {"a": P("~"), "b": P("1")}], "limit": P("3")}
    )
    text = params.text_of(found, without=("count", "words"))
    assert text == (
        '{"either":0,"flag":false,"free":["0.5",{"b":1}],"level":1,'
        '"limit":3,"mode":"one","modes":[],"named":{},"number":0,"rate":"0.05","several":"none","text":"x","weight":"0.25"}'
    )


def test_text_of_refuses_what_has_no_canonical_form() -> None:
    with pytest.raises(CanonicalError):
        params.text_of(build({"free": {"é": P("1")}}))


def test_freeze_tells_quoted_from_unquoted() -> None:
    shapes = [{"a": P("5")}, {"a": "5"}, {"a": ["5"]}, {"a": [P("5")]}, {"a": []}, {"a": {}}, {}]
    frozen = [params.freeze(shape) for shape in shapes]
    assert len(set(frozen)) == len(shapes)
    assert params.freeze({"a": [P("5")]}) == params.freeze({"a": [P("5")]})
