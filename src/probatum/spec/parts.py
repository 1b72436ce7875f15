"""Perturbations and invariants of a case, from authored mappings to records.

Works on the raw tree, so that mistakes here are found even when the structure
around them is wrong. Equal mappings compile once.
"""

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

import msgspec

from probatum import canonical
from probatum.digest import object_id, sha256_hex
from probatum.errors import CanonicalError, LimitError, ProbatumError
from probatum.records import codec
from probatum.records.base import UNSET, BlobId, InvariantId
from probatum.records.case import Declaration
from probatum.records.invariant import Invariant, Severity
from probatum.spec import later, params, scalars
from probatum.spec.catalogue import Catalogue, FamilyLike, Format, RuleLike, format_defaults
from probatum.spec.places import TreePath
from probatum.spec.problems import Problems, about, nearest, shown
from probatum.spec.scalars import Plain

Step = Literal["nfc", "nfkc", "case", "spaces", "dashes", "quotes", "zero-width"]

_BESIDE_FAMILY: Final = ("type", "family", "id")
_BESIDE_RULE: Final = ("type", "severity", "normalize")


class _RuleKeys(msgspec.Struct, frozen=True, kw_only=True):
    severity: Severity = "high"
    normalize: tuple[Step, ...] = ()


class CompiledRule(NamedTuple):
    """An invariant with its id and, if it has one, its document."""

    id: InvariantId
    invariant: Invariant
    document: bytes | None


class Parts:
    """Compiles perturbations and invariants against a catalogue.

    Args:
        catalogue: What may be named.
        form: The format of the file, on which some defaults depend.
        problems: Takes every mistake.
        document: Reads a JSON file that a spec names, relative to the spec.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        form: Format,
        problems: Problems,
        document: Callable[[str], Any],
    ) -> None:
        self._catalogue = catalogue
        self._form = form
        self._problems = problems
        self._document = document
        self._declared: dict[Any, Declaration] = {}
        self._ruled: dict[Any, CompiledRule] = {}
        self._families = frozenset(catalogue.families())
        self._rules = frozenset(catalogue.rules())

    def declarations(self, given: list[Any], path: TreePath) -> tuple[Declaration, ...]:
        """Compile a case's perturbations; identical ones need an id."""
        found: dict[str, tuple[Declaration, int]] = {}
        for index, item in enumerate(given):
            place = (*path, index)
            declaration = self._declaration(item, place) if isinstance(item, dict) else None
            if declaration is None:
                continue
            first = found.get(declaration.id)
            if first is None:
                found[declaration.id] = (declaration, index)
                continue
            text = f"has the same id {declaration.id!r} as the one at line {{line}}"
            if "id" not in item:
                text = "asks for the same as the one at line {line}: give one of them an id"
            self._problems.add(place, text, code="duplicate-declaration", other=(*path, first[1]))
        return tuple(declaration for declaration, _ in found.values())

    def _declaration(self, item: dict[str, Any], path: TreePath) -> Declaration | None:
        key = params.freeze(item)
        known = self._declared.get(key)
        if known is not None:
            return known
        noted = len(self._problems)
        name = self._named(item, ("type", "family"), path)
        if name is None:
            return None
        given = {word: value for word, value in item.items() if word not in _BESIDE_FAMILY}
        own = self._own_id(item, path)
        if name in self._families:
            made = self._family(self._catalogue.family(name), given, own, path)
            if made is not None and len(self._problems) == noted:
                self._declared[key] = made
            return made
        self._not_here("perturbation", name, item, path)
        return None

    def _family(
        self, family: FamilyLike, given: dict[str, Any], own: str, path: TreePath
    ) -> Declaration | None:
        built = self._build(family, given, path, _BESIDE_FAMILY)
        if built is None:
            return None
        text = self._text(built, ("count",), path)
        return Declaration(
            id=own or f"{family.name}-{sha256_hex(text.encode())[:8]}",
            family=family.name,
            version=family.version,
            count=family.count(built),
            params=text,
        )

    def _own_id(self, item: dict[str, Any], path: TreePath) -> str:
        if "id" not in item:
            return ""
        own = item["id"]
        flaw = name_flaw(own, 64)
        if flaw:
            self._problems.add((*path, "id"), flaw, code="bad-id")
            return ""
        return str(own)

    def rules(self, given: list[Any], path: TreePath) -> list[CompiledRule]:
        """Compile a case's invariants, in order, without those that are wrong."""
        found = [
            self.rule(item, (*path, index))
            for index, item in enumerate(given)
            if isinstance(item, dict)
        ]
        return [rule for rule in found if rule is not None]

    def rule(self, item: dict[str, Any], path: TreePath) -> CompiledRule | None:
        """Compile one invariant, or note what is wrong with it."""
        key = params.freeze(item)
        known = self._ruled.get(key)
        if known is not None:
            return known
        name = self._named(item, ("type",), path)
        if name is None:
            return None
        shared: dict[str, Any] = {
            word: item[word] for word in ("severity", "normalize") if word in item
        }
        keys = params.build(_RuleKeys, shared, path, self._problems)
        given = {word: value for word, value in item.items() if word not in _BESIDE_RULE}
        if name not in self._rules:
            self._not_here("invariant", name, item, path)
            return None
        made = self._rule(self._catalogue.rule(name), given, keys, path)
        if made is not None:
            self._ruled[key] = made
        return made

    def _rule(
        self,
        rule: RuleLike,
        given: dict[str, Any],
        keys: msgspec.Struct | None,
        path: TreePath,
    ) -> CompiledRule | None:
        named = document_field(rule)
        document = given.get(named)
        if named and isinstance(document, str) and not isinstance(document, Plain):
            try:
                given = {**given, named: self._document(document)}
            except ProbatumError as error:
                self._problems.add((*path, named), str(error), code=error.code, hint=error.hint)
                return None
        built = self._build(rule, given, path, _BESIDE_RULE)
        if built is None or not isinstance(keys, _RuleKeys):
            return None
        try:
            data = rule.document(built)
            rule.prepare(built, data, keys.normalize)
            text = self._text(built, (named,), path)
            invariant = Invariant(
                name=rule.name,
                version=rule.version,
                params=text,
                severity=keys.severity,
                normalize=keys.normalize,
                document=UNSET if data is None else BlobId(object_id("blob", data)),
            )
            return CompiledRule(InvariantId(codec.identify(invariant)), invariant, data)
        except ProbatumError as error:
            self._problems.add(path, str(error), code=error.code, hint=error.hint)
            return None

    def _build(
        self,
        plugin: FamilyLike | RuleLike,
        given: dict[str, Any],
        path: TreePath,
        beside: tuple[str, ...],
    ) -> msgspec.Struct | None:
        filled = {**format_defaults(plugin, self._form), **given}
        return params.build(plugin.params, filled, path, self._problems, also=beside)

    def _text(self, built: msgspec.Struct, without: tuple[str, ...], path: TreePath) -> str:
        try:
            return params.text_of(built, without=without)
        except CanonicalError as error:
            self._problems.add(path, str(error), code=error.code)
            return "{}"

    def _named(self, item: dict[str, Any], words: tuple[str, ...], path: TreePath) -> str | None:
        given = [word for word in words if word in item]
        if len(given) != 1:
            text = f"{words[0]!r} is missing" if not given else "give type or family, not both"
            self._problems.add(path, text, code="missing-key")
            return None
        name = item[given[0]]
        if isinstance(name, str) and name:
            return str(name)
        place = (*path, given[0])
        self._problems.add(place, about(place, f"expected a name, found {scalars.describe(name)}"))
        return None

    def _not_here(self, what: str, name: str, item: dict[str, Any], path: TreePath) -> None:
        family = what == "perturbation"
        known = later.FAMILIES if family else later.RULES
        place = (*path, "type" if "type" in item else "family")
        found = known.get(name)
        if found is None:
            here = self._families if family else self._rules
            text = f"unknown {what} {shown(name)}{nearest(name, here | known.keys())}"
            self._problems.add(place, text, code=f"unknown-{what}")
            return
        beside = _BESIDE_FAMILY if family else _BESIDE_RULE
        given = {word: value for word, value in item.items() if word not in beside}
        params.build(found.params, given, path, self._problems, also=beside)
        text = later.refusal(what, name, found.extra)
        self._problems.add(place, text, code="not-available")


def document_field(rule: RuleLike) -> str:
    """Return the parameter that a rule stores as a document, or nothing."""
    return str(getattr(rule, "document_field", ""))


def name_flaw(name: object, longest: int) -> str:
    """Return what is wrong with an id, or nothing."""
    if not isinstance(name, str):
        return f"expected text, found {scalars.describe(name)}"
    if not name:
        return "an id must not be empty"
    if len(name) > longest:
        return f"an id has at most {longest} characters"
    if not name.isprintable():
        return "an id holds printable characters only"
    if name != name.strip():
        return "an id neither begins nor ends with a space"
    return ""


def json_document(path: str, data: bytes) -> Any:
    """Return what a JSON file holds.

    Raises:
        CanonicalError: If it is not JSON, or is ambiguous.
        LimitError: If it nests too deeply.
    """
    try:
        return canonical.foreign_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise CanonicalError(f"{path}: not UTF-8 at byte {error.start}") from None
    except CanonicalError as error:
        raise CanonicalError(f"{path}: {error}", code=error.code) from None
    except LimitError as error:
        raise LimitError(f"{path}: {error}", code=error.code) from None
