"""The page on the spec file says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from probatum.plugins.registry import Registry
from probatum.spec import authored, later
from probatum.spec.load import load_spec


@pytest.fixture
def page(repository: Path) -> str:
    return (repository / "docs" / "spec.md").read_text("utf-8")


def test_examples_load_without_a_word(page: str) -> None:
    examples = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert len(examples) == 2
    for text in examples:
        found = load_spec(Path("s.yaml"), Registry(), files={"s.yaml": text.encode()})
        assert found.warnings == ()


def test_every_key_is_on_the_page(page: str) -> None:
    models = [
        authored.SpecFile,
        authored.Model,
        authored.Run,
        authored.CaseSection,
        authored.VerdictConfig,
        authored.Expected,
        authored.CaseInput,
        authored.ClaimSection,
    ]
    for model in models:
        for name in model.keys:
            assert re.search(rf"\b{name}\b", page), name


def test_every_name_and_parameter_is_on_the_page(page: str) -> None:
    registry = Registry()
    structs = {name: registry.family(name).params for name in registry.families()}
    structs |= {name: registry.rule(name).params for name in registry.rules()}
    structs |= {name: entry.params for name, entry in (later.FAMILIES | later.RULES).items()}
    for name, struct in structs.items():
        rows = [line for line in page.splitlines() if f"`{name}`" in line]
        fields = [field.name for field in msgspec.structs.fields(struct)]
        assert any(all(re.search(rf"\b{field}\b", row) for field in fields) for row in rows), (
            name,
            fields,
        )


def test_every_code_is_on_the_page(page: str, repository: Path) -> None:
    package = repository / "src" / "probatum"
    sources = "".join(path.read_text("utf-8") for path in (package / "spec").glob("*.py"))
    rules = "".join(path.read_text("utf-8") for path in (package / "invariants").glob("*.py"))
    codes = set(re.findall(r'code="([a-z0-9-]+)"', sources))
    codes |= set(re.findall(r'SpecError\((?:(?!raise).)*?code="([a-z0-9-]+)"', rules, re.DOTALL))
    codes |= set(re.findall(r'(?:_refuse|_fail)\(.*?, "([a-z0-9-]+)"\)', sources, re.DOTALL))
    assert len(codes) > 30
    for code in codes:
        assert f"`{code}`" in page, code
