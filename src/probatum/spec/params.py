"""Authored keys to the parameter struct of a family or a rule, every mistake noted.

A struct's own types decide what an unquoted scalar means. The fast way
converts all keys at once; only when that fails are they taken one by one, so
that each mistake is found and placed.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple, get_type_hints

import msgspec
from msgspec import inspect

from probatum import canonical
from probatum.spec import scalars
from probatum.spec.places import TreePath
from probatum.spec.problems import Problems, about, nearest, shown
from probatum.spec.scalars import Plain, describe


class _Shape(NamedTuple):
    kinds: Mapping[str, inspect.Type]
    hints: Mapping[str, Any]
    required: frozenset[str]


@lru_cache(maxsize=256)
def _shape(struct: type[msgspec.Struct]) -> _Shape:
    info = inspect.type_info(struct)
    if not isinstance(info, inspect.StructType):  # pragma: no cover
        raise TypeError(f"{struct.__name__} is no struct")
    hints = get_type_hints(struct, include_extras=True)
    return _Shape(
        {field.encode_name: field.type for field in info.fields},
        {field.encode_name: hints[field.name] for field in info.fields},
        frozenset(field.encode_name for field in info.fields if field.required),
    )


def build(
    struct: type[msgspec.Struct],
    given: Mapping[str, Any],
    path: TreePath,
    problems: Problems,
    *,
    also: tuple[str, ...] = (),
) -> msgspec.Struct | None:
    """Return the parameters that were authored, or nothing after noting why not.

    Args:
        struct: The parameter struct.
        given: The authored keys that belong to it.
        path: Where they were authored.
        problems: Takes every mistake.
        also: Keys that stand beside the parameters, for near names.
    """
    shape = _shape(struct)
    known = {name: given[name] for name in given if name in shape.kinds}
    noted = len(problems)
    for name in given:
        if name not in shape.kinds:
            text = f"unknown key {shown(name)}{nearest(name, [*shape.kinds, *also])}"
            problems.add((*path, name), text, at="key", code="unknown-key")
    for name in sorted(shape.required - known.keys()):
        problems.add(path, f"{name!r} is missing", code="missing-key")
    grounded = {}
    for name, value in known.items():
        try:
            grounded[name] = _ground(value, shape.kinds[name], (*path, name), problems)
        except ValueError as error:
            problems.add((*path, name), about((*path, name), str(error)))
    whole = ""
    if len(problems) == noted:
        try:
            return msgspec.convert(grounded, struct)
        except msgspec.ValidationError as error:
            whole = str(error)
    good = _each(shape, known, grounded, path, problems)
    _relations(struct, good, path, problems)
    if len(problems) == noted:
        _note_whole(whole, known, path, problems)
    return None


_BAD: Final = object()


def _each(
    shape: _Shape,
    known: Mapping[str, Any],
    grounded: Mapping[str, Any],
    path: TreePath,
    problems: Problems,
) -> dict[str, Any]:
    """Note the values that do not fit their types; return those that do."""
    good = {}
    for name, value in grounded.items():
        if value is _BAD:
            continue
        try:
            msgspec.convert(value, shape.hints[name])
            good[name] = value
        except msgspec.ValidationError as error:
            text, below = _split(str(error))
            place = (*path, name, *below)
            words = _reworded(text, _leaf(known[name], below), shape.hints[name])
            problems.add(place, about(place, words))
    return good


def _relations(
    struct: type[msgspec.Struct], good: Mapping[str, Any], path: TreePath, problems: Problems
) -> None:
    """Note what a struct's own check says of each value beside the defaults."""
    required = _shape(struct).required
    if not required <= good.keys():
        return
    base = {name: good[name] for name in required}
    for name, value in good.items():
        try:
            msgspec.convert({**base, name: value}, struct)
        except msgspec.ValidationError as error:
            text, _ = _split(str(error))
            if name not in required and text.startswith(f"{name} "):
                problems.add((*path, name), text)


def _note_whole(message: str, known: Mapping[str, Any], path: TreePath, problems: Problems) -> None:
    text, _ = _split(message)
    first = text.partition(" ")[0].rstrip(":,")
    problems.add((*path, first) if first in known else path, text)


# Only messages need these: they are compiled when the first mistake is found.
_AT: Final = r" - at `\$(?P<path>[^`]*)`\Z"
_STEP: Final = r"\.([^.\[]+)|\[(\d+)\]|\[\.\.\.\]"


def _split(message: str) -> tuple[str, TreePath]:
    found = re.search(_AT, message)
    if found is None:
        return message, ()
    steps: list[str | int] = []
    for name, index in re.findall(_STEP, found["path"]):
        steps.append(name or int(index or 0))
    return message[: found.start()], tuple(steps)


def _leaf(value: Any, below: TreePath) -> Any:
    for step in below:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return value
    return value


_EXPECTED: Final = r"Expected `(?P<type>[^`]+)`(?:, got `[^`]+`)?\Z"
_BOUND: Final = r"Expected `(?:int|float|decimal)` (?P<how>[<>]=?) (?P<limit>\S+)\Z"
_LENGTH: Final = r"Expected `(?P<type>\w+)` of length (?P<how>[<>]=?) (?P<limit>\d+)\Z"
_CHOICE: Final = r"(?s:Invalid enum value '(?P<value>.*)'\Z)"
_HOW: Final = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
_TYPES: Final = {
    "str": "text",
    "int": "a whole number",
    "decimal": "a number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}


def _reworded(text: str, leaf: Any, hint: Any) -> str:
    if found := re.match(_EXPECTED, text):
        wanted = [_TYPES.get(part, part) for part in found["type"].split(" | ")]
        return f"expected {' or '.join(wanted)}, found {describe(leaf)}"
    if found := re.match(_BOUND, text):
        return f"must be {_HOW[found['how']]} {found['limit']}"
    if found := re.match(_LENGTH, text):
        if found["how"] == ">=" and found["limit"] == "1":
            return "must not be empty"
        what = "characters" if found["type"] == "str" else "entries"
        return f"must have {_HOW[found['how']]} {found['limit']} {what}"
    if found := re.match(_CHOICE, text):
        choices = _choices(inspect.type_info(hint))
        return f"unknown value {shown(found['value'])}{nearest(found['value'], choices)}"
    return text[:1].lower() + text[1:]


def _choices(kind: inspect.Type) -> list[str]:
    if isinstance(kind, inspect.LiteralType):
        return [str(value) for value in kind.values]
    if isinstance(kind, inspect.UnionType):
        return [name for part in kind.types for name in _choices(part)]
    if isinstance(kind, inspect.ListType | inspect.VarTupleType):
        return _choices(kind.item_type)
    return []


def _ground(value: Any, kind: inspect.Type, path: TreePath, problems: Problems) -> Any:
    """Give scalars the type that `kind` wants; what cannot be is left for msgspec.

    Raises:
        ValueError: If a scalar has no such type.
    """
    if isinstance(kind, inspect.UnionType):
        return _ground_union(value, kind, path, problems)
    if isinstance(kind, inspect.AnyType):
        return scalars.untyped(value)
    if isinstance(kind, inspect.BoolType):
        return scalars.truth(value)
    if isinstance(kind, inspect.IntType):
        return scalars.whole(value)
    if isinstance(kind, inspect.DecimalType):
        return scalars.number(value)
    if isinstance(kind, inspect.FloatType):
        return float(scalars.number(value))
    if isinstance(value, list) and isinstance(kind, inspect.ListType | inspect.VarTupleType):
        return _ground_all(value, kind.item_type, path, problems)
    if isinstance(value, dict) and isinstance(kind, inspect.DictType):
        return {
            name: _ground(item, kind.value_type, path, problems) for name, item in value.items()
        }
    if isinstance(value, dict) and isinstance(kind, inspect.StructType):
        found = build(kind.cls, value, path, problems)
        return _BAD if found is None else found
    return str(value) if isinstance(value, Plain) else value


def _ground_all(values: list[Any], kind: inspect.Type, path: TreePath, problems: Problems) -> Any:
    found = []
    bad = False
    for index, item in enumerate(values):
        try:
            found.append(_ground(item, kind, (*path, index), problems))
        except ValueError as error:
            problems.add((*path, index), about((*path, index), str(error)))
            bad = True
    return _BAD if bad or _BAD in found else found


def _ground_union(value: Any, kind: inspect.UnionType, path: TreePath, problems: Problems) -> Any:
    parts = [part for part in kind.types if not isinstance(part, inspect.NoneType)]
    if scalars.nothing(value) and len(parts) < len(kind.types):
        return None
    fitting = [part for part in parts if _fits(value, part)]
    return _ground(value, (fitting or parts)[0], path, problems)


def _fits(value: Any, kind: inspect.Type) -> bool:
    if isinstance(kind, inspect.AnyType):
        return True
    if isinstance(value, dict):
        return isinstance(kind, inspect.DictType | inspect.StructType)
    if isinstance(value, list):
        return isinstance(kind, inspect.ListType | inspect.VarTupleType)
    if isinstance(value, Plain):
        found = scalars.core(value)
        if isinstance(found, bool):
            return isinstance(kind, inspect.BoolType)
        if isinstance(found, int):
            return isinstance(kind, inspect.IntType | inspect.DecimalType | inspect.FloatType)
        if isinstance(found, Decimal):
            return isinstance(kind, inspect.DecimalType | inspect.FloatType)
    return isinstance(kind, inspect.StrType | inspect.LiteralType)


def text_of(params: msgspec.Struct, *, without: tuple[str, ...] = ()) -> str:
    """Return the canonical JSON text of parameters, defaults filled in.

    Fractions become shortest decimals in quotes; what is ``None`` or unset
    is left out, as are the names in `without`.

    Raises:
        CanonicalError: If a value has no canonical form.
    """
    plain: dict[str, Any] = msgspec.to_builtins(params, builtin_types=(Decimal,))
    kept = {name: value for name, value in plain.items() if name not in without}
    return canonical.encode(_storable(kept)).decode()


def _storable(value: Any) -> Any:
    if isinstance(value, Decimal):
        return scalars.shortest(value)
    if isinstance(value, float):
        return scalars.shortest(Decimal(repr(value)))
    if isinstance(value, dict):
        return {name: _storable(item) for name, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_storable(item) for item in value]
    return value


def freeze(value: Any) -> Any:
    """Return a hashable stand-in that tells quoted from unquoted scalars."""
    kind = type(value)
    if kind is str:
        return value
    if kind is dict:
        return tuple([(name, freeze(item)) for name, item in value.items()])
    if kind is list:
        return (list, *[item if type(item) is str else freeze(item) for item in value])
    return (Plain, str(value))
