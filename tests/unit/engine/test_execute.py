from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from probatum.engine import execute
from probatum.engine.execute import Executor
from probatum.plugins.protocols import Answer, Failed, Request
from probatum.records.inputs import text_input

INPUT = text_input("x")


class System:
    """A system whose answers are given by a function of the row's number."""

    def __init__(self, answer: Callable[[int], Any], *, bounded: bool = True) -> None:
        self.bounded = bounded
        self.target: Any = None
        self._answer = answer
        self.lock = threading.Lock()
        self.calls: list[int] = []
        self.now = self.most = 0

    def call(self, request: Request) -> Any:
        with self.lock:
            self.calls.append(request.index)
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            return self._answer(request.index)
        finally:
            with self.lock:
                self.now -= 1

    def close(self) -> None:
        """Nothing to close."""


def asked(count: int) -> Iterator[tuple[int, Request]]:
    return ((at, Request(INPUT, "c", "baseline", "", at, 0)) for at in range(count))


def executor(system: System, parallel: int = 4, timeout: float = 30.0) -> Executor[int]:
    ticks = iter(range(10**9))
    return Executor(system, parallel=parallel, timeout=timeout, clock=lambda: next(ticks))


def gather(made: Executor[int], count: int) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for batch in made.run(asked(count)):
        for key, observed in batch:
            assert key not in found
            found[key] = observed
    return found


@pytest.mark.parametrize("parallel", [1, 3, 8])
def test_everything_is_asked_once_and_answered(parallel: int) -> None:
    system = System(lambda at: Answer(str(at)))
    found = gather(executor(system, parallel), 500)
    assert {at: observed.result.text for at, observed in found.items()} == {
        at: str(at) for at in range(500)
    }
    assert sorted(system.calls) == list(range(500))
    assert system.most <= parallel
    assert all(observed.latency_us >= 0 for observed in found.values())


def test_nothing_to_ask_starts_no_worker() -> None:
    made = executor(System(lambda at: Answer("")))
    assert gather(made, 0) == {}
    assert not made._workers


def test_fast_calls_are_made_by_one_worker_in_large_jobs() -> None:
    batches: list[int] = []
    made = executor(System(lambda at: Answer("")), parallel=8)
    for batch in made.run(asked(2_000)):
        batches.append(len(batch))
    assert sum(batches) == 2_000
    assert max(batches) > 4


def test_slow_calls_run_side_by_side() -> None:
    system = System(lambda at: time.sleep(0.05) or Answer(""))
    gather(executor(system, 4), 24)
    assert system.most == 4


def test_a_job_that_turns_slow_gives_back_what_is_left_of_it() -> None:
    system = System(lambda at: (time.sleep(0.03) if at > 300 else None) or Answer(""))
    start = time.monotonic()
    gather(executor(system, 8), 364)
    assert system.most > 1
    assert time.monotonic() - start < 64 * 0.03


def test_calls_that_turn_fast_are_made_by_one_worker_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "_PROBE", 8)
    made = executor(System(lambda at: (time.sleep(0.02) if at < 4 else None) or Answer("")), 2)
    ways: list[bool] = []
    for _ in made.run(asked(400)):
        ways.append(made._narrow)
    assert ways[0] is False
    assert ways[-1] is True


def test_results_that_take_long_are_awaited_with_signs_of_life() -> None:
    made = executor(System(lambda at: time.sleep(0.6) or Answer("late")))
    batches = list(made.run(asked(1)))
    assert batches[0] == []
    assert batches[-1][0][1].result == Answer("late")


def test_a_call_that_hangs_is_left_behind_and_the_rest_goes_on() -> None:
    release = threading.Event()
    system = System(
        lambda at: Answer("late" if at == 2 and release.wait(30) else "ok"),
        bounded=False,
    )
    made = executor(system, parallel=1, timeout=0.1)
    try:
        found = gather(made, 6)
    finally:
        release.set()
    assert found[2].result == Failed("timeout", "no answer in 0.1 s")
    assert found[2].latency_us == 100_000
    assert [found[at].result for at in (0, 1, 3, 4, 5)] == [Answer("ok")] * 5
    assert sorted(system.calls) == list(range(6))
    assert len(made._workers) == 2


def test_what_an_abandoned_call_answers_later_is_ignored() -> None:
    system = System(lambda at: time.sleep(0.4) or Answer("late"), bounded=False)
    made = executor(system, parallel=1, timeout=0.05)
    found = gather(made, 2)
    assert {observed.result.failure for observed in found.values()} == {"timeout"}
    for worker in made._workers:
        worker.join(5)
        assert not worker.is_alive()
    assert made.finished() == []


def test_a_system_that_keeps_its_own_time_is_not_watched() -> None:
    system = System(lambda at: time.sleep(0.4) or Answer("slow"), bounded=True)
    assert gather(executor(system, timeout=0.05), 1)[0].result == Answer("slow")


def test_an_error_of_the_system_itself_is_not_swallowed() -> None:
    def broken(at: int) -> Answer:
        raise RuntimeError("a defect")

    with pytest.raises(RuntimeError, match="a defect"):
        gather(executor(System(broken)), 1)


def test_closing_hands_out_no_more_and_keeps_what_was_finished() -> None:
    system = System(lambda at: time.sleep(0.02) or Answer(""))
    made = executor(system, parallel=2)
    run = made.run(asked(1_000))
    first = [key for key, _ in next(run)]
    run.close()
    for worker in made._workers:
        worker.join(5)
        assert not worker.is_alive()
    late = [key for key, _ in made.finished()]
    assert sorted([*first, *late]) == sorted(system.calls)
    assert len(system.calls) <= 6


def test_requests_are_read_only_as_far_ahead_as_there_are_workers() -> None:
    read: list[int] = []

    def source() -> Iterator[tuple[int, Request]]:
        for at, request in asked(1_000):
            read.append(at)
            yield at, request

    made = executor(System(lambda at: time.sleep(0.01) or Answer("")), parallel=2)
    run = made.run(source())
    for _ in range(3):
        next(run)
    run.close()
    assert len(read) < 20
