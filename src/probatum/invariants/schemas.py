"""A JSON Schema validator that ends, whatever schema and value it is given.

It is jsonschema's Draft 2020-12 with the keywords replaced that could run
away or answer differently in two processes: patterns run in RE2, distinctness
is found by hashing, multiples are decimal, and every keyword that is looked
at costs one unit of a budget. Nothing is ever fetched.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

import referencing
import referencing.exceptions
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing.jsonschema import DRAFT202012

from probatum.errors import SpecError
from probatum.invariants.patterns import pattern

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_BUDGET: Final = 250_000
_MANY: Final = 2_000

_Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]
_work = threading.local()


class Exhausted(Exception):
    """The schema asks for more work than is granted to one answer."""


def validator_for(schema: Mapping[str, Any]) -> Validator:
    """Return a validator, after checking everything that can be checked.

    Raises:
        SpecError: If the schema is none, speaks another dialect, refers to
            something outside itself, or holds a pattern that RE2 refuses.
    """
    named = schema.get("$schema", DIALECT)
    if str(named).rstrip("#") != DIALECT:
        raise SpecError(
            f"the schema is written for {named!r}",
            code="bad-schema",
            hint="only JSON Schema draft 2020-12 is known; rewrite it, or drop $schema",
        )
    resource = DRAFT202012.create_resource(dict(schema))
    try:
        resolver = referencing.Registry().resolver_with_root(resource)
        _check(schema)
        keywords = set(_keywords(resource, resolver, set()))
    except (RecursionError, ValueError) as error:
        raise SpecError(f"the schema cannot be used: {error}", code="bad-schema") from None
    if {"patternProperties", "unevaluatedProperties"} <= keywords:
        raise SpecError(
            "the schema uses patternProperties together with unevaluatedProperties",
            code="bad-schema",
            hint="use additionalProperties",
        )
    validator: Validator = _Bounded(schema, registry=referencing.Registry())
    return validator


def _check(schema: Any) -> None:
    try:
        # Without formats: jsonschema would try patterns in another engine.
        Draft202012Validator.check_schema(schema, format_checker=FormatChecker(formats=()))
    except SchemaError as error:
        place = pointer(error.absolute_path) or "its top level"
        raise SpecError(
            f"the schema is wrong at {place}: {error.message[:200]}", code="bad-schema"
        ) from None


def errors(validator: Validator, value: Any) -> Iterator[ValidationError]:
    """Yield what is wrong with the value, in the order of the schema.

    Raises:
        Exhausted: If it takes too much work to say.
        RecursionError: If the schema refers to itself without end.
    """
    _work.left = _BUDGET
    return validator.iter_errors(value)


def pointer(path: Iterable[str | int]) -> str:
    """Return the JSON Pointer (RFC 6901) of a path."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _keywords(resource: Any, resolver: Any, seen: set[int]) -> Iterator[str]:
    """Yield every keyword that can be reached, having tried patterns and references."""
    contents = resource.contents
    if id(contents) in seen or not isinstance(contents, dict):
        return
    seen.add(id(contents))
    yield from contents
    for source in (*contents.get("patternProperties", ()), contents.get("pattern", "")):
        pattern(source)
    for word in ("$ref", "$dynamicRef"):
        if word in contents:
            found = _resolved(contents[word], resolver)
            _check(found.contents)
            below = DRAFT202012.create_resource(found.contents)
            yield from _keywords(below, found.resolver, seen)
    for below in resource.subresources():
        yield from _keywords(below, resolver.in_subresource(below), seen)


def _resolved(reference: str, resolver: Any) -> Any:
    try:
        return resolver.lookup(reference)
    except referencing.exceptions.Unresolvable:
        raise SpecError(
            f"the schema refers to {reference!r}, which is not in it",
            code="bad-schema",
            hint="references are never fetched; copy the definition into $defs",
        ) from None


def _pattern(
    validator: Any, source: str, instance: object, _schema: object
) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and pattern(source).search(str(instance)) is None:
        yield ValidationError("does not match")


def _pattern_properties(
    validator: Any, by_pattern: Mapping[str, Any], instance: Any, _schema: object
) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    for source, below in by_pattern.items():
        compiled = pattern(source)
        for key, value in instance.items():
            if compiled.search(key) is not None:
                yield from validator.descend(value, below, path=key, schema_path=source)


def _properties(
    validator: Any, known: Mapping[str, Any], instance: Any, _schema: object
) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    for name, below in known.items():
        if name not in instance:
            continue
        if below is False:
            # jsonschema forgets the place of what a false schema refuses.
            yield ValidationError("not allowed", path=(name,))
        else:
            yield from validator.descend(instance[name], below, path=name, schema_path=name)


def _additional_properties(
    validator: Any, below: Any, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    known = schema.get("properties", {})
    compiled = [pattern(source) for source in schema.get("patternProperties", ())]
    for key, value in instance.items():
        if key in known or any(one.search(key) is not None for one in compiled):
            continue
        if below is False:
            yield ValidationError("not allowed", path=(key,))
        else:
            yield from validator.descend(value, below, path=key)


def _required(
    validator: Any, names: Iterable[str], instance: Any, _schema: object
) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        for name in names:
            if name not in instance:
                yield ValidationError("missing", path=(name,))


def _multiple_of(
    validator: Any, unit: float, instance: Any, _schema: object
) -> Iterator[ValidationError]:
    if validator.is_type(instance, "number"):
        # As decimals: 0.3 is a multiple of 0.1, which binary fractions deny.
        ratio = Fraction(str(instance)) / Fraction(str(unit))
        if ratio.denominator != 1:
            yield ValidationError("not a multiple")


def _unique_items(
    validator: Any, wanted: bool, instance: Any, _schema: object
) -> Iterator[ValidationError]:
    if not wanted or not validator.is_type(instance, "array"):
        return
    if len({_key(item) for item in instance}) != len(instance):
        yield ValidationError("not distinct")


def _key(value: Any) -> object:
    """Return a hashable that is equal for equal JSON values, and only for those."""
    if isinstance(value, bool):
        return ("truth", value)
    if isinstance(value, dict):
        return ("object", frozenset((name, _key(item)) for name, item in value.items()))
    if isinstance(value, list):
        return ("array", tuple(map(_key, value)))
    return value


def _few(keyword: _Keyword) -> _Keyword:
    """Refuse to apply a keyword that takes quadratic time to large values."""

    def bounded(
        validator: Any, below: Any, instance: Any, schema: Any
    ) -> Iterable[ValidationError] | None:
        if isinstance(instance, (dict, list)) and len(instance) > _MANY:
            raise Exhausted
        return keyword(validator, below, instance, schema)

    return bounded


def _counted(keyword: _Keyword) -> _Keyword:
    def counted(
        validator: Any, below: Any, instance: Any, schema: Any
    ) -> Iterable[ValidationError] | None:
        _work.left -= 1
        if _work.left < 0:
            raise Exhausted
        return keyword(validator, below, instance, schema)

    return counted


_ORIGINAL: Final[Mapping[str, Any]] = dict(Draft202012Validator.VALIDATORS)

_Bounded: Final = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        name: _counted(keyword)
        for name, keyword in {
            **_ORIGINAL,
            "pattern": _pattern,
            "patternProperties": _pattern_properties,
            "properties": _properties,
            "additionalProperties": _additional_properties,
            "required": _required,
            "multipleOf": _multiple_of,
            "uniqueItems": _unique_items,
            "unevaluatedItems": _few(_ORIGINAL["unevaluatedItems"]),
            "unevaluatedProperties": _few(_ORIGINAL["unevaluatedProperties"]),
        }.items()
    },
)
