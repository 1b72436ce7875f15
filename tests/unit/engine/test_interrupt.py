from __future__ import annotations

import os
import signal
import threading

import pytest

from probatum.engine.interrupt import Interruption


def send(number: int) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_is_remembered_and_a_second_does_what_it_did(number: int) -> None:
    seen: list[int] = []
    before = signal.signal(number, lambda number, frame: seen.append(number))
    try:
        with Interruption() as stop:
            assert not stop()
            send(number)
            assert stop()
            assert seen == []
            send(number)
            assert seen == [number]
        send(number)
        assert seen == [number, number]
    finally:
        signal.signal(number, before)


def test_handlers_are_put_back() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(KeyError), Interruption() as stop:
        raise KeyError
    assert not stop()
    assert before == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


def test_ctrl_c_still_raises_when_pressed_twice() -> None:
    with Interruption():
        send(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGINT)


def test_a_handler_not_made_by_python_gives_way_to_the_default() -> None:
    before = signal.getsignal(signal.SIGTERM)
    stop = Interruption()
    try:
        with stop:
            stop._before[signal.SIGTERM] = None
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def test_outside_of_the_main_thread_nothing_changes() -> None:
    before = signal.getsignal(signal.SIGINT)
    during: list[object] = []

    def run() -> None:
        with Interruption() as stop:
            during.extend([signal.getsignal(signal.SIGINT), stop()])

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(10)
    assert during == [before, False]
