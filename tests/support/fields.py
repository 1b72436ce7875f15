"""Every field of a record, and other values that it could have."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import inspect

from probatum.records import codec

Path = tuple[str | int, ...]

OTHER_HEX: Final = "0f" * 32
WORDS: Final = ("0.25", "0.5000", "1.0000", "1999-01-01T00:00:00.000Z", OTHER_HEX, "x", "")


class Edit(NamedTuple):
    """One change of one place of a record.

    Attributes:
        field: The place without positions, such as ``trials.rows[].repeat``.
        what: How it is changed.
        path: The place.
        value: What is put there; `GONE` for nothing.
    """

    field: str
    what: str
    path: Path
    value: Any


class _Gone:
    """Nothing, where something was."""


GONE: Final = _Gone()


def apply(edit: Edit) -> Callable[[Any], Any]:
    """Return a change of a plain JSON value."""

    def change(value: Any, path: Path = edit.path) -> Any:
        if not path:
            return edit.value
        head, *rest = path
        if isinstance(value, list):
            assert isinstance(head, int)
            return [*value[:head], change(value[head], tuple(rest)), *value[head + 1 :]]
        changed = dict(value)
        if not rest and edit.value is GONE:
            changed.pop(head)
        else:
            changed[str(head)] = change(value.get(head), tuple(rest))
        return changed

    return change


class Fields:
    """Enumerates the edits of records.

    Args:
        kinds: Kinds of the ids that there are; one of the same kind is put in
            an id's place.
    """

    def __init__(self, kinds: Mapping[Any, str]) -> None:
        self._kinds = kinds
        self._same: dict[str, list[str]] = {}
        for name, kind in kinds.items():
            self._same.setdefault(kind, []).append(name)

    def edits(self, kind: str, value: Any) -> Iterator[Edit]:
        """Yield every edit of a record of a kind."""
        for found in self._of(inspect.type_info(codec.RECORDS[kind]), value, kind, ()):
            if apply(found)(value) != value:
                yield found

    def _of(self, kind: inspect.Type, value: Any, field: str, path: Path) -> Iterator[Edit]:
        if isinstance(kind, inspect.UnionType):
            kind = _fitting(kind, value)
        if isinstance(kind, inspect.StructType):
            yield from self._struct(kind, value, field, path)
        elif isinstance(kind, inspect.VarTupleType):
            yield from self._list(value, field, path)
            for at, item in enumerate(value):
                yield from self._of(kind.item_type, item, f"{field}[]", (*path, at))
        elif isinstance(kind, inspect.TupleType):
            for at, (one, item) in enumerate(zip(kind.item_types, value, strict=True)):
                yield from self._of(one, item, f"{field}[]", (*path, at))
        else:
            for what, other in self._scalar(kind, value):
                yield Edit(field, what, path, other)

    def _struct(
        self, kind: inspect.StructType, value: Any, field: str, path: Path
    ) -> Iterator[Edit]:
        for item in kind.fields:
            name = item.encode_name
            at = (*path, name)
            label = f"{field}.{name}"
            if name in value:
                if not item.required:
                    yield Edit(label, "removed", at, GONE)
                yield from self._of(item.type, value[name], label, at)
            elif name != "v":
                for sample in self._samples(item.type, name):
                    yield Edit(label, "added", at, sample)

    def _samples(self, kind: inspect.Type, name: str) -> Iterator[Any]:
        """Yield values for a field that is absent."""
        named = {"baseline": "output", "document": "blob", "blob": "blob", "perturbation": name}
        same = self._same.get(named.get(name, name), [])
        if same:
            yield same[0]
            return
        types = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
        for one in types:
            if isinstance(one, inspect.IntType):
                yield 1
            elif isinstance(one, inspect.LiteralType):
                yield one.values[0]
            elif isinstance(one, inspect.StrType):
                yield from WORDS[:-1] if one.pattern else WORDS[4:5]
            elif isinstance(one, inspect.BoolType):
                yield True
            elif isinstance(one, inspect.VarTupleType):
                yield [next(self._samples(one.item_type, ""))]
            elif isinstance(one, inspect.StructType):
                made = {
                    item.encode_name: next(self._samples(item.type, item.encode_name))
                    for item in one.fields
                    if item.required
                }
                yield made if one.tag_field is None else {**made, one.tag_field: one.tag}

    @staticmethod
    def _list(value: list[Any], field: str, path: Path) -> Iterator[Edit]:
        if value:
            yield Edit(field, "first dropped", path, value[1:])
            yield Edit(field, "last dropped", path, value[:-1])
            yield Edit(field, "last twice", path, [*value, value[-1]])
        if len(value) > 1:
            yield Edit(field, "reversed", path, value[::-1])

    def _scalar(self, kind: inspect.Type, value: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(value, bool):
            yield "turned", not value
        elif isinstance(value, int):
            yield from (("more", value + 1), ("less", value - 1))
        elif isinstance(kind, inspect.LiteralType):
            yield from ((f"{other}", other) for other in kind.values if other != value)
        elif value in self._kinds:
            others = [name for name in self._same[self._kinds[value]] if name != value]
            yield from (("another", name) for name in others[:1])
        elif len(value) == 64:
            yield "another", OTHER_HEX
        else:
            yield from self._text(kind, value)

    def _text(self, kind: inspect.Type, value: str) -> Iterator[tuple[str, Any]]:
        assert isinstance(kind, inspect.StrType)
        if kind.pattern:
            yield from (("other", word) for word in WORDS if word != value)
            return
        yield "longer", f"{value}x"
        yield "empty", ""
        if value.startswith("{"):
            for name, change in _json_edits(json.loads(value)):
                text = json.dumps(change, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
                yield name, text
            yield "spaced", value.replace(":", ": ", 1)


def _json_edits(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, item in value.items():
        yield f"without {key}", {name: it for name, it in value.items() if name != key}
        for other in _others(item):
            yield f"{key} changed", {**value, key: other}
    yield "with a key", {**value, "zzz": 1}


def _others(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, str):
        yield f"{value}x"
        with suppress(ValueError):
            yield f"{float(value) / 2}"
    elif isinstance(value, list) and value:
        yield value[1:]
        for other in _others(value[0]):
            yield [other, *value[1:]]


def _fitting(kind: inspect.UnionType, value: Any) -> inspect.Type:
    """Return the member of a union that a value is of."""
    wanted: dict[type, Any] = {
        str: inspect.StrType,
        int: inspect.IntType,
        list: inspect.VarTupleType,
        dict: inspect.StructType,
    }
    for one in kind.types:
        if isinstance(one, inspect.StructType):
            tag = one.tag_field
            if isinstance(value, dict) and (tag is None or value.get(tag) == one.tag):
                return one
        elif isinstance(one, inspect.LiteralType):
            if value in one.values:
                return one
        elif isinstance(one, wanted[type(value)]):
            return one
    raise AssertionError(f"{msgspec.json.encode(value)!r} fits no member")


def every_field(kind: str) -> set[str]:
    """Return the top-level fields of a kind, but for what no record could have otherwise."""
    info = inspect.type_info(codec.RECORDS[kind])
    if isinstance(info, inspect.UnionType):
        info = info.types[0]
    assert isinstance(info, inspect.StructType)
    names = {item.encode_name for item in info.fields}
    return {f"{kind}.{name}" for name in names - {"v", "_type", "predicate"}}
