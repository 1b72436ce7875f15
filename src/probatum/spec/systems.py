"""The `model` section: which keys a provider takes, and no literal credential."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from probatum.spec import later
from probatum.spec.authored import Model
from probatum.spec.catalogue import Catalogue
from probatum.spec.compiled import ModelSection
from probatum.spec.places import TreePath
from probatum.spec.problems import LITERAL, Problems, nearest, shown

_OWN: Final[Mapping[str, frozenset[str]]] = {
    "command": frozenset({"command", "mode"}),
    "fixtures": frozenset(),
    "python": frozenset(),
}
_REMOTE: Final = frozenset({"api_key", "base_url", "headers", "api_version", "organization"})
SAMPLING: Final = ("temperature", "max_tokens", "seed")
"""Keys that steer sampling; they change nothing for a local system."""


def check(tree: Any, catalogue: Catalogue, problems: Problems) -> None:
    """Note what is wrong with a raw `model` section beyond its structure."""
    if not isinstance(tree, dict):
        return
    path: TreePath = ("model",)
    name = tree.get("provider")
    if not isinstance(name, str) or not name:
        return
    if name in catalogue.providers():
        _keys(str(name), tree, path, problems)
    elif name in later.PROVIDERS:
        problems.add(
            (*path, "provider"), later.refusal("provider", str(name)), code="not-available"
        )
    else:
        known = {*catalogue.providers(), *later.PROVIDERS}
        text = f"unknown provider {shown(name)}{nearest(name, known)}"
        problems.add((*path, "provider"), text, code="unknown-provider")


def _keys(name: str, tree: dict[str, Any], path: TreePath, problems: Problems) -> None:
    own = _OWN.get(name, frozenset())
    others = {"command", "mode", *_REMOTE} - own
    for word in tree:
        if word in others:
            text = f"{word!r} is no key of provider {name!r}"
            problems.add((*path, word), text, at="key", code="unknown-key")
    if "model" in tree and "name" in tree:
        problems.add((*path, "name"), "give model or name, not both", at="key")
    needed = "command" if name == "command" else "model"
    if needed not in tree and not (needed == "model" and "name" in tree):
        problems.add(path, f"{needed!r} is missing", code="missing-key")


def section(model: Model, timeout: float) -> ModelSection:
    """Return the section as a provider takes it."""
    options: dict[str, Any] = {}
    if model.command is not None:
        options["command"] = [str(word) for word in model.command]
    if model.mode is not None:
        options["mode"] = str(model.mode)
    params = {word: getattr(model, word) for word in SAMPLING if getattr(model, word) is not None}
    name = model.model or model.name or _command_line(options)
    return ModelSection(str(model.provider), str(name), options, params, timeout)


def _command_line(options: Mapping[str, Any]) -> str:
    import shlex

    return shlex.join(options.get("command", ()))


_SECRET_NAME: Final = re.compile(
    r"(api[-_]?key|apikey|secret|password|passwd|authorization|credential|bearer"
    r"|(?:^|[-_])(?:auth|access|session|refresh|id|api)?[-_]?token$)",
    re.IGNORECASE,
)
_SECRET_VALUE: Final = re.compile(
    r"(?:^|[\s=:'\"])("
    r"sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[A-Za-z0-9_-]{30,}|gsk_[A-Za-z0-9]{20,}"
    r"|hf_[A-Za-z0-9]{20,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*"
    r"|(?:Bearer|Basic)\s+(?!\$\{)[A-Za-z0-9+/_.=-]{8,})"
)
_USER_INFO: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://([^/\s@]+)@")
_REFERENCE: Final = re.compile(r"(?:(?:Bearer|Basic|Token)\s+)?\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_ASSIGNED: Final = re.compile(r"-{0,2}([A-Za-z][A-Za-z0-9_-]*)=(.+)", re.DOTALL)
_FLAG: Final = re.compile(r"--?[A-Za-z][A-Za-z0-9_-]*")


def refuse_credentials(tree: Any, problems: Problems) -> None:
    """Note every literal credential in the `model` section and in models beside it.

    Values that are found are never repeated in a message.
    """
    if not isinstance(tree, dict):
        return
    for path, name, value in _texts(tree.get("model"), ("model",), "model"):
        _weigh(path, name, value, problems)
    cases = tree.get("cases")
    for index, case in enumerate(cases if isinstance(cases, list) else ()):
        given = case.get("perturbations") if isinstance(case, dict) else None
        for place, item in enumerate(given if isinstance(given, list) else ()):
            if isinstance(item, dict) and "model" in item:
                path = ("cases", index, "perturbations", place, "model")
                for below, name, value in _texts(item["model"], path, "model"):
                    _weigh(below, name, value, problems)


def _texts(value: Any, path: TreePath, name: str) -> Iterator[tuple[TreePath, str, str]]:
    if isinstance(value, str):
        yield path, name, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*path, key), key)
    elif isinstance(value, list):
        before = name
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index), before)
            is_flag = isinstance(item, str) and _FLAG.fullmatch(item)
            before = str(item) if is_flag else name


def _weigh(path: TreePath, name: str, value: str, problems: Problems) -> None:
    flaw = _flaw(name, value)
    if flaw:
        variable = re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_") or "SECRET"
        problems.add(
            path,
            f"{shown(name)} holds {flaw}",
            code=LITERAL,
            hint=f"write ${{{variable}}} and set it in the environment",
        )


def _flaw(name: str, value: str) -> str:
    if not value or _REFERENCE.fullmatch(value):
        return ""
    user = _USER_INFO.search(value)
    if user is not None and not all(map(_REFERENCE.fullmatch, user[1].split(":"))):
        return "a user or password in a URL"
    literal = _SECRET_NAME.search(name) or _SECRET_VALUE.search(value)
    assigned = _ASSIGNED.match(value)
    if assigned is not None and not _REFERENCE.fullmatch(assigned[2]):
        literal = literal or _SECRET_NAME.search(assigned[1])
    return "a literal credential" if literal else ""
