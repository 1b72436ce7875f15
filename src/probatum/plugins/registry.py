"""Finding built-in plugins by name, importing only what is asked for.

Built-in names are reserved: they always lead to this package, whatever else
is installed, so that evidence is re-derived by the code that its name stands
for.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Final

from probatum.errors import NotFoundError
from probatum.plugins.protocols import Family, Provider, Rule

FAMILIES: Final[Mapping[str, str]] = {
    "casing": "probatum.perturbations.casing:Casing",
    "typo_noise": "probatum.perturbations.typo_noise:TypoNoise",
    "unicode": "probatum.perturbations.unicode:Unicode",
}

RULES: Final[Mapping[str, str]] = {
    "contains": "probatum.invariants.contains:Contains",
    "equals": "probatum.invariants.equals:Equals",
    "json_valid": "probatum.invariants.json_valid:JsonValid",
    "length": "probatum.invariants.length:Length",
    "not_contains": "probatum.invariants.not_contains:NotContains",
    "one_of": "probatum.invariants.one_of:OneOf",
    "regex": "probatum.invariants.regex:Regex",
    "schema_match": "probatum.invariants.schema_match:SchemaMatch",
}

PROVIDERS: Final[Mapping[str, str]] = {
    "command": "probatum.providers.command:CommandProvider",
    "fixtures": "probatum.providers.fixtures:FixturesProvider",
    "python": "probatum.providers.python:PythonProvider",
}


class Registry:
    """The built-in plugins; each is imported and made on first use."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def families(self) -> list[str]:
        """Return the known family names, sorted."""
        return sorted(FAMILIES)

    def rules(self) -> list[str]:
        """Return the known rule names, sorted."""
        return sorted(RULES)

    def providers(self) -> list[str]:
        """Return the known provider names, sorted."""
        return sorted(PROVIDERS)

    def family(self, name: str) -> Family:
        """Return a family by name."""
        found: Family = self._find(name, FAMILIES, "perturbation")
        return found

    def rule(self, name: str) -> Rule:
        """Return a rule by name."""
        found: Rule = self._find(name, RULES, "invariant")
        return found

    def provider(self, name: str) -> Provider:
        """Return a provider by name."""
        found: Provider = self._find(name, PROVIDERS, "provider")
        return found

    def _find(self, name: str, table: Mapping[str, str], what: str) -> Any:
        place = table.get(name)
        if place is None:
            import difflib

            near = difflib.get_close_matches(name, table, n=1)
            raise NotFoundError(
                f"no {what} is called {name!r}",
                code=f"unknown-{what}",
                candidates=sorted(table),
                hint=f"did you mean {near[0]!r}?" if near else f"known: {', '.join(sorted(table))}",
            )
        if place not in self._made:
            module, _, attribute = place.partition(":")
            self._made[place] = getattr(importlib.import_module(module), attribute)()
        return self._made[place]
