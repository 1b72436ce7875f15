"""Letting Ctrl-C wait until nothing is half-written."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Final, Self

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """While entered, the first SIGINT or SIGTERM is only remembered.

    A second one does what it would have done without this, for who does not
    want to wait. Outside of the main thread, where signals cannot be handled,
    nothing is changed.
    """

    def __init__(self) -> None:
        self._requested = False
        self._before: dict[int, signal.Handlers | object] = {}

    def __call__(self) -> bool:
        """Tell whether to stop."""
        return self._requested

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                self._before[number] = signal.getsignal(number)
                signal.signal(number, self._remember)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._restore()

    def _remember(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        self._requested = True
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            # None stands for a handler that was not installed from Python.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # type: ignore[arg-type]
        self._before = {}
