"""Every family and rule has a reference page, made from its docstring.

``pytest tests/meta/test_reference_pages.py --update-goldens`` rewrites them.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from probatum.plugins.registry import FAMILIES, RULES, Registry

HEADINGS = ["What it does", "Why it matters", "Example", "Parameters", "Limits"]
PLUGINS = [("perturbations", name) for name in FAMILIES] + [("invariants", name) for name in RULES]


def plugin(area: str, name: str) -> Any:
    registry = Registry()
    return registry.family(name) if area == "perturbations" else registry.rule(name)


def sections(found: Any) -> tuple[str, dict[str, str]]:
    """The first sentence of a docstring, and its sections by heading."""
    first, *rest = re.split(r"^(\S.*):\n", inspect.getdoc(type(found)) or "", flags=re.MULTILINE)
    texts = (inspect.cleandoc(text) for text in rest[1::2])
    return first.strip(), dict(zip(rest[::2], texts, strict=True))


def listed(text: str, names: list[str]) -> str:
    """Parameters, one item each; a line that starts with a name starts an item."""
    start = re.compile(rf"({'|'.join(names)}): ")
    items: list[str] = []
    for line in text.splitlines():
        if names and (match := start.match(line)):
            items.append(f"- `{match[1]}`: {line[match.end() :]}")
        elif names:
            items.append(f"  {line}")
        else:
            items.append(line)
    return "\n".join(items)


def page(found: Any) -> str:
    """The reference page of a family or a rule."""
    first, by_heading = sections(found)
    stance = getattr(found, "stance", None)
    kind = f"Perturbation family, {stance}" if stance else "Invariant rule"
    names = [field.encode_name for field in msgspec.structs.fields(found.params)]
    parts = [f"# {found.name}", first, f"{kind}, version {found.version}."]
    for heading, text in by_heading.items():
        body = listed(text, names) if heading == "Parameters" else text
        parts += [f"## {heading}", body]
    return "\n\n".join(parts) + "\n"


@pytest.mark.parametrize(("area", "name"), PLUGINS)
def test_the_page_is_fresh(area: str, name: str, repository: Path, update_goldens: bool) -> None:
    path = repository / "docs" / "reference" / area / f"{name}.md"
    text = page(plugin(area, name))
    if update_goldens:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize(("area", "name"), PLUGINS)
def test_the_docstring_has_the_fixed_headings(area: str, name: str) -> None:
    found = plugin(area, name)
    first, by_heading = sections(found)
    assert list(by_heading) == HEADINGS
    assert first.endswith(".")
    assert all(by_heading.values())
    for field in msgspec.structs.fields(found.params):
        line = re.compile(rf"^{field.encode_name}: ", re.MULTILINE)
        assert line.search(by_heading["Parameters"]), field.encode_name


@pytest.mark.parametrize("area", ["perturbations", "invariants"])
def test_no_page_is_left_over(area: str, repository: Path) -> None:
    pages = {path.stem for path in (repository / "docs" / "reference" / area).glob("*.md")}
    assert pages == set(FAMILIES if area == "perturbations" else RULES)
