"""The exception tree and the table of exit codes."""

from __future__ import annotations

import inspect

from probatum import errors
from probatum.errors import ExitCode, NotFoundError, ProbatumError, SpecError


def classes() -> dict[str, type[ProbatumError]]:
    return {
        name: value
        for name, value in vars(errors).items()
        if inspect.isclass(value)
        and issubclass(value, ProbatumError)
        and value is not ProbatumError
    }


def test_the_drawing_shows_the_tree() -> None:
    drawn = {
        line.split()[1]: int(line.split()[2])
        for line in (errors.__doc__ or "").splitlines()
        if "──" in line
    }
    assert drawn == {name: int(kind.exit_code) for name, kind in classes().items()}


def test_exit_codes_are_the_documented_ones() -> None:
    assert {code.name: int(code) for code in ExitCode} == {
        "OK": 0,
        "DEGRADED": 1,
        "FAILED": 2,
        "ERROR": 3,
        "INSUFFICIENT": 4,
        "REGRESSION": 5,
        "LOW_FALSIFIABILITY": 6,
        "INTEGRITY": 7,
        "NOT_TRUSTED": 8,
        "USAGE": 64,
        "INTERNAL": 70,
        "INTERRUPTED": 130,
    }


def test_every_class_has_its_own_code() -> None:
    codes = [kind.default_code for kind in classes().values()]
    assert len(set(codes)) == len(codes)
    error = ProbatumError("it broke", code="very-broken", hint="mend it")
    assert (str(error), error.code, error.hint) == ("it broke", "very-broken", "mend it")


def test_extras_are_kept() -> None:
    assert SpecError("bad", problems=["a", "b"]).problems == ("a", "b")
    assert NotFoundError("none", candidates=["x"]).candidates == ("x",)
    assert NotFoundError("none").code == "not-found"
