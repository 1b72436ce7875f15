"""From the verdicts of cases to that of a session, to exit codes, and to what got worse."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple

from probatum.errors import ExitCode
from probatum.records.verdict import VerdictClass

ORDER: Final[tuple[VerdictClass, ...]] = (
    "INVALID_EVAL",
    "CONSISTENTLY_WRONG",
    "FRAGILE",
    "INSUFFICIENT",
    "STABLE",
)
"""The classes; the first that any case has is the session's."""

Downgrade = Literal["regression", "evidence-lost"]

_EXIT: Final[Mapping[str, ExitCode]] = {
    "STABLE": ExitCode.OK,
    "FRAGILE": ExitCode.DEGRADED,
    "CONSISTENTLY_WRONG": ExitCode.FAILED,
    "INVALID_EVAL": ExitCode.FAILED,
    "INSUFFICIENT": ExitCode.INSUFFICIENT,
}

_REGRESSIONS: Final = frozenset(
    {
        ("STABLE", "FRAGILE"),
        ("STABLE", "CONSISTENTLY_WRONG"),
        ("FRAGILE", "CONSISTENTLY_WRONG"),
    }
)


class ClassCounts(NamedTuple):
    """How many cases have each verdict, under the names of a session's totals."""

    stable: int
    fragile: int
    consistently_wrong: int
    insufficient: int
    invalid_eval: int


def known_class(text: str) -> VerdictClass:
    """Return a verdict class from a manifest; an unknown word counts as INVALID_EVAL."""
    return next((known for known in ORDER if known == text), "INVALID_EVAL")


def session_verdict(classes: Iterable[str]) -> VerdictClass:
    """Return the verdict of a session: the worst of its cases'.

    A session without cases has shown nothing: INSUFFICIENT.
    """
    found = {known_class(text) for text in classes}
    return next((known for known in ORDER if known in found), "INSUFFICIENT")


def class_counts(classes: Iterable[str]) -> ClassCounts:
    """Count the cases of each verdict."""
    found = Counter(known_class(text) for text in classes)
    return ClassCounts(
        stable=found["STABLE"],
        fragile=found["FRAGILE"],
        consistently_wrong=found["CONSISTENTLY_WRONG"],
        insufficient=found["INSUFFICIENT"],
        invalid_eval=found["INVALID_EVAL"],
    )


def exit_code_of(verdict: str) -> ExitCode:
    """Return what a command that resolves verdicts answers for this one."""
    return _EXIT[known_class(verdict)]


def downgrade(old: str | None, new: str | None) -> Downgrade | None:
    """Tell what was lost between two verdicts of one case, if anything.

    Args:
        old: The verdict before; None for a case that is new.
        new: The verdict after; None for a case that has vanished.
    """
    if old is None or old == new:
        return None
    if new is None:
        return "evidence-lost"
    before, after = known_class(old), known_class(new)
    if (before, after) in _REGRESSIONS:
        return "regression"
    if after == "INVALID_EVAL":
        return "evidence-lost" if before != after else None
    return "evidence-lost" if after == "INSUFFICIENT" and before != "INVALID_EVAL" else None


def exit_code_of_downgrades(found: Iterable[Downgrade | None]) -> ExitCode:
    """Return what a comparison answers; a regression outranks lost evidence."""
    kinds = set(found)
    if "regression" in kinds:
        return ExitCode.REGRESSION
    return ExitCode.INSUFFICIENT if "evidence-lost" in kinds else ExitCode.OK
