"""A child process on a leash: bounded output, a deadline, and no survivors."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from probatum.providers.expired import Expired

_CHUNK: Final = 256 * 1024
_TAIL: Final = 8 * 1024
_POLL: Final = 0.1
"""Seconds after which a child that closed nothing is looked at again."""


class Oversized(Exception):
    """The child wrote more than was allowed."""


class Child:
    """One process in a group of its own, with its three pipes.

    Not for use by two threads at a time. Standard error is kept only to its
    last 8 KiB.

    Raises:
        OSError: If the program cannot be started.
    """

    def __init__(self, argv: Sequence[str], folder: Path) -> None:
        # Unbuffered pipes, so that a selector sees all that has arrived.
        self._process = subprocess.Popen(  # noqa: S603  # the author named it; no shell
            list(argv),
            bufsize=0,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._stdin, self._stdout, self._stderr = (
            self._take(pipe.fileno() if pipe is not None else -1)
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        self._received = bytearray()
        self._errors = bytearray()
        self._ended: set[int] = set()

    @staticmethod
    def _take(descriptor: int) -> int:
        os.set_blocking(descriptor, False)
        return descriptor

    def ask(self, line: bytes, deadline: float, limit: int) -> bytes | None:
        """Send a line and return the next line, or None if the child ends before.

        Args:
            line: Sent whole, with its line feed.
            deadline: On the monotonic clock, in seconds.
            limit: Longest answer, in bytes.

        Raises:
            Expired: If the deadline passes.
            Oversized: If the answer is longer than `limit`.
        """
        self._exchange(line, deadline, limit, until_line=True, close=False)
        head, found, rest = bytes(self._received).partition(b"\n")
        if not found:
            return None
        self._received[:] = rest
        return head

    def converse(self, data: bytes, deadline: float, limit: int) -> bytes:
        """Send everything, close standard input, and return all that is written.

        Raises:
            Expired: If the deadline passes.
            Oversized: If more than `limit` bytes are written.
        """
        self._exchange(data, deadline, limit, until_line=False, close=True)
        return bytes(self._received)

    def wait(self, deadline: float) -> int:
        """Return the exit status of a child that has closed its output.

        Raises:
            Expired: If it is still running at the deadline.
        """
        try:
            code = self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise Expired from None
        while self._stderr not in self._ended and self._read(self._stderr):
            pass
        return code

    def last_words(self, code: int) -> str:
        """Return in words how it ended, with the last line of its standard error."""
        text = f"killed by signal {-code}" if code < 0 else f"exit status {code}"
        lines = self._errors.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"{text}: {last}" if last else text

    def kill(self) -> None:
        """Kill the whole group and reap the child; safe while another thread reads."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def end(self) -> None:
        """Kill what is left of the group, reap the child and close the pipes."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _exchange(
        self, data: bytes, deadline: float, limit: int, *, until_line: bool, close: bool
    ) -> None:
        pending = memoryview(data)
        with selectors.DefaultSelector() as selector:
            for descriptor in {self._stdout, self._stderr} - self._ended:
                selector.register(descriptor, selectors.EVENT_READ)
            selector.register(self._stdin, selectors.EVENT_WRITE)
            writing = True
            while self._stdout not in self._ended:
                if until_line and not writing and b"\n" in self._received:
                    return
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Expired
                ready = selector.select(min(left, _POLL))
                for key, _ in ready:
                    if key.fd == self._stdin:
                        pending = self._write(pending)
                        if not pending:
                            selector.unregister(self._stdin)
                            writing = False
                            self._close_input(wanted=close)
                    elif self._read(key.fd) == b"":
                        selector.unregister(key.fd)
                if len(self._received) > limit:
                    raise Oversized
                # A grandchild may hold the pipe open after the child is gone.
                if not ready and self._process.poll() is not None:
                    return

    def _write(self, pending: memoryview) -> memoryview:
        try:
            return pending[os.write(self._stdin, pending[:_CHUNK]) :]
        except BlockingIOError:
            return pending
        except BrokenPipeError:
            return pending[:0]

    def _close_input(self, *, wanted: bool) -> None:
        if wanted and self._process.stdin is not None:
            self._process.stdin.close()

    def _read(self, descriptor: int) -> bytes | None:
        """Take what is there: nothing yet (None), the end (empty), or data."""
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return None
        if not data:
            self._ended.add(descriptor)
        elif descriptor == self._stdout:
            self._received += data
        else:
            self._errors += data
            del self._errors[:-_TAIL]
        return data
