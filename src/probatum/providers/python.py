"""Python callables as systems under test."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import sys
import threading
from collections.abc import Awaitable, Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from probatum.digest import sha256_hex
from probatum.errors import ProviderFault
from probatum.plugins.protocols import Answer, Failed, Request, SystemConfig
from probatum.providers.asked import (
    last_user_text,
    messages_of,
    only_known,
    params_text,
    tools_of,
)
from probatum.providers.expired import Expired
from probatum.records.base import UNSET, UnsetType
from probatum.records.inputs import Input
from probatum.records.target import Target

if TYPE_CHECKING:
    from probatum.providers.loops import Loops


class PythonProvider:
    """Call a Python function in this process.

    What it does:
        Imports ``file.py:function`` (relative to the spec) or
        ``module:function`` and calls it once for every run, from several
        threads at a time. ``async def`` functions are awaited.

    Why it matters:
        The shortest way from code to evidence: no server, no serialization.

    Example:
        ``model: {provider: python, model: "faq.py:answer"}``

    Parameters:
        None. The function takes the text of the last user message; if it has
        a parameter called ``messages`` it gets the whole conversation there,
        and the tools on offer in ``tools`` if it has such a parameter.

    Limits:
        A function that hangs cannot be stopped, only left behind: its thread
        lives until the process ends. The code digest covers the file that
        holds the function, not what it imports.
    """

    name = "python"

    def open(self, config: SystemConfig) -> PythonSystem:
        """Import the function and see that it can be called.

        Raises:
            ProviderFault: If there is no such file, module or function, if
                importing it fails, or if it cannot take what it would get.
        """
        only_known(config.options, (), self.name)
        place, colon, attribute = config.name.rpartition(":")
        if not colon or not place or not attribute:
            raise ProviderFault(
                f"{config.name!r} names no function",
                code="bad-target",
                hint="write file.py:function or module:function",
            )
        params = params_text(config.params)
        path = _SearchPath(config.folder, (config.folder / place).parent)
        try:
            module, code = _load(place, config.folder)
            call = _adapt(_find(module, attribute, config.name), config.name)
        except ProviderFault:
            path.leave()
            raise
        path.move_last()
        target = Target(provider=self.name, model=config.name, params=params, code=code)
        return PythonSystem(target, call, config.timeout, path)


class PythonSystem:
    """An imported function."""

    bounded = False

    def __init__(
        self,
        target: Target,
        call: Callable[[Input], Any],
        timeout: float,
        path: _SearchPath,
    ) -> None:
        self.target = target
        self._function = call
        self._timeout = timeout
        self._path = path
        self._lock = threading.Lock()
        self._loops: Loops | None = None

    def call(self, request: Request) -> Answer | Failed:
        """Ask the function once."""
        try:
            found = self._function(request.input)
            if not isinstance(found, str) and inspect.isawaitable(found):
                found = self._await(found)
        except Expired:
            return Failed("timeout", f"no answer in {self._timeout:g} s")
        except BaseException as error:  # noqa: BLE001  # whatever it raises is its answer
            return Failed("raised", describe(error))
        if type(found) is str:
            return Answer(found)
        if isinstance(found, str):
            return Answer(str.__str__(found))
        return Failed("malformed", f"returned {type(found).__name__}, not str")

    def close(self) -> None:
        """Close the event loops and take the folder off the import path."""
        self._path.leave()
        if self._loops is not None:
            self._loops.close()

    def _await(self, found: Awaitable[Any]) -> Any:
        if self._loops is None:
            # A quarter of the start-up time of a run, which only async functions need.
            from probatum.providers.loops import Loops

            with self._lock:
                self._loops = self._loops or Loops()
        return self._loops.wait(found, self._timeout)


def describe(error: BaseException) -> str:
    """Return type and message of an exception, even if its message cannot be made."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  # the system's own exception class may be broken
        text = "(its message cannot be shown)"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class _SearchPath:
    """The folders of the spec and of the file, on ``sys.path``.

    They stand first while importing, as for a script, and last while running,
    so that late imports still work but shadow nothing.
    """

    def __init__(self, *folders: Path) -> None:
        self._entries = list(dict.fromkeys(map(str, folders)))
        sys.path[:0] = self._entries

    def move_last(self) -> None:
        self.leave()
        sys.path.extend(self._entries)

    def leave(self) -> None:
        for entry in self._entries:
            if entry in sys.path:
                sys.path.remove(entry)


class _ExactLoader(SourceFileLoader):
    """Runs the very bytes that were hashed, never a cached compilation."""

    def __init__(self, name: str, path: str, source: bytes) -> None:
        super().__init__(name, path)
        self._source = source

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self._source, self.get_filename(fullname))
        return code


def _load(place: str, folder: Path) -> tuple[ModuleType, str | UnsetType]:
    if place.endswith(".py"):
        return _load_file(folder / place, place, folder)
    try:
        module = importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name is None or not (place == error.name or place.startswith(error.name + ".")):
            raise _import_fault(place, error) from error
        raise ProviderFault(
            f"there is no module {place!r}",
            code="no-such-module",
            hint=_nearest(place, [path.stem for path in folder.glob("*.py")])
            or "a file beside the spec is written file.py:function",
        ) from None
    except (Exception, SystemExit) as error:
        raise _import_fault(place, error) from error
    return module, _code_of(module)


def _load_file(path: Path, place: str, folder: Path) -> tuple[ModuleType, str | UnsetType]:
    try:
        source = path.read_bytes()
    except OSError as error:
        near = _nearest(place, [item.name for item in folder.glob("*.py")])
        raise ProviderFault(
            f"cannot read {place!r}: {error.strerror}", code="no-such-file", hint=near
        ) from None
    name = "probatum_system_" + hashlib.sha256(str(path).encode()).hexdigest()[:16]
    loader = _ExactLoader(name, str(path), source)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None:  # pragma: no cover  # a loader was given
        raise ProviderFault(f"cannot import {place!r}", code="import-error")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _import_fault(place, error) from error
    return module, sha256_hex(source)


def _import_fault(place: str, error: BaseException) -> ProviderFault:
    text = " ".join(describe(error).split())
    return ProviderFault(
        f"importing {place!r} failed: {text}",
        code="import-error",
        hint="run it with Python on its own to see where",
    )


def _code_of(module: ModuleType) -> str | UnsetType:
    try:
        source = inspect.getsourcefile(module)
        return UNSET if source is None else sha256_hex(Path(source).read_bytes())
    except (TypeError, OSError):
        return UNSET


def _find(module: ModuleType, attribute: str, name: str) -> Callable[..., Any]:
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            names = [item for item in vars(module) if callable(getattr(module, item))]
            raise ProviderFault(
                f"{name!r}: there is no {part!r}",
                code="no-such-function",
                hint=_nearest(part, [item for item in names if not item.startswith("_")]),
            )
        found = getattr(found, part)
    if not callable(found):
        raise ProviderFault(
            f"{name!r} is {type(found).__name__}, not a function", code="not-callable"
        )
    function: Callable[..., Any] = found
    return function


def _adapt(function: Callable[..., Any], name: str) -> Callable[[Input], Any]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return lambda value: function(last_user_text(value))
    names = [item for item in ("messages", "tools") if item in signature.parameters]
    try:
        if "messages" not in names:
            signature.bind("")
            return lambda value: function(last_user_text(value))
        signature.bind(**dict.fromkeys(names))
    except TypeError as error:
        raise ProviderFault(
            f"{name!r} cannot be called with what it would get: {error}",
            code="bad-signature",
            hint="it must take one text, or a parameter called messages",
        ) from None
    if "tools" in names:
        return lambda value: function(messages=messages_of(value), tools=tools_of(value))
    return lambda value: function(messages=messages_of(value))


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"there is: {', '.join(sorted(known)[:8])}" if known else ""
