"""Checking a tree against the authored models, in words and with near names."""

from __future__ import annotations

from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError

from probatum.spec.authored import SpecFile
from probatum.spec.places import TreePath
from probatum.spec.problems import Problems, nearest, shown
from probatum.spec.scalars import describe

FORMS: Final = 'falsify: {version: "1.0", name: …} or probatum: {version: "1", name: …}'

_OLD_WORDS: Final = {
    "exit": "verdict_config",
    "prompt": "text",
    "assert": "invariants",
    "assertions": "invariants",
    "tests": "cases",
}


def check(tree: dict[str, Any], problems: Problems) -> SpecFile | None:
    """Return the typed file, or nothing after noting every mistake in its structure."""
    before = len(problems)
    if ("falsify" in tree) == ("probatum" in tree):
        both = "falsify" in tree
        problems.add(
            ("probatum",) if both else (),
            f"two headers: keep one of {FORMS}" if both else f"no header: write {FORMS}",
            at="key",
            code="bad-header",
        )
    try:
        found = SpecFile.model_validate(tree)
    except ValidationError as error:
        for item in error.errors(include_url=False):
            _note(item, problems)
        return None
    return found if len(problems) == before else None


def _note(item: Any, problems: Problems) -> None:
    kind: str = item["type"]
    path = tuple(step for step in item["loc"] if not str(step).startswith("~"))
    if kind == "extra_forbidden":
        name = str(path[-1])
        known = _keys(path[:-1])
        meant = f" (did you mean {_OLD_WORDS[name]!r}?)" if _OLD_WORDS.get(name) in known else ""
        text = f"unknown key {shown(name)}{meant or nearest(name, known)}"
        problems.add(path, text, at="key", code="unknown-key")
    elif kind == "missing":
        problems.add(path[:-1], f"{path[-1]!r} is missing", code="missing-key")
    elif kind == "literal_error":
        problems.add(path, _literal(path, item))
    else:
        problems.add(path, _words(kind, item))


def _literal(path: TreePath, item: Any) -> str:
    value = item["input"]
    known = _alternatives(item["ctx"]["expected"])
    if path[-1] == "version":
        return f"version {describe(value)} is not known; this release reads {known[0]!r}"
    if not isinstance(value, str):
        return f"expected one of {', '.join(known)}, found {describe(value)}"
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
    model: Any = SpecFile
    for step in path:
        if isinstance(step, str) and step in model.model_fields:
            model = _model_in(model.model_fields[step].annotation, path)
    return sorted(model.model_fields)


def _model_in(annotation: Any, path: TreePath) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = [_model_in(part, path) for part in get_args(annotation)]
    models = [model for model in found if model is not None]
    return models[-1 if len(models) > 1 and "path" in path else 0] if models else None
