"""Ways to draw samples as the engine does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from probatum.plugins.draws import Draws, seed_material
from probatum.plugins.edits import apply_to_text
from probatum.plugins.protect import protected_spans
from probatum.plugins.protocols import Members, NotApplicable, Sample, Subject
from probatum.plugins.registry import Registry

Perturb = Callable[..., list[tuple[Sample, str]]]


def stream(index: int, seed: int = 7) -> Draws:
    return Draws(
        seed_material(
            seed=seed,
            beacon="",
            case="case",
            declaration="declaration",
            family="family",
            version=1,
            params="{}",
            index=index,
        )
    )


@pytest.fixture
def draws() -> Callable[..., Draws]:
    """A stream for an index."""
    return stream


@pytest.fixture
def prepared() -> Callable[..., Any]:
    """A family prepared for a text; spans are found where params say so."""

    def prepare(family: str, text: str, values: tuple[str, ...] = (), **params: Any) -> Any:
        found = Registry().family(family)
        spans = protected_spans(text, values) if params.get("protect") else ()
        return found.prepare(Subject(text, 3, spans), found.params(**params))

    return prepare


@pytest.fixture
def perturb(prepared: Callable[..., Any]) -> Perturb:
    """Samples of a family with the texts that they make."""

    def make(
        family: str, text: str, samples: int = 50, values: tuple[str, ...] = (), **params: Any
    ) -> list[tuple[Sample, str]]:
        found = prepared(family, text, values, **params)
        assert not isinstance(found, NotApplicable), found
        made = (
            found.samples
            if isinstance(found, Members)
            else [found(stream(index)) for index in range(samples)]
        )
        assert all(edit.message == 3 for sample in made for edit in sample.edits)
        applied = [(sample, apply_to_text(text, sample.edits)) for sample in made]
        assert all(sample.text in (None, changed) for sample, changed in applied)
        return applied

    return make
