"""The way in: a path, a catalogue, and everything that a run needs comes out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from probatum.records.case import Declaration
from probatum.spec import notices, source, structure, systems
from probatum.spec.assemble import Assembly, spec_records
from probatum.spec.authored import SpecFile
from probatum.spec.catalogue import Catalogue, Format
from probatum.spec.compiled import Compiled, CompiledCase, RunSettings
from probatum.spec.parts import CompiledRule, Parts, json_document, name_flaw
from probatum.spec.places import TreePath
from probatum.spec.problems import Enough, Problems
from probatum.spec.source import Files
from probatum.spec.tree import Tree, parse


def load_spec(path: Path, catalogue: Catalogue, *, files: Files | None = None) -> Compiled:
    """Read, check and compile a spec.

    Args:
        path: The spec, as the user gave it.
        catalogue: The families, rules and providers that it may name.
        files: The spec and the files it names, in memory, by the paths under
            which `Compiled.sources` lists them; nothing is read from disk
            then.

    Raises:
        SpecError: With all problems, each with file, line and column.
        LimitError: If a file is larger or deeper than allowed.
        NotFoundError: If `files` lacks the spec.
    """
    return _Load(path, catalogue, source.reader(files)).compiled()


class _Load:
    def __init__(self, path: Path, catalogue: Catalogue, read: Callable[[str], bytes]) -> None:
        self._catalogue = catalogue
        self._read = read
        self._folder = path.parent
        self._name = source.slashed(path)
        data = read(self._name)
        self._sources = {self._name: data}
        self._text = source.decode(self._name, data)
        self._problems = Problems()

    def compiled(self) -> Compiled:
        try:
            return self._compiled(parse(self._name, self._text))
        except Enough:
            raise self._problems.refuse(self._name, self._text) from None

    def _compiled(self, tree: Tree) -> Compiled:
        spec = structure.check(tree.value, self._problems)
        systems.check(tree.value.get("model"), self._catalogue, self._problems)
        systems.refuse_credentials(tree.value, self._problems)
        form: Format = "probatum/1" if "probatum" in tree.value else "falsify/1.0"
        parts = Parts(
            self._catalogue,
            form=form,
            problems=self._problems,
            document=self._json,
        )
        pieces = self._pieces(tree.value.get("cases"), parts)
        if spec is None or len(self._problems) or tree.duplicates:
            raise self._problems.refuse(self._name, self._text)
        assembly = Assembly(parts, self._problems, self._file)
        cases = self._cases(spec, assembly, pieces)
        _check_repeats(spec, self._problems)
        if len(self._problems):
            raise self._problems.refuse(self._name, self._text)
        return self._result(spec, form, cases, assembly)

    def _pieces(
        self, cases: Any, parts: Parts
    ) -> list[tuple[tuple[Declaration, ...], list[CompiledRule]]]:
        found = []
        seen: dict[str, int] = {}
        for index, case in enumerate(cases if isinstance(cases, list) else ()):
            path: TreePath = ("cases", index)
            given = case if isinstance(case, dict) else {}
            if isinstance(given.get("id"), str):
                self._case_id(given["id"], index, seen)
            perturbations, invariants = given.get("perturbations"), given.get("invariants")
            found.append(
                (
                    parts.declarations(
                        perturbations if isinstance(perturbations, list) else [],
                        (*path, "perturbations"),
                    ),
                    parts.rules(
                        invariants if isinstance(invariants, list) else [],
                        (*path, "invariants"),
                    ),
                )
            )
        return found

    def _case_id(self, case_id: str, index: int, seen: dict[str, int]) -> None:
        place: TreePath = ("cases", index, "id")
        if flaw := name_flaw(case_id, 128):
            self._problems.add(place, flaw, code="bad-id")
        elif (first := seen.setdefault(str(case_id), index)) != index:
            self._problems.add(
                place,
                f"duplicate case id {str(case_id)!r} (first at line {{line}})",
                code="duplicate-case",
                other=("cases", first, "id"),
            )

    def _cases(
        self,
        spec: SpecFile,
        assembly: Assembly,
        pieces: list[tuple[tuple[Declaration, ...], list[CompiledRule]]],
    ) -> list[CompiledCase]:
        found = []
        for index, (section, (declarations, checks)) in enumerate(
            zip(spec.cases, pieces, strict=True)
        ):
            case = assembly.case(section, declarations, checks, ("cases", index))
            if case is not None:
                found.append(case)
        return sorted(found, key=lambda item: item.case.id)

    def _result(
        self, spec: SpecFile, form: Format, cases: list[CompiledCase], assembly: Assembly
    ) -> Compiled:
        record, spec_id, tables = spec_records(spec, form, cases)
        return Compiled(
            spec=record,
            spec_id=spec_id,
            tables=tables,
            cases=tuple(cases),
            invariants=assembly.invariants,
            documents=assembly.documents,
            seed=spec.run.seed,
            model=systems.section(spec.model, float(spec.run.timeout_seconds)),
            settings=RunSettings(spec.run.parallel, spec.run.cache),
            sources=tuple(self._sources.items()),
            warnings=tuple(notices.lines(self._name, self._text, notices.find(spec))),
        )

    def _file(self, relative: str) -> bytes:
        name = source.slashed(self._folder / relative)
        if name not in self._sources:
            self._sources[name] = self._read(name)
        return self._sources[name]

    def _json(self, relative: str) -> Any:
        return json_document(relative, self._file(relative))


def _check_repeats(spec: SpecFile, problems: Problems) -> None:
    run = spec.run
    if run.repeats is not None and run.replications is not None:
        problems.add(("run", "repeats"), "give repeats or replications, not both", at="key")
