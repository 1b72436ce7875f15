"""The rule `schema_match`: the answer is JSON of a declared shape."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any, Final

import msgspec
from jsonschema.exceptions import ValidationError
from msgspec import UNSET, UnsetType

from probatum.canonical import foreign_json
from probatum.errors import CanonicalError, LimitError, SpecError
from probatum.invariants import extraction, schemas
from probatum.invariants.matching import MAX_CLUES
from probatum.invariants.normalize import normalizer
from probatum.invariants.parsing import parse
from probatum.plugins.protocols import Check, Outcome
from probatum.records.judgment import Clue

_LONGEST: Final = 200
_SURROGATE: Final = "[\ud800-\udfff]"


class SchemaMatchParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of `schema_match`.

    Attributes:
        schema: A JSON Schema. It is stored as a document beside the
            parameters, which therefore do not repeat it.
        extract: Look for the JSON inside the answer.
    """

    schema: dict[str, Any] | UnsetType = UNSET
    extract: bool = False


class SchemaMatch:
    """The answer is JSON that a schema accepts.

    What it does:
        Passes when the raw answer, with nothing but white space around it, is
        one JSON value and the JSON Schema (draft 2020-12) accepts it. With
        `extract` the value may stand in a code block or among other words.
        Evidence: `not-json`, `duplicate-key`, `too-deep`, `out-of-range`, or
        up to eight times `schema` with the JSON Pointer of the place and the
        keyword that refuses it, such as `/items/0/price type`. A missing or
        unexpected property is named by its own place.

    Why it matters:
        Whatever reads a structured answer relies on its fields, on the bad
        days too.

    Example:
        With `schema: {type: object, required: [order_id]}` the answer
        `{"order_id": "A1"}` passes and `{"id": "A1"}` fails with
        `/order_id required`.

    Parameters:
        schema: a JSON Schema as a mapping.
        extract: take the first of these for the answer: the whole text; the
        content of the first code block between triple backticks, named `json`
        or not at all, that is JSON; the first complete object or array in the
        text. Off unless given; `falsify` 1.0 files switch it on.

    Limits:
        Without `extract` a code fence or a sentence around the JSON fails.
        With it, the first value counts, be it a `[1]` that is a footnote; one
        that has a duplicate key, holds `NaN` or is too deep fails, whatever
        follows; and inside one that breaks off no other is looked for.
        References stay inside the schema; nothing is fetched. Patterns are
        RE2, so that they take linear time; `format` is not checked. A schema
        that asks for more than 250,000 keyword checks of one answer, or refers
        to itself without end, leaves it unjudged: `schema-work`,
        `schema-recursion`. Numbers beyond the range of a double are refused.
        Declared falsifiability is 0.2 a required property, at most 1, counted
        through `properties`, `items`, `allOf` and references inside the
        schema.
    """

    name = "schema_match"
    version = 1
    params = SchemaMatchParams
    format_defaults: Final[Mapping[str, Mapping[str, bool]]] = {"falsify/1.0": {"extract": True}}
    document_field = "schema"

    def document(self, params: SchemaMatchParams) -> bytes | None:
        """Return the schema as compact JSON with sorted keys.

        Raises:
            SpecError: If it is not JSON.
        """
        if params.schema is UNSET:
            return None
        try:
            return json.dumps(
                params.schema,
                sort_keys=True,
                separators=(",", ":"),
                ensure_ascii=False,
                allow_nan=False,
                default=_number,
            ).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise SpecError(f"the schema is not JSON: {error}", code="bad-schema") from None

    def prepare(
        self, params: SchemaMatchParams, document: bytes | None, normalize: tuple[str, ...]
    ) -> Check:
        """Build the validator.

        Raises:
            SpecError: If there is no schema, or it cannot be used.
        """
        validator = schemas.validator_for(self._schema(params, document))
        apply = normalizer(normalize)
        read = extraction.find if params.extract else parse

        def check(text: str) -> Outcome:
            value, flaw = read(apply(text))
            if flaw is None and not _in_range(value):
                flaw = Clue(code="out-of-range")
            if flaw is not None:
                return Outcome("fail", (flaw,))
            try:
                found = list(islice(schemas.errors(validator, value), MAX_CLUES))
            except schemas.Exhausted:
                return Outcome("unjudged", reason="schema-work")
            except RecursionError:
                return Outcome("unjudged", reason="schema-recursion")
            return Outcome("fail" if found else "pass", tuple(map(_clue, found)))

        return check

    def contribution(self, params: SchemaMatchParams, document: bytes | None) -> Fraction:
        """Return min(1, 0.2 x required properties)."""
        return min(Fraction(1), Fraction(_required(self._schema(params, document)), 5))

    def _schema(self, params: SchemaMatchParams, document: bytes | None) -> dict[str, Any]:
        given = document if document is not None else self.document(params)
        if given is None:
            raise SpecError("schema_match needs a schema", code="missing-schema")
        try:
            schema = foreign_json(given)
        except (CanonicalError, LimitError) as error:
            raise SpecError(f"the schema cannot be read: {error}", code="bad-schema") from None
        if not isinstance(schema, dict):
            raise SpecError("the schema is no JSON object", code="bad-schema")
        return schema


def _number(value: object) -> int | float:
    """Return a decimal as the number that JSON has for it."""
    if not isinstance(value, Decimal):
        raise TypeError(f"{type(value).__name__} is no JSON")
    return int(value) if value == value.to_integral_value() else float(value)


def _clue(error: ValidationError) -> Clue:
    place = schemas.pointer(error.absolute_path)
    word = str(error.validator or "false")
    detail = f"{place} {word}" if place else word
    if len(detail) > _LONGEST:
        detail = f"{place[: _LONGEST - len(word) - 2]}… {word}"
    return Clue(code="schema", detail=re.sub(_SURROGATE, "\ufffd", detail))


def _in_range(value: Any) -> bool:
    """Say whether a double can hold every number in the value."""
    rest = [value]
    while rest:
        item = rest.pop()
        if isinstance(item, dict):
            rest.extend(item.values())
        elif isinstance(item, list):
            rest.extend(item)
        elif isinstance(item, float):
            if math.isinf(item):
                return False
        elif isinstance(item, int) and item.bit_length() > 1023:
            return False
    return True


def _required(schema: dict[str, Any]) -> int:
    """Count the properties that the schema requires of what it describes."""
    total = 0
    seen: set[str] = set()
    rest: list[Any] = [schema]
    while rest:
        item = rest.pop()
        if not isinstance(item, dict):
            continue
        total += len(set(item.get("required", ())))
        rest.extend(item.get("properties", {}).values())
        rest.extend((item.get("items"), *item.get("allOf", ())))
        reference = item.get("$ref")
        if isinstance(reference, str) and reference not in seen:
            seen.add(reference)
            rest.extend(_inside(schema, reference))
    return total


def _inside(schema: dict[str, Any], reference: str) -> Iterator[Any]:
    """Yield what a reference such as ``#/$defs/order`` names, if it is one."""
    if not reference.startswith("#/"):
        return
    found: Any = schema
    for step in reference[2:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or name not in found:
            return
        found = found[name]
    yield found
