"""Asking a system many things at once, at little cost for each.

Worker threads take jobs, each a few requests. Calls that wait for something
run side by side (*wide*). A function that answers within microseconds is
called by one worker while the main thread waits (*narrow*): the interpreter
runs one thread at a time, and threads that fight for it take two to three times as
long. A job that takes long is given back with what is left of it, so that
slow calls never stand in one line.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Final, Generic, NamedTuple, TypeVar

from probatum.plugins.protocols import Answer, Failed, Missing, Request, System

_LARGEST: Final = 64
"""Requests in a job at most."""

_SLICE: Final = 0.010
"""Seconds after which a worker gives the rest of its job back."""

_FAST: Final = 0.000_1
"""Seconds a call below which more than one worker only gets in the way."""

_CONTENDED: Final = 0.008
"""Seconds that a fast call may seem to take while threads wait for each other."""

_PROBE: Final = 256
"""Calls made side by side before the narrow way is tried again."""

_TICK: Final = 0.25
"""Seconds between two signs of life while nothing is finished."""

_GRACE: Final = 0.05
"""Seconds beyond the timeout, for a system that keeps it itself."""


class Observed(NamedTuple):
    """What came of one request.

    Attributes:
        start_us: Microseconds since the Unix epoch.
        latency_us: Microseconds until the answer.
    """

    result: Answer | Failed | Missing
    start_us: int
    latency_us: int


K = TypeVar("K")

Asked = tuple[K, Request]
"""A request, with whatever the caller knows it by."""

Done = tuple[K, Observed]


class _Job(Generic[K]):
    """A few requests in the hands of one worker.

    Attributes:
        took: Seconds from first to last.
        fastest: Seconds that the fastest call took.
        started: When the current call began, on the monotonic clock; 0 when
            none is running.
        abandoned: Set when the worker is no longer waited for.
    """

    __slots__ = (
        "abandoned",
        "asked",
        "crash",
        "fastest",
        "lock",
        "observed",
        "slowest",
        "start_us",
        "started",
        "took",
    )

    def __init__(self, asked: list[Asked[K]]) -> None:
        self.asked = asked
        self.observed: list[Observed] = []
        self.lock = threading.Lock()
        self.took = 0.0
        self.fastest = math.inf
        self.slowest = 0.0
        self.started = 0.0
        self.start_us = 0
        self.abandoned = False
        self.crash: BaseException | None = None


class _Seen(NamedTuple):
    """What calls took that were made side by side."""

    calls: int = 0
    fastest: float = math.inf
    slowest: float = 0.0

    def with_job(self, job: _Job[K]) -> _Seen:
        return _Seen(
            self.calls + len(job.observed),
            min(self.fastest, job.fastest),
            max(self.slowest, job.slowest),
        )


class Executor(Generic[K]):
    """Runs requests on worker threads.

    Args:
        system: What to ask; its `call` is used by several threads at a time.
        parallel: Calls that may run at once.
        timeout: Seconds that one call may take. A system that is not
            `bounded` is left behind after it: its thread goes on, alone.
        clock: Microseconds since the Unix epoch; never goes back.
    """

    def __init__(
        self, system: System, *, parallel: int, timeout: float, clock: Callable[[], int]
    ) -> None:
        self._call = system.call
        self._watched = not system.bounded
        self._parallel = parallel
        self._timeout = timeout
        self._clock = clock
        self._todo: SimpleQueue[_Job[K] | None] = SimpleQueue()
        self._finished: SimpleQueue[_Job[K]] = SimpleQueue()
        self._running: set[_Job[K]] = set()
        self._left: deque[Asked[K]] = deque()
        self._workers: list[threading.Thread] = []
        self._size = 1
        self._narrow = True
        self._probe = _PROBE
        self._seen = _Seen()

    def run(self, asked: Iterable[Asked[K]]) -> Generator[list[Done[K]], None, None]:
        """Ask everything; yield results as they come, in no set order.

        `asked` is read only as far ahead as there are workers. An empty list
        is a sign of life. Closing the iterator stops handing out work.
        """
        source = iter(asked)
        try:
            while True:
                self._hand_out(source)
                if not self._running:
                    return
                yield self._collect()
        finally:
            self._dismiss()

    def finished(self) -> list[Done[K]]:
        """Return what was finished but not yet yielded; for use after an interruption."""
        found: list[Done[K]] = []
        while True:
            try:
                found += self._settle(self._finished.get(block=False))
            except Empty:
                return found

    def _dismiss(self) -> None:
        """Let the workers go; what none of them has begun is not begun any more."""
        with suppress(Empty):
            while True:
                self._todo.get(block=False)
        for _ in self._workers:
            self._todo.put(None)

    def _hand_out(self, source: Iterator[Asked[K]]) -> None:
        limit = 1 if self._narrow else 2 * self._parallel
        while len(self._running) < limit:
            asked = self._next(source)
            if not asked:
                return
            job = _Job(asked)
            self._running.add(job)
            self._todo.put(job)
            if len(self._workers) < min(self._parallel, len(self._running)):
                self._hire()

    def _next(self, source: Iterator[Asked[K]]) -> list[Asked[K]]:
        found = [self._left.popleft() for _ in range(min(self._size, len(self._left)))]
        found += islice(source, self._size - len(found))
        return found

    def _hire(self) -> None:
        worker = threading.Thread(target=self._work, name="probatum-run", daemon=True)
        self._workers.append(worker)
        worker.start()

    def _collect(self) -> list[Done[K]]:
        try:
            job = self._finished.get(timeout=self._patience())
        except Empty:
            return self._give_up() if self._watched else []
        return self._settle(job)

    def _settle(self, job: _Job[K]) -> list[Done[K]]:
        self._running.discard(job)
        if job.crash is not None:
            raise job.crash
        self._adapt(job)
        return self._results(job)

    def _results(self, job: _Job[K]) -> list[Done[K]]:
        """Return what a job observed, and put what it did not back in line."""
        count = len(job.observed)
        self._left.extendleft(reversed(job.asked[count:]))
        return [(item[0], seen) for item, seen in zip(job.asked, job.observed, strict=False)]

    def _adapt(self, job: _Job[K]) -> None:
        """Choose the way and the size of the next jobs by what this one took."""
        mean = job.took / max(1, len(job.observed))
        if len(job.observed) < len(job.asked) or mean > _SLICE:
            self._size = 1
        elif mean * self._size * 2 < _SLICE:
            self._size = min(2 * self._size, _LARGEST)
        if self._narrow:
            self._narrow = mean < _FAST
            self._seen = _Seen()
            return
        seen = self._seen = self._seen.with_job(job)
        if seen.calls >= self._probe:
            self._narrow = seen.fastest < _FAST and seen.slowest < _CONTENDED
            self._probe *= 2 if self._narrow else 1
            self._seen = _Seen()

    def _patience(self) -> float:
        """Return how long to wait for a result before looking at what is overdue."""
        if not self._watched:
            return _TICK
        now = time.monotonic()
        waits = [job.started + self._timeout + _GRACE - now for job in self._running if job.started]
        return max(0.0, min([_TICK, *waits]))

    def _give_up(self) -> list[Done[K]]:
        """Leave behind every worker whose call is overdue."""
        found: list[Done[K]] = []
        for job in list(self._running):
            with job.lock:
                late = time.monotonic() - job.started - self._timeout
                if not job.started or late < _GRACE:
                    continue
                job.abandoned = True
            failed = Failed("timeout", f"no answer in {self._timeout:g} s")
            job.observed.append(Observed(failed, job.start_us, int(self._timeout * 1_000_000)))
            self._running.discard(job)
            self._size = 1
            self._narrow = False
            found += self._results(job)
            self._hire()
        return found

    def _work(self) -> None:
        while (job := self._todo.get()) is not None:
            try:
                kept = self._do(job)
            except BaseException as error:  # noqa: BLE001  # raised again where it is waited for
                job.crash = error
                kept = True
            if not kept:
                return
            self._finished.put(job)

    def _do(self, job: _Job[K]) -> bool:
        """Work on a job; tell whether it is still waited for."""
        call, clock, monotonic = self._call, self._clock, time.monotonic
        fastest, slowest = math.inf, 0.0
        began = now = monotonic()
        for _, request in job.asked:
            with job.lock:
                job.start_us = start = clock()
                job.started = now
            result = call(request)
            latency = clock() - start
            with job.lock:
                if job.abandoned:
                    return False
                job.started = 0.0
                job.observed.append(Observed(result, start, latency))
            before, now = now, monotonic()
            took = now - before
            if took < fastest:
                fastest = took
            if took > slowest:
                slowest = took
            if now - began > _SLICE:
                break
        job.fastest, job.slowest, job.took = fastest, slowest, now - began
        return True
