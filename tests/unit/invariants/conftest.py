"""Rules as the engine prepares them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from probatum.plugins.protocols import Outcome
from probatum.plugins.registry import Registry


@pytest.fixture
def judged() -> Callable[..., Outcome]:
    """What a rule says of a text."""

    def judge(rule: str, text: str, normalize: tuple[str, ...] = (), **params: Any) -> Outcome:
        found = Registry().rule(rule)
        made = msgspec.convert(params, found.params)
        outcome = found.prepare(made, found.document(made), normalize)(text)
        assert (outcome.reason is None) == (outcome.result != "unjudged")
        assert len(outcome.clues) <= 8
        return outcome

    return judge


@pytest.fixture
def contribution() -> Callable[..., Fraction]:
    """The declared falsifiability of a rule."""

    def declared(rule: str, **params: Any) -> Fraction:
        found = Registry().rule(rule)
        made = msgspec.convert(params, found.params)
        return found.contribution(made, found.document(made))

    return declared


@pytest.fixture
def seen() -> Callable[[str, Outcome], list[Any]]:
    """Clues as short tuples, spans as the text that they show."""

    def short(text: str, outcome: Outcome) -> list[Any]:
        rows = []
        for clue in outcome.clues:
            row: list[Any] = [clue.code]
            if clue.item is not msgspec.UNSET:
                row.append(clue.item)
            if clue.end is not msgspec.UNSET:
                row.append(text[clue.start : clue.end])
            if clue.detail is not msgspec.UNSET:
                row.append(clue.detail)
            rows.append(tuple(row))
        return rows

    return short
