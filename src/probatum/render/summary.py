"""The table of a session's cases and the line that sums it up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from probatum.digest import short
from probatum.records.base import UNSET, UnsetType
from probatum.render import words
from probatum.render.escape import shortened, visible
from probatum.render.layout import Style, plain, table
from probatum.verdicts import needed
from probatum.verdicts.statistics import CONFIDENCE

if TYPE_CHECKING:
    from probatum.records.table import Summary


LEVEL: Final = "0.95"
"""The stability that every shown bound is held against in this table."""

NAME: Final = 48
"""Most characters of a case id in a table."""

_HEADER: Final = ("case", "verdict", "passed", "worst family", "shown at 95 %")


class Line(msgspec.Struct, frozen=True, gc=False):
    """One case of the table.

    Attributes:
        possible: Members of the worst family, if it is exhaustive; else 0.
        why: Why the verdict is no better, where a bound does not say it.
    """

    case: str
    summary: Summary | UnsetType
    possible: int = 0
    why: str = ""


def case_table(lines: Iterable[Line], style: Style = plain) -> list[str]:
    """Return the table of cases, one row a case."""
    rows: list[Sequence[str]] = [_HEADER]
    roles: list[Sequence[str]] = [("dim",) * len(_HEADER)]
    for line in lines:
        rows.append(_row(line))
        verdict = "" if line.summary is UNSET else line.summary.verdict
        roles.append(("", words.VERDICTS.get(verdict, "bad"), "", "", "dim"))
    return table(rows, roles, style)


def _row(line: Line) -> tuple[str, str, str, str, str]:
    name, summary = shortened(line.case, NAME), line.summary
    if summary is UNSET:
        return (name, "?", "", "", "no summary is stored")
    verdict = shortened(summary.verdict, NAME)
    passed = f"{summary.passed}/{summary.judged}"
    return (name, verdict, passed, worst_words(line), _last(line, summary))


def worst_words(line: Line) -> str:
    """Return the worst family with its counts, such as ``typo_noise 3/3``."""
    summary = line.summary
    if summary is UNSET or summary.worst is UNSET:
        return ""
    passed, judged = summary.worst_passed or 0, summary.worst_n or 0
    return f"{shortened(summary.worst, NAME)} {passed_words(passed, judged, line.possible)}"


def passed_words(passed: int, judged: int, possible: int) -> str:
    """Return a family's counts, such as ``5/6``, ``3 of 3 possible`` or ``2/2 of 3 possible``.

    Args:
        passed: Perturbations that passed.
        judged: Perturbations that were judged. Fewer than are possible are
            said, since one that was not judged has not failed.
        possible: Members of an exhaustive family; 0 for a sample.
    """
    if not possible:
        return f"{passed}/{judged}"
    counts = f"{passed}" if judged == possible else f"{passed}/{judged}"
    return f"{counts} of {possible} possible"


def _last(line: Line, summary: Summary) -> str:
    if summary.verdict == "STABLE" or summary.rule == "R5":
        bound = "" if summary.shown is UNSET else bound_words(summary.shown)
        return bound or line.why
    return line.why


def bound_words(shown: str) -> str:
    """Return a shown bound, and what 0.95 would take if it is below."""
    if shown >= LEVEL:
        return f"≥ {shown[:5]}"
    return f"≥ {shown[:5]} ({needed(CONFIDENCE, CONFIDENCE)} needed for {LEVEL})"


def class_words(classes: Iterable[str]) -> str:
    """Return how many cases have each verdict, the worst first."""
    counts = Counter(classes)
    known = [
        f"{counts.pop(name)} {word}" for name, word in words.CLASS_NAMES.items() if counts[name]
    ]
    other = sum(counts.values())
    return ", ".join([*known, *([f"{other} unknown"] if other else [])])


def brief(object_id: str) -> str:
    """Return the form of an id that people see; what is no id is made harmless."""
    return visible(short(object_id))


def count_words(count: int, noun: str) -> str:
    """Return a count with its noun, such as ``1 case`` or ``2 cases``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def sum_line(
    *,
    classes: Sequence[str],
    verdict: str,
    falsifiability: str,
    signed: str,
    session: str,
    notes: Sequence[str] = (),
    style: Style = plain,
) -> str:
    """Return the line that is read in five seconds.

    Args:
        classes: The verdict of every case.
        verdict: The session's.
        falsifiability: Declared, four decimals; two are shown.
        signed: Who signed, or that nobody did.
        session: The session's id.
        notes: What else must not be overlooked, such as ``incomplete``.
        style: Colours, if the terminal has any.
    """
    parts = [
        count_words(len(classes), "case"),
        style(shortened(verdict, NAME), words.VERDICTS.get(verdict, "bad")),
        class_words(classes),
        f"falsifiability {shortened(falsifiability[:4], NAME)}",
        *notes,
        signed,
        f"session {brief(session)}",
    ]
    return " · ".join(part for part in parts if part)
