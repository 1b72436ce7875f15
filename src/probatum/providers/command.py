"""Programs as systems under test: one process a call, or JSON lines with a long-lived one."""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec

from probatum import canonical
from probatum.errors import ProviderFault
from probatum.plugins.protocols import Answer, Failed, Missing, Request, SystemConfig
from probatum.plugins.references import expand
from probatum.providers.asked import (
    last_user_text,
    messages_of,
    only_known,
    params_text,
    tools_of,
)
from probatum.providers.expired import Expired
from probatum.providers.process import Child, Oversized
from probatum.providers.wire import parse_answer
from probatum.records.base import UNSET, UnsetType
from probatum.records.codec import MAX_SIZE
from probatum.records.target import Target

MAX_LINE: Final = 24 * 1024 * 1024
"""Longest answer line; JSON escapes make a text longer than it is."""


class CommandProvider:
    """Run a program and read its answers.

    What it does:
        Starts ``command`` (a list: program and arguments, no shell) in the
        spec's folder. In mode ``lines`` a process stays and answers one JSON
        line with one JSON line; in mode ``call`` every run starts a process,
        writes the prompt to its standard input and takes its standard output
        as the answer.

    Why it matters:
        Anything that runs can be tested, in any language.

    Example:
        ``model: {provider: command, command: ["node", "bot.js"], mode: lines}``

    Parameters:
        command: Program and arguments. Required. ``${NAME}`` stands for a
            variable of the environment, which is stored nowhere.
        mode: ``lines`` (default) or ``call``.

    Limits:
        POSIX only. A program that keeps state between lines can answer
        differently when runs are made at once. The code digest covers the
        arguments that are files, not what they import.
    """

    name = "command"

    def open(self, config: SystemConfig) -> CommandSystem:
        """Find the program; nothing is started yet.

        Raises:
            ProviderFault: If the options are wrong or there is no such program.
        """
        only_known(config.options, ("command", "mode"), self.name)
        argv = _argv(config.options.get("command"))
        mode = config.options.get("mode", "lines")
        if mode not in ("lines", "call"):
            raise ProviderFault(
                f"the command provider has no mode {mode!r}",
                code="bad-option",
                hint="known: call, lines",
            )
        whole = [expand(word, config.environ) for word in argv]
        program = _program(whole[0], config.folder)
        target = Target(
            provider=self.name,
            model=config.name,
            params=params_text({**config.params, "command": argv, "mode": mode}),
            code=_code(argv, program, config.folder),
        )
        return CommandSystem(target, [program, *whole[1:]], mode, config)


class CommandSystem:
    """A program that was found."""

    bounded = True

    def __init__(self, target: Target, argv: list[str], mode: str, config: SystemConfig) -> None:
        self.target = target
        self._argv = argv
        self._folder = config.folder
        self._timeout = config.timeout
        self._ask: Callable[[Request, float], Answer | Failed]
        self._ask = self._line if mode == "lines" else self._once
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._idle: list[Child] = []
        self._busy: set[Child] = set()

    def call(self, request: Request) -> Answer | Failed | Missing:
        """Ask once; a process that failed is not used again."""
        try:
            return self._ask(request, time.monotonic() + self._timeout)
        except Expired:
            return Failed("timeout", f"no answer in {self._timeout:g} s")
        except Oversized:
            return Failed("too-large", "the answer is over 16 MiB")
        except OSError as error:
            return Missing(f"cannot start {self._argv[0]}: {error.strerror}")

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            idle, busy = self._idle, list(self._busy)
            self._idle = []
        for child in idle:
            child.end()
        for child in busy:
            child.kill()

    def _start(self) -> Child:
        child = Child(self._argv, self._folder)
        with self._lock:
            self._busy.add(child)
        return child

    def _end(self, child: Child) -> None:
        child.end()
        with self._lock:
            self._busy.discard(child)

    def _once(self, request: Request, deadline: float) -> Answer | Failed:
        child = self._start()
        try:
            prompt = last_user_text(request.input).encode()
            data = child.converse(prompt, deadline, MAX_SIZE)
            code = child.wait(deadline)
            if code:
                return Failed("exited", child.last_words(code))
            return Answer(_text(data))
        finally:
            self._end(child)

    def _line(self, request: Request, deadline: float) -> Answer | Failed:
        with self._lock:
            child = self._idle.pop() if self._idle else None
            if child is not None:
                self._busy.add(child)
        if child is None:
            child = self._start()
        whole = False
        try:
            number = next(self._numbers)
            line = child.ask(_asked(request, number), deadline, MAX_LINE)
            if line is None:
                code = child.wait(deadline)
                return Failed("exited", f"ended without an answer, {child.last_words(code)}")
            found = parse_answer(line)
            if isinstance(found, Failed):
                return found
            if found.id != number:
                return Failed("malformed", f"the answer has id {found.id!r}, not {number}")
            whole = True
            return found.result()
        finally:
            if whole:
                with self._lock:
                    self._busy.discard(child)
                    self._idle.append(child)
            else:
                self._end(child)


def _asked(request: Request, number: int) -> bytes:
    line: dict[str, Any] = {
        "id": number,
        "text": last_user_text(request.input),
        "messages": messages_of(request.input),
        "case": request.case,
        "arm": request.arm,
        "declaration": request.declaration,
        "index": request.index,
        "repeat": request.repeat,
    }
    if request.input.tools is not UNSET:
        line["tools"] = tools_of(request.input)
    return msgspec.json.encode(line) + b"\n"


def _text(data: bytes) -> str | bytes:
    """Return text where it is text, without the line end that programs print last."""
    data = data.removesuffix(b"\n").removesuffix(b"\r")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _argv(command: object) -> list[str]:
    if (
        not isinstance(command, list | tuple)
        or not command
        or not all(isinstance(item, str) and item and "\0" not in item for item in command)
    ):
        raise ProviderFault(
            "the command provider needs 'command', a list of program and arguments",
            code="bad-option",
            hint='such as command: ["node", "bot.js"]',
        )
    return list(command)


def _program(name: str, folder: Path) -> str:
    if "/" in name:
        path = str(folder / name)
        if os.path.isfile(path) and os.access(path, os.X_OK):  # noqa: PTH113
            return path
        what = "is not executable" if os.path.exists(path) else "does not exist"  # noqa: PTH110
        raise ProviderFault(
            f"the program {name!r} {what}", code="no-such-program", hint="relative to the spec"
        )
    found = shutil.which(name)
    if found is None:
        raise ProviderFault(
            f"there is no program {name!r}",
            code="no-such-program",
            hint="install it, or give its path with a slash",
        )
    return found


def _code(argv: list[str], program: str, folder: Path) -> str | UnsetType:
    """Return a digest over the arguments and the bytes of those that are files."""
    parts: list[list[str]] = []
    for place, item in enumerate(argv):
        path = folder / item if place else Path(program)
        inside = place > 0 or path.resolve().is_relative_to(folder.resolve())
        parts.append([item, _file_digest(path) if inside else ""])
    if not any(digest for _, digest in parts):
        return UNSET
    return hashlib.sha256(canonical.encode(parts)).hexdigest()


def _file_digest(path: Path) -> str:
    try:
        if not path.is_file():  # a device or a pipe has no end
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return ""
