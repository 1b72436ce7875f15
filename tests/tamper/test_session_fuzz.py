"""Whatever stands in a record, checking and showing end in an answer or in an error of ours."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sessions import NOW, build, trusting

from probatum.errors import ProbatumError
from probatum.evidence.diff import diff_sessions
from probatum.evidence.history import history
from probatum.evidence.inspect import inspect
from probatum.evidence.log import log
from probatum.evidence.manifest import build_manifest, read_manifest
from probatum.evidence.replay import replay
from probatum.evidence.verify import verify
from probatum.records.base import StatementId
from probatum.render import json as render_json
from probatum.render import text as render_text
from probatum.store import Store

WHOLE = build(control=1, repeats=2)
LABELS = sorted({label.split(":")[0]: label for label in WHOLE.ids}.values())
IDS = sorted(set(WHOLE.ids.values()))
NUMBERS = (0, 1, 2, 3, 7, 2**31, 2**53 - 1, -1)
WORDS = ("", "x", "\u202e", "\x1b[31m", "0", "1", "0.5", "STABLE", "stop", "0.0000", "1.0000")


def mutate(value: Any, chance: random.Random) -> Any:
    """Return `value` with one place of it changed."""
    if isinstance(value, dict) and value:
        name = chance.choice(sorted(value))
        if chance.random() < 0.1:
            return {key: item for key, item in value.items() if key != name}
        return {**value, name: mutate(value[name], chance)}
    if isinstance(value, list):
        if not value or chance.random() < 0.3:
            return chance.choice([[], value[::-1], value * 2, value[:-1]])
        at = chance.randrange(len(value))
        return [*value[:at], mutate(value[at], chance), *value[at + 1 :]]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return chance.choice(NUMBERS)
    return chance.choice([*WORDS, chance.choice(IDS), value[::-1]])


def changed(payload: bytes, seed: int) -> bytes:
    chance = random.Random(seed)
    try:
        value = json.loads(payload)
    except ValueError:
        return payload + b"x"
    for _ in range(chance.choice((1, 1, 2))):
        value = mutate(value, chance)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return text.encode()


def shown(store: Store, statement: StatementId) -> Iterator[Callable[[], str]]:
    """Yield everything that can be shown of a session."""
    yield lambda: render_text.log(log(store))
    yield lambda: render_text.replay(replay(store, statement))
    yield lambda: render_text.inspect(inspect(store, statement, "beta"), full=True)
    yield lambda: render_text.history(history(store, "beta"))
    yield lambda: render_text.diff(diff_sessions(store, *store.sessions()))
    yield lambda: render_json.replay(replay(store, statement))
    yield lambda: render_json.inspect(inspect(store, statement, "beta"))
    yield lambda: render_json.diff(diff_sessions(store, *store.sessions()))
    yield lambda: f"{len(read_manifest(build_manifest(store, statement)).rows)} rows"


@pytest.mark.parametrize("label", LABELS)
def test_no_record_makes_a_reader_fail_otherwise(label: str) -> None:
    for seed in range(40):
        raw = {label: functools.partial(changed, seed=seed)}
        store = Store.memory()
        try:
            first = build(store=store, control=1)
            built = build(store=store, control=1, repeats=2, raw=raw)
            report = verify(store, built.statement, trust=trusting(7), now=NOW)
        except ProbatumError:
            assert label == "statement"
            continue
        assert verify(store, first.statement, now=NOW)
        assert render_json.verify(report).isascii()
        for function in (
            lambda report=report: render_text.verify(report),
            *shown(store, built.statement),
        ):
            try:
                text = function()
            except ProbatumError:
                continue
            assert text
            assert "\x1b" not in text
            assert "\u202e" not in text
