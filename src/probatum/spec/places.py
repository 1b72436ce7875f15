"""Where in the file a value stands, found again when there is something to say."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from yaml.events import (
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from probatum.spec.tree import events

TreePath = tuple[str | int, ...]
"""Keys and list positions from the root of a file to a value."""


class Mark(NamedTuple):
    """A place in a file; both numbers count from 1, columns in code points."""

    line: int
    column: int


class Place(NamedTuple):
    """Where a value stands, and its key or dash.

    Attributes:
        quoted: Whether it is text between double quotes.
    """

    key: Mark
    value: Mark
    quoted: bool


class Duplicate(NamedTuple):
    """A key that its mapping names a second time."""

    key: str
    first: Mark
    second: Mark


class _Spot:
    __slots__ = ("below", "place")

    def __init__(self) -> None:
        self.below: dict[str | int, _Spot] = {}
        self.place: Place | None = None


class Survey:
    """The places of chosen values, and every duplicate key.

    Args:
        text: A file that `tree.parse` could read.
        wanted: Paths whose places will be asked for.
        pure: As for `tree.events`.
    """

    def __init__(self, text: str, wanted: Iterable[TreePath], *, pure: bool = False) -> None:
        self.duplicates: list[Duplicate] = []
        self._root = _Spot()
        for path in wanted:
            spot = self._root
            for step in path:
                spot = spot.below.setdefault(step, _Spot())
        self._next: Callable[[], Any] = events(text, pure=pure)
        self._next()
        self._next()
        event = self._next()
        start = _mark(event)
        self._root.place = Place(start, start, quoted=False)
        self._walk(event, self._root)

    def place(self, path: TreePath) -> Place:
        """Return where `path` stands, or its nearest ancestor that is written here."""
        spot, found = self._root, self._root.place
        for step in path:
            spot = spot.below[step]
            found = spot.place or found
        if found is None:  # pragma: no cover
            raise AssertionError("the root has a place")
        return found

    def _walk(self, event: Any, spot: _Spot | None) -> None:
        if type(event) is MappingStartEvent:
            self._mapping(spot)
        elif type(event) is SequenceStartEvent:
            index = 0
            while type(item := self._next()) is not SequenceEndEvent:
                below = None if spot is None else spot.below.get(index)
                if below is not None:
                    below.place = Place(_mark(item), _mark(item), _quoted(item))
                self._walk(item, below)
                index += 1

    def _mapping(self, spot: _Spot | None) -> None:
        seen: dict[str, Mark] = {}
        while type(event := self._next()) is not MappingEndEvent:
            key, mark = event.value, _mark(event)
            item = self._next()
            below = None
            if key == "<<" and not event.style:
                self._walk(item, None)
                continue
            if key in seen:
                self.duplicates.append(Duplicate(key, seen[key], mark))
            else:
                seen[key] = mark
                below = None if spot is None else spot.below.get(key)
                if below is not None:
                    below.place = Place(mark, _mark(item), _quoted(item))
            self._walk(item, below)


def _mark(event: Any) -> Mark:
    return Mark(event.start_mark.line + 1, event.start_mark.column + 1)


def _quoted(event: Any) -> bool:
    return type(event) is ScalarEvent and event.style == '"'
