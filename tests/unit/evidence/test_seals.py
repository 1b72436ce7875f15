"""Claimed times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from sessions import NOW, START_US, build

from probatum.evidence.seals import check_times
from probatum.evidence.session import Tallies
from probatum.evidence.statements import read_statement
from probatum.records.statement import SessionPredicate


@pytest.fixture(scope="module")
def predicate() -> SessionPredicate:
    built = build()
    return read_statement(built.store, built.statement).predicate


def check(predicate: SessionPredicate, now: datetime = NOW, **fields: int) -> list[str]:
    return [item.id for item in check_times(predicate, Tallies(**fields), now)]


def test_possible_times(predicate: SessionPredicate) -> None:
    assert check(predicate) == ["time-claimed"]
    assert check(predicate, first_us=START_US, last_us=START_US + 1) == ["time-claimed"]


def test_end_before_start(predicate: SessionPredicate) -> None:
    turned = msgspec.structs.replace(predicate, start=predicate.end, end=predicate.start)
    assert check(turned) == ["time-order"]


@pytest.mark.parametrize(
    "text", ["2026-13-01T00:00:00.000Z", "0000-01-01T00:00:00.000Z", "2026-01-01T25:00:00.000Z"]
)
def test_no_time_at_all(predicate: SessionPredicate, text: str) -> None:
    assert check(msgspec.structs.replace(predicate, end=text)) == ["time-order"]


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])
def test_ends_of_the_calendar(predicate: SessionPredicate, text: str) -> None:
    found = check(msgspec.structs.replace(predicate, start=text, end=text), first_us=1, last_us=1)
    assert found[0] == "time-claimed"


def test_future(predicate: SessionPredicate) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    assert check(predicate, start - timedelta(minutes=4)) == ["time-claimed"]
    assert check(predicate, start - timedelta(minutes=6)) == ["time-claimed", "time-in-future"]


def test_runs_outside_the_session(predicate: SessionPredicate) -> None:
    hour = 3_600_000_000
    early = {"first_us": START_US - hour, "last_us": START_US}
    late = {"first_us": START_US, "last_us": START_US + hour}
    for fields in (early, late):
        assert check(predicate, **fields) == ["time-claimed", "time-outside-session"]
    continued = msgspec.structs.replace(predicate, continues="ab" * 32)
    assert check(continued, **early) == ["time-claimed"]
