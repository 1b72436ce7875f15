"""The JSON schema of the file format, for editors, made from the code that reads it.

It says which keys there are and what they take. Loading checks more, such as
duplicate ids, and is more lenient in one respect: where text is meant, an
unquoted ``12`` or ``no`` is that text, while an editor may want quotes.
"""

import inspect
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, get_args

import msgspec
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from probatum.records.invariant import Severity
from probatum.spec import later
from probatum.spec.authored import SpecFile
from probatum.spec.catalogue import Catalogue, FamilyLike, Format, RuleLike, format_defaults
from probatum.spec.parts import Step, document_field
from probatum.spec.shapes import Authored

TITLE: Final = "A probatum spec"
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_BOUNDS: Final = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum"}
_REF: Final = "#/$defs/{name}"
_FORMATS: Final[tuple[Format, ...]] = get_args(Format)


class _Generator(GenerateJsonSchema):
    def __init__(self) -> None:
        super().__init__()
        self.ignored_warning_kinds = {"non-serializable-default"}

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Describe an authored mapping, which is no `BaseModel`."""
        model: type[Authored] = schema["cls"]
        found = self.generate_inner(schema["schema"])
        for name, key in model.keys.items():
            if key.about:
                found["properties"][name]["description"] = key.about
        return {**found, "additionalProperties": False, "description": inspect.getdoc(model)}


def editor_schema(catalogue: Catalogue) -> str:
    """Return the schema as JSON text with sorted keys and a final newline.

    Args:
        catalogue: Whose families and rules may be named.
    """
    schema: dict[str, Any] = _Generator().generate(SpecFile.schema)
    definitions: dict[str, Any] = schema.setdefault("$defs", {})
    families = {name: _Choice(entry.params) for name, entry in later.FAMILIES.items()}
    for family in map(catalogue.family, catalogue.families()):
        families[family.name] = _Choice(family.params, _by_format(family))
    rules = {name: _Choice(entry.params) for name, entry in later.RULES.items()}
    for rule in map(catalogue.rule, catalogue.rules()):
        rules[rule.name] = _Choice(rule.params, _by_format(rule), document_field(rule))
    identity = {"id": {"type": "string", "minLength": 1, "maxLength": 64}}
    judged = {
        "severity": {"enum": list(get_args(Severity)), "default": "high"},
        "normalize": {"type": "array", "items": {"enum": list(get_args(Step))}, "default": []},
    }
    case = definitions["CaseSection"]["properties"]
    case["id"] |= {"minLength": 1, "maxLength": 128}
    case["perturbations"]["items"] = _one_of(families, ("type", "family"), identity, definitions)
    case["invariants"]["items"] = _one_of(rules, ("type",), judged, definitions)
    schema |= {
        "$schema": DIALECT,
        "title": TITLE,
        "oneOf": [{"required": ["falsify"]}, {"required": ["probatum"]}],
    }
    return json.dumps(_tidy(schema), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


class _Choice(NamedTuple):
    """A family or a rule.

    Attributes:
        by_format: What to say of the parameters whose default depends on the format.
        document: The parameter that may also be the path of a JSON file.
    """

    params: type[msgspec.Struct]
    by_format: Mapping[str, str] = MappingProxyType({})
    document: str = ""


def _by_format(plugin: FamilyLike | RuleLike) -> dict[str, str]:
    usual = {field.encode_name: field.default for field in msgspec.structs.fields(plugin.params)}
    filled = {form: {**usual, **format_defaults(plugin, form)} for form in _FORMATS}
    varying = {name for form in _FORMATS for name in format_defaults(plugin, form)}
    return {name: _where({form: filled[form][name] for form in _FORMATS}) for name in varying}


def _where(defaults: Mapping[Format, Any]) -> str:
    parts = [
        f"{json.dumps(value)} in {form.replace('/', ' ')} files" for form, value in defaults.items()
    ]
    return f"Unless given: {', '.join(parts)}."


def _one_of(
    choices: Mapping[str, _Choice],
    words: tuple[str, ...],
    shared: Mapping[str, Any],
    definitions: dict[str, Any],
) -> dict[str, Any]:
    """Return a choice between parameter structs, told apart by `words`."""
    structs = [choice.params for choice in choices.values()]
    _, found = msgspec.json.schema_components(structs, ref_template=_REF)
    nested = {name: _numbers(part) for name, part in found.items()}
    entries = []
    for name, choice in sorted(choices.items()):
        own = nested[choice.params.__name__]
        properties = {**own["properties"], **{word: {"const": name} for word in words}, **shared}
        if choice.document:
            properties[choice.document] = {"type": ["object", "string"]}
        for field, text in choice.by_format.items():
            kept = {key: item for key, item in properties[field].items() if key != "default"}
            properties[field] = {**kept, "description": text}
        required = [word for word in own.get("required", ()) if word not in words]
        entry: dict[str, Any] = {
            "type": "object",
            "properties": properties,
            "required": sorted({*required, *(words if len(words) == 1 else ())}),
            "additionalProperties": False,
        }
        if len(words) > 1:
            entry["oneOf"] = [{"required": [word]} for word in words]
        entries.append(entry)
    tops = {struct.__name__ for struct in structs}
    definitions.update({name: part for name, part in nested.items() if name not in tops})
    return {"oneOf": entries}


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
