"""What the compiler asks of those who know families, rules and providers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

Format = Literal["falsify/1.0", "probatum/1"]
"""An authored format."""


class FamilyLike(Protocol):
    """A perturbation family, as far as a spec needs to know it."""

    name: str
    version: int
    params: type[msgspec.Struct]

    def count(self, params: Any) -> int:
        """Return how many perturbations the parameters ask for."""
        ...


class RuleLike(Protocol):
    """An invariant rule, as far as a spec needs to know it."""

    name: str
    version: int
    params: type[msgspec.Struct]

    def document(self, params: Any) -> bytes | None:
        """Return the schema or rubric that is stored beside the parameters."""
        ...

    def prepare(
        self, params: Any, document: bytes | None, normalize: tuple[str, ...]
    ) -> Callable[[str], Any]:
        """See whether the parameters have a meaning; raises SpecError."""
        ...


class Catalogue(Protocol):
    """What authored files may name."""

    def families(self) -> Sequence[str]:
        """Return the known family names, sorted."""
        ...

    def rules(self) -> Sequence[str]:
        """Return the known rule names, sorted."""
        ...

    def providers(self) -> Sequence[str]:
        """Return the known provider names, sorted."""
        ...

    def family(self, name: str) -> FamilyLike:
        """Return a family by name."""
        ...

    def rule(self, name: str) -> RuleLike:
        """Return a rule by name."""
        ...


def format_defaults(plugin: FamilyLike | RuleLike, form: Format) -> Mapping[str, Any]:
    """Return the parameters that a format fills in otherwise than their struct does."""
    defaults: Mapping[str, Mapping[str, Any]] = getattr(plugin, "format_defaults", {})
    return defaults.get(form, {})
