"""YAML text to plain values: dictionaries, lists and text, and nothing else.

The C parser's events are turned into values directly, which is several times
faster than composing a node graph and resolving every scalar. Positions are
not kept: `places` finds them again when there is something to say.

Nothing here runs tags, and an alias counts as often as it is expanded, so
that a small file cannot stand for a huge one.
"""

from collections.abc import Callable
from typing import Any, Final, NoReturn

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from probatum.canonical import MAX_DEPTH
from probatum.errors import LimitError, SpecError
from probatum.spec.scalars import plain_scalar

MAX_EXPANDED: Final = 1_000_000
"""Most nodes that aliases may add to a file."""

_STANDARD: Final = {
    ScalarEvent: ("!", "tag:yaml.org,2002:str"),
    SequenceStartEvent: ("!", "tag:yaml.org,2002:seq"),
    MappingStartEvent: ("!", "tag:yaml.org,2002:map"),
}


def events(text: str, *, pure: bool = False) -> Callable[[], Any]:
    """Return a function that yields the next YAML event of `text`.

    Args:
        text: A whole file.
        pure: Use the parser written in Python even where the C one exists.
    """
    if yaml.__with_libyaml__ and not pure:
        from yaml._yaml import CParser

        found: Callable[[], Any] = CParser(text).get_event
        return found
    return _PureParser(text).get_event


class _PureParser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):
    def __init__(self, text: str) -> None:
        yaml.reader.Reader.__init__(self, text)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)


class Tree:
    """The values of one file.

    Attributes:
        value: What the document holds; the first of duplicate keys wins.
        duplicates: Whether some mapping names a key twice.
    """

    def __init__(self, value: Any, *, duplicates: bool) -> None:
        self.value = value
        self.duplicates = duplicates


def parse(path: str, text: str, *, pure: bool = False) -> Tree:
    """Read the one document of a file.

    Args:
        path: The file's name, for messages.
        text: The whole file.
        pure: As for `events`.

    Raises:
        SpecError: If it is not YAML, is empty, or uses what specs do not.
        LimitError: If it nests deeper than 64 levels or its aliases expand
            beyond `MAX_EXPANDED` nodes.
    """
    try:
        builder = _Builder(path, events(text, pure=pure))
        return Tree(builder.document(), duplicates=builder.duplicates)
    except yaml.MarkedYAMLError as error:
        _refuse_syntax(path, text, error)
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        _refuse(f"{path}:{line}:{column}: a character that YAML does not allow", "not-yaml")
    except (ValueError, OverflowError) as error:
        _refuse(f"{path}: not valid YAML: {error}", "not-yaml")


def _refuse_syntax(path: str, text: str, error: yaml.MarkedYAMLError) -> NoReturn:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    lines = text.splitlines()
    rest = lines[line][column:] if line < len(lines) else ""
    if "nesting depth" in (error.problem or ""):
        raise LimitError(f"{path}:{line + 1}:{column + 1}: nests deeper than {MAX_DEPTH} levels")
    if rest.startswith("\t"):
        problem, code = "a tab where YAML wants spaces", "tab"
    else:
        problem, code = f"not valid YAML: {error.problem or error.context}", "not-yaml"
    _refuse(f"{path}:{line + 1}:{column + 1}: {problem}", code)


def _refuse(problem: str, code: str) -> NoReturn:
    hint = "indent with spaces" if code == "tab" else ""
    raise SpecError(problem, problems=[problem], code=code, hint=hint) from None


class _Builder:
    def __init__(self, path: str, following: Callable[[], Any]) -> None:
        self._path = path
        self._next = following
        self._anchors: dict[str, tuple[Any, int, int]] = {}
        self._nodes = 0
        self._added = 0
        self._deepest = 0
        self.duplicates = False

    def document(self) -> Any:
        self._next()
        event = self._next()
        if type(event) is not DocumentStartEvent:
            _refuse(f"{self._path}:1:1: the file is empty", "empty")
        event = self._next()
        start = event
        value = self._value(event, 0)
        if not isinstance(value, dict):
            if value == "":
                _refuse(f"{self._path}:1:1: the file is empty", "empty")
            self._fail(start, "a spec is a mapping", "not-a-mapping")
        if type(self._next()) is not DocumentEndEvent:  # pragma: no cover
            raise AssertionError("a document has one root")
        event = self._next()
        if type(event) is not StreamEndEvent:
            self._fail(event, "a second document begins here; a spec is one", "several-documents")
        return value

    def _value(self, event: Any, depth: int) -> Any:
        kind = type(event)
        self._nodes += 1
        if kind is AliasEvent:
            return self._alias(event, depth)
        if event.tag is not None and event.tag not in _STANDARD[kind]:
            self._fail(event, f"tags are not supported: {_shown_tag(event.tag)}", "tag")
        if kind is ScalarEvent:
            value = self._scalar(event)
            if event.anchor is not None:
                self._anchors[event.anchor] = (value, 1, 0)
            return value
        if depth > self._deepest:
            self._deepest = depth
        if depth >= MAX_DEPTH:
            self._deep(event)
        if event.anchor is not None:
            return self._anchored(event, depth)
        return self._mapping(depth) if kind is MappingStartEvent else self._sequence(depth)

    def _anchored(self, event: Any, depth: int) -> Any:
        self._anchors.pop(event.anchor, None)
        outside, self._deepest = self._deepest, depth
        before = self._nodes
        value = self._mapping(depth) if type(event) is MappingStartEvent else self._sequence(depth)
        self._anchors[event.anchor] = (value, self._nodes - before + 1, self._deepest - depth + 1)
        self._deepest = max(outside, self._deepest)
        return value

    def _alias(self, event: Any, depth: int) -> Any:
        found = self._anchors.get(event.anchor)
        if found is None:
            self._fail(
                event, f"the alias *{event.anchor} names no anchor that is whole here", "bad-alias"
            )
        value, nodes, height = found
        self._nodes += nodes
        self._added += nodes
        if self._added > MAX_EXPANDED:
            raise LimitError(f"{self._at(event)}: aliases expand to more than {MAX_EXPANDED} nodes")
        if depth + height > MAX_DEPTH:
            self._deep(event)
        self._deepest = max(self._deepest, depth + height - 1)
        return value

    def _scalar(self, event: Any) -> str:
        value: str = event.value
        if event.style:
            if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
                self._fail(event, "half of a surrogate pair is no character", "surrogate")
            return value
        return value if event.tag is not None else plain_scalar(value)

    def _sequence(self, depth: int) -> list[Any]:
        found: list[Any] = []
        while type(event := self._next()) is not SequenceEndEvent:
            found.append(self._value(event, depth + 1))
        return found

    def _mapping(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        merged: list[dict[str, Any]] = []
        while type(event := self._next()) is not MappingEndEvent:
            if type(event) is not ScalarEvent or event.tag is not None:
                self._fail(event, "a key must be plain text", "bad-key")
            key = event.value
            if event.anchor is not None:
                self._anchors[event.anchor] = (key, 1, 0)
            if key == "<<" and not event.style:
                merged.extend(self._merge(event, depth))
                continue
            value = self._value(self._next(), depth + 1)
            if key in found:
                self.duplicates = True
            else:
                found[key] = value
        for source in merged:
            for key, value in source.items():
                found.setdefault(key, value)
        return found

    def _merge(self, event: Any, depth: int) -> list[dict[str, Any]]:
        value = self._value(self._next(), depth + 1)
        sources = value if isinstance(value, list) else [value]
        if not all(isinstance(source, dict) for source in sources):
            self._fail(event, "<< merges a mapping, or a list of mappings", "bad-merge")
        return sources

    def _deep(self, event: Any) -> NoReturn:
        raise LimitError(f"{self._at(event)}: nests deeper than {MAX_DEPTH} levels")

    def _fail(self, event: Any, text: str, code: str) -> NoReturn:
        _refuse(f"{self._at(event)}: {text}", code)

    def _at(self, event: Any) -> str:
        mark = event.start_mark
        return f"{self._path}:{mark.line + 1}:{mark.column + 1}"


def _shown_tag(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!")[:60]
