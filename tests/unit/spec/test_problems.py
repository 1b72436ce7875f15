from __future__ import annotations

import pytest

from probatum.errors import SpecError
from probatum.spec.problems import MAX_NOTED, MAX_SHOWN, Enough, Problems, about, nearest, shown

TEXT = "a: 1\nb: [2, 3]\n"


def said(problems: Problems, text: str = TEXT) -> SpecError:
    return problems.refuse("s.yaml", text)


def test_one_problem_is_the_message() -> None:
    problems = Problems()
    problems.add(("b", 1), "is wrong", code="wrong", hint="make it right")
    assert len(problems) == 1
    error = said(problems)
    assert str(error) == "s.yaml:2:8: is wrong"
    assert error.problems == ("s.yaml:2:8: is wrong (make it right)",)
    assert (error.code, error.hint) == ("wrong", "make it right")


def test_all_problems_are_sorted_by_place_and_said_once() -> None:
    problems = Problems()
    problems.add(("b", 1), "third", code="wrong")
    problems.add(("a",), "second", code="wrong")
    problems.add(("a",), "first", at="key", code="wrong", hint="so")
    problems.add(("b", 1), "third", code="wrong")
    error = said(problems)
    assert str(error) == "s.yaml: 3 problems"
    assert error.problems == (
        "s.yaml:1:1: first (so)",
        "s.yaml:1:4: second",
        "s.yaml:2:8: third",
    )
    assert (error.code, error.hint) == ("wrong", "")


def test_several_codes_are_a_bad_spec() -> None:
    problems = Problems()
    problems.add(("a",), "x", code="one")
    problems.add(("a",), "y", code="two")
    assert said(problems).code == "bad-spec"


def test_duplicate_keys_are_found_while_placing() -> None:
    error = said(Problems(), "a: 1\nb: 2\na: 3\n")
    assert str(error) == "s.yaml:3:1: duplicate key 'a' (first at line 1)"
    assert error.code == "duplicate-key"


def test_the_place_of_the_first_of_two() -> None:
    problems = Problems()
    problems.add(("b", 1), "like line {line}", other=("a",))
    assert str(said(problems)) == "s.yaml:2:8: like line 1"


def test_what_is_missing_stands_where_it_should_be() -> None:
    problems = Problems()
    problems.add(("b", 7, "deep"), "is missing")
    assert str(said(problems)) == "s.yaml:2:4: is missing"


def test_words_about_a_credential_drop_out() -> None:
    problems = Problems()
    problems.add(("a",), "expected a mapping, found 'sk-secret'")
    problems.add(("a",), "holds a credential", code="literal-credential")
    assert said(problems).problems == ("s.yaml:1:4: holds a credential",)


def test_a_problem_is_one_printable_line() -> None:
    problems = Problems()
    problems.add(("a",), "no file\n\x1b[2Jé.json")
    assert str(said(problems)) == "s.yaml:1:4: no file\\n\\x1b[2Jé.json"


def test_very_many_problems_are_counted() -> None:
    problems = Problems()
    for number in range(MAX_SHOWN + 50):
        problems.add(("a",), f"number {number:04}")
    error = said(problems)
    assert str(error) == f"s.yaml: {MAX_SHOWN + 50} problems"
    assert len(error.problems) == MAX_SHOWN + 1
    assert error.problems[-1] == "s.yaml: and 50 more"


def test_there_is_an_end_to_looking() -> None:
    problems = Problems()
    for number in range(MAX_NOTED):
        problems.add(("a",), f"number {number}")
    with pytest.raises(Enough):
        problems.add(("a",), "one more")
    assert len(problems) == MAX_NOTED


def test_names() -> None:
    assert nearest("cont", ["count", "rate"]) == " (did you mean 'count'?)"
    assert nearest("zzz", ["count", "a"]) == " (known: a, count)"
    assert nearest("zzz", []) == ""
    assert shown("a\x1b[0m") == "'a\\x1b[0m'"
    assert shown("a" * 70) == "'" + "a" * 59 + "…'"
    assert about(("a", "b", 0, 1), "is wrong") == "b[0][1]: is wrong"
    assert about((0,), "is wrong") == "is wrong"
