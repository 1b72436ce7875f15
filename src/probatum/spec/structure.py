"""Checking a tree against the authored models, in words and with near names."""

from typing import Any, Final

from pydantic_core import SchemaValidator, ValidationError

from probatum.spec.authored import SpecFile
from probatum.spec.places import TreePath
from probatum.spec.problems import Problems, about, nearest, shown
from probatum.spec.scalars import describe
from probatum.spec.shapes import LABELS, Authored

HEADERS: Final = ("falsify", "probatum")
MAX_NAME: Final = 200
"""Longest name of a spec, in code points."""

FORMS: Final = 'falsify: {version: "1.0", name: …} or probatum: {version: "1", name: …}'

_CHECKER: Final = SchemaValidator(SpecFile.schema)

_OLD_WORDS: Final = {
    "prompt": "text",
    "assert": "invariants",
    "assertions": "invariants",
    "tests": "cases",
}


def check(tree: dict[str, Any], problems: Problems) -> SpecFile | None:
    """Return the typed file, or nothing after noting every mistake in its structure."""
    before = len(problems)
    _header(tree, problems)
    try:
        found: SpecFile = _CHECKER.validate_python(tree)
    except ValidationError as error:
        for item in error.errors(include_url=False):
            _note(item, problems)
        return None
    return found if len(problems) == before else None


def _header(tree: dict[str, Any], problems: Problems) -> None:
    given = [name for name in HEADERS if name in tree]
    if len(given) == 2:
        text = f"two headers: keep one of {FORMS}"
        problems.add(("probatum",), text, at="key", code="bad-header")
    elif not given:
        from difflib import get_close_matches

        if not any(get_close_matches(name, HEADERS) for name in list(tree)[:20]):
            problems.add((), f"no header: write {FORMS}", code="bad-header")
    elif isinstance(tree[given[0]], dict):
        name = tree[given[0]].get("name")
        if isinstance(name, str) and not (name.isprintable() and len(name) <= MAX_NAME):
            text = f"name: holds more than {MAX_NAME} characters, or some that do not print"
            problems.add((given[0], "name"), text, code="bad-name")


def _note(item: Any, problems: Problems) -> None:
    kind: str = item["type"]
    *above, last = item["loc"]
    path = tuple(step for step in above if step not in LABELS)
    if kind == "extra_forbidden" or last not in LABELS:
        path = (*path, last)
    if kind == "extra_forbidden":
        name = str(path[-1])
        known = _keys(path[:-1])
        meant = f" (did you mean {_OLD_WORDS[name]!r}?)" if _OLD_WORDS.get(name) in known else ""
        text = f"unknown key {shown(name)}{meant or nearest(name, known)}"
        problems.add(path, text, at="key", code="unknown-key")
    elif kind == "missing":
        problems.add(path[:-1], f"{path[-1]!r} is missing", code="missing-key")
    elif kind == "literal_error":
        version = path[-1] == "version"
        problems.add(path, _literal(path, item), code="unknown-version" if version else "bad-spec")
    elif kind == "too_short" and path == ("cases",):
        problems.add(path, "cases: there is none; a spec has at least one", code="no-cases")
    else:
        hint = item.get("ctx", {}).get("hint", "")
        problems.add(path, about(path, _words(kind, item)), hint=hint)


def _literal(path: TreePath, item: Any) -> str:
    value = item["input"]
    known = _alternatives(item["ctx"]["expected"])
    if path[-1] == "version":
        given = shown(value) if isinstance(value, str) else describe(value)
        return f"version {given} is not known; this release reads {known[0]!r}"
    if not isinstance(value, str):
        return about(path, f"expected one of {', '.join(known)}, found {describe(value)}")
    return f"unknown {path[-1]} {shown(value)}{nearest(value, known)}"


def _alternatives(expected: str) -> list[str]:
    return [part.strip("' ") for part in expected.replace(" or ", ", ").split(",")]


def _words(kind: str, item: Any) -> str:
    context = item.get("ctx", {})
    value = item["input"]
    if kind in _SIMPLE:
        return f"expected {_SIMPLE[kind]}, found {describe(value)}"
    if kind == "scalar":
        return str(context["words"])
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        return words.format(context[key])
    if kind == "string_too_short":
        return "must not be empty"
    if kind == "too_short":
        return "must not be empty: give at least one entry"
    message: str = item["msg"]
    return message[:1].lower() + message[1:]


_SIMPLE: Final = {
    "string_type": "text",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "dict_type": "a mapping",
    "list_type": "a list",
}
_BOUNDS: Final = {
    "greater_than_equal": ("ge", "must be at least {}"),
    "greater_than": ("gt", "must be more than {}"),
    "less_than_equal": ("le", "must be at most {}"),
    "string_too_long": ("max_length", "is longer than {} characters"),
    "string_pattern_mismatch": ("pattern", "does not fit {}"),
}


def _keys(path: TreePath) -> list[str]:
    """Return the keys that the mapping at `path` may have."""
    model: type[Authored] = SpecFile
    for step in path:
        if isinstance(step, str) and step in model.keys:
            model = _model_in(model.keys[step].schema) or model
    return sorted(model.keys)


def _model_in(schema: Any) -> type[Authored] | None:
    if schema["type"] == "model":
        found: type[Authored] = schema["cls"]
        return found
    below = [schema.get("schema"), schema.get("items_schema"), *schema.get("choices", {}).values()]
    return next(filter(None, map(_model_in, filter(None, below))), None)
