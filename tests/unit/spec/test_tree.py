# ruff: noqa: E501  # tables of exact messages read better a row a line
from __future__ import annotations

import pytest
import yaml

from probatum.errors import LimitError, SpecError
from probatum.spec import tree
from probatum.spec.scalars import Plain

PARSERS = pytest.mark.parametrize("pure", [False, True], ids=["c", "python"])


def value(text: str, pure: bool = False) -> object:
    return tree.parse("s.yaml", text, pure=pure).value


def flaw(text: str, pure: bool = False) -> SpecError:
    with pytest.raises(SpecError) as caught:
        tree.parse("s.yaml", text, pure=pure)
    assert caught.value.problems == (str(caught.value),)
    return caught.value


@PARSERS
def test_values(pure: bool) -> None:
    text = (
        "a: 1\nb: '1'\nc: [x, ~, {d: e}]\nf: |\n  one\n  two\n? g\n: !!str 7\nh: ! 8\ni: !!seq []\n"
    )
    found = value(text, pure)
    assert found == {
        "a": "1",
        "b": "1",
        "c": ["x", "~", {"d": "e"}],
        "f": "one\ntwo\n",
        "g": "7",
        "h": "8",
        "i": [],
    }
    assert isinstance(found, dict)
    plain = [name for name in "abfgh" if isinstance(found[name], Plain)]
    assert plain == ["a"]


@PARSERS
def test_aliases_share_and_merge_keys_yield(pure: bool) -> None:
    text = (
        "x: &x {a: 1, b: 2}\ny: *x\nz: {<<: *x, b: 3}\nw: {<<: [{a: 5}, *x], c: 1}\n"
        "&k key: &s text\nu: [*k, *s]\nq: {'<<': 1}\n"
    )
    found = value(text, pure)
    assert isinstance(found, dict)
    assert found["y"] is found["x"]
    assert found["z"] == {"a": "1", "b": "3"}
    assert found["w"] == {"a": "5", "b": "2", "c": "1"}
    assert found["u"] == ["key", "text"]
    assert found["q"] == {"<<": "1"}


@PARSERS
def test_duplicates_are_noted_and_the_first_wins(pure: bool) -> None:
    found = tree.parse("s.yaml", "a: 1\na: 2\n", pure=pure)
    assert found.duplicates
    assert found.value == {"a": "1"}
    assert not tree.parse("s.yaml", "a: 1\nb: {a: 2}\n", pure=pure).duplicates


@PARSERS
@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "empty", "s.yaml:1:1: the file is empty"),
        ("# nothing\n\n", "empty", "s.yaml:1:1: the file is empty"),
        ("---\n", "empty", "s.yaml:1:1: the file is empty"),
        ("- a\n", "not-a-mapping", "s.yaml:1:1: a spec is a mapping"),
        ("\n\nhello\n", "not-a-mapping", "s.yaml:3:1: a spec is a mapping"),
        ("a: 1\n---\nb: 2\n", "several-documents", "s.yaml:2:1: a second document begins here; a spec is one"),
        ("a: !!python/name:os.system x\n", "tag", "s.yaml:1:4: tags are not supported: !!python/name:os.system"),
        ("a: !own {b: 1}\n", "tag", "s.yaml:1:4: tags are not supported: !own"),
        ("? [a]\n: b\n", "bad-key", "s.yaml:1:3: a key must be plain text"),
        ("!!str a: b\n", "bad-key", "s.yaml:1:1: a key must be plain text"),
        ("a: *b\n", "bad-alias", "s.yaml:1:4: the alias *b names no anchor that is whole here"),
        ("a: &b [*b]\n", "bad-alias", "s.yaml:1:8: the alias *b names no anchor that is whole here"),
        ("a: {<<: 3}\n", "bad-merge", "s.yaml:1:5: << merges a mapping, or a list of mappings"),
        ("a: {<<: [{}, 3]}\n", "bad-merge", "s.yaml:1:5: << merges a mapping, or a list of mappings"),
        ("a:\n\tb: 1\n", "tab", "s.yaml:2:1: a tab where YAML wants spaces"),
    ],
)  # fmt: skip
def test_what_specs_do_not_use(text: str, code: str, line: str, pure: bool) -> None:
    error = flaw(text, pure)
    assert str(error) == line
    assert error.code == code


@PARSERS
@pytest.mark.parametrize("text", ["a: [1\n", "a: b: c\n", "a: 'x\n", "a: @\n", "a: 1\n b: 2\n"])
def test_syntax_errors_have_a_place(text: str, pure: bool) -> None:
    error = flaw(text, pure)
    assert error.code == "not-yaml"
    assert str(error).startswith("s.yaml:")
    assert ": not valid YAML: " in str(error)


def test_a_syntax_error_says_where() -> None:
    assert str(flaw("a: b: c\n")) == (
        "s.yaml:1:5: not valid YAML: mapping values are not allowed in this context"
    )


@PARSERS
def test_characters_that_yaml_does_not_allow(pure: bool) -> None:
    error = flaw("a: 1\nb: x\x07\n", pure)
    assert str(error) == "s.yaml:2:5: a character that YAML does not allow"


@PARSERS
@pytest.mark.parametrize("escape", [r"\ud800", r"\U0FFFFFFF"])
def test_escapes_that_are_no_character(escape: str, pure: bool) -> None:
    assert flaw(f'a: "é{escape}"\n', pure).exit_code == 3


@PARSERS
@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_depth_is_bounded(opening: str, pure: bool) -> None:
    text = "a:\n  " + opening * 400
    with pytest.raises(LimitError, match=r"s\.yaml:2:.*deeper than 64"):
        tree.parse("s.yaml", text, pure=pure)


def test_depth_of_the_c_parser_is_bounded_too() -> None:
    with pytest.raises(LimitError, match="deeper than 64"):
        tree.parse("s.yaml", "a: [" + "{" * 100_000)
    with pytest.raises(LimitError, match="deeper than 64"):
        tree.parse("s.yaml", "[" * 1_200)


def test_sixty_four_levels_are_allowed() -> None:
    assert value("a: " + "[" * 63 + "]" * 63) == {"a": eval("[" * 63 + "]" * 63)}
    with pytest.raises(LimitError):
        value("a: " + "[" * 64 + "]" * 64)


def test_aliases_count_as_deep_as_they_stand() -> None:
    half = "[" * 40 + "]" * 40
    with pytest.raises(LimitError, match=r"s\.yaml:2:.*deeper than 64"):
        value(f"a: &a {half}\nb: " + "[" * 40 + "*a" + "]" * 40)
    outer = f"a: &a [&b {half}]\nb: [*b]\nc: &c [*a]\nd: " + "[" * 23 + "*c" + "]" * 23
    with pytest.raises(LimitError, match=r"s\.yaml:4:"):
        value(outer)


@PARSERS
def test_a_thousand_million_laughs(pure: bool) -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [
        f"{name}: &{name} [{', '.join(['*' + before] * 10)}]"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    with pytest.raises(LimitError, match="aliases expand to more than 1000000 nodes"):
        tree.parse("s.yaml", "\n".join(lines), pure=pure)


def test_the_python_parser_serves_where_there_is_no_c_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert value("a: 1") == {"a": "1"}
