"""The JSON schema of the file format, for editors, made from the code that reads it.

It says which keys there are and what they take. Loading checks more, such as
duplicate ids, and is more lenient in one respect: where text is meant, an
unquoted ``12`` or ``no`` is that text, while an editor may want quotes.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, get_args

import msgspec
from pydantic.json_schema import GenerateJsonSchema

from probatum.records.invariant import Severity
from probatum.spec import later
from probatum.spec.authored import SpecFile
from probatum.spec.catalogue import Catalogue
from probatum.spec.parts import Step, document_field

TITLE: Final = "A probatum spec"
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_PROTECT: Final = "Leave facts alone: false unless given in 1.0 files, true in probatum files."
_BOUNDS: Final = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum"}
_REF: Final = "#/$defs/{name}"


def editor_schema(catalogue: Catalogue) -> str:
    """Return the schema as JSON text with sorted keys and a final newline.

    Args:
        catalogue: Whose families and rules may be named.
    """
    schema: dict[str, Any] = SpecFile.model_json_schema(
        ref_template="#/$defs/{model}", schema_generator=GenerateJsonSchema
    )
    definitions: dict[str, Any] = schema.setdefault("$defs", {})
    families = {name: catalogue.family(name).params for name in catalogue.families()}
    families |= {name: entry.params for name, entry in later.FAMILIES.items()}
    rules = {name: catalogue.rule(name).params for name in catalogue.rules()}
    rules |= {name: entry.params for name, entry in later.RULES.items()}
    known = {name: document_field(catalogue.rule(name)) for name in catalogue.rules()}
    documents = {name: field for name, field in known.items() if field}
    identity = {"id": {"type": "string", "minLength": 1, "maxLength": 64}}
    judged = {
        "severity": {"enum": list(get_args(Severity)), "default": "high"},
        "normalize": {"type": "array", "items": {"enum": list(get_args(Step))}, "default": []},
    }
    case = definitions["CaseSection"]["properties"]
    case["perturbations"]["items"] = _one_of(
        families, ("type", "family"), identity, definitions, {}
    )
    case["invariants"]["items"] = _one_of(rules, ("type",), judged, definitions, documents)
    schema |= {
        "$schema": DIALECT,
        "title": TITLE,
        "oneOf": [{"required": ["falsify"]}, {"required": ["probatum"]}],
    }
    return json.dumps(_tidy(schema), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _one_of(
    structs: Mapping[str, type[msgspec.Struct]],
    words: tuple[str, ...],
    shared: Mapping[str, Any],
    definitions: dict[str, Any],
    documents: Mapping[str, str],
) -> dict[str, Any]:
    """Return a choice between parameter structs, told apart by `words`."""
    _, found = msgspec.json.schema_components(list(structs.values()), ref_template=_REF)
    nested = {name: _numbers(part) for name, part in found.items()}
    choices = []
    for name, struct in sorted(structs.items()):
        own = nested[struct.__name__]
        properties = {**own["properties"], **{word: {"const": name} for word in words}, **shared}
        if name in documents:
            properties[documents[name]] = {"type": ["object", "string"]}
        required = [word for word in own.get("required", ()) if word not in words]
        if "protect" in properties:
            properties["protect"] = {"type": "boolean", "description": _PROTECT}
        choice = {
            "type": "object",
            "properties": properties,
            "required": sorted({*required, *(words if len(words) == 1 else ())}),
            "additionalProperties": False,
        }
        if len(words) > 1:
            choice["oneOf"] = [{"required": [word]} for word in words]
        choices.append(choice)
    tops = {struct.__name__ for struct in structs.values()}
    definitions.update({name: part for name, part in nested.items() if name not in tops})
    return {"oneOf": choices}


def _numbers(value: Any) -> Any:
    """Return a schema in which decimals are the numbers that authors write."""
    if isinstance(value, dict):
        if value.get("format") == "decimal":
            kept = {name: item for name, item in value.items() if name not in ("type", "format")}
            return {**kept, "type": "number"}
        return {name: _numbers(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    return value


def _tidy(value: Any) -> Any:
    """Write bounds in the words of the dialect; drop what only repeats a key or an absence."""
    if isinstance(value, dict):
        kept = {
            _BOUNDS.get(name, name): _tidy(item)
            for name, item in value.items()
            if not _noise(name, item)
        }
        if kept.get("type") == "number" and isinstance(kept.get("default"), str):
            kept["default"] = float(kept["default"])
        choices = kept.get("anyOf")
        if isinstance(choices, list) and {"type": "null"} in choices and len(choices) == 2:
            del kept["anyOf"]
            kept |= next(item for item in choices if item != {"type": "null"})
        return kept
    if isinstance(value, list):
        return [_tidy(item) for item in value]
    return value


def _noise(name: str, item: Any) -> bool:
    if name == "title":
        return isinstance(item, str) and item != TITLE
    return (name == "default" and (item is None or isinstance(item, dict))) or (
        name == "required" and item == []
    )
