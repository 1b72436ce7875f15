"""A checked spec and its compiled parts, put together as records."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from probatum.digest import object_id
from probatum.errors import ProbatumError
from probatum.records import codec
from probatum.records.base import UNSET, BlobId, CaseId, InvariantId, SpecId, TableId, UnsetType
from probatum.records.case import Case, Claim, Declaration, Policy, Rule
from probatum.records.inputs import (
    BlobPart,
    Input,
    Message,
    TextPart,
    Tool,
    ToolCall,
    text_input,
)
from probatum.records.invariant import Invariant
from probatum.records.spec import Spec
from probatum.records.table import CASES, Row, Table
from probatum.records.table import build as build_tables
from probatum.spec import authored, scalars
from probatum.spec.authored import CaseSection, SpecFile
from probatum.spec.catalogue import Format
from probatum.spec.compiled import CompiledCase
from probatum.spec.parts import CompiledRule, Parts
from probatum.spec.places import TreePath
from probatum.spec.problems import Problems, about

_PARTS: Final = {"text": ("text",), "file": ("path", "media_type")}
CONTROL: Final[dict[Format, int]] = {"falsify/1.0": 0, "probatum/1": 3}
"""Control runs a case where none are written."""


class Assembly:
    """Builds the records of a spec.

    Args:
        parts: Compiles perturbations and invariants.
        problems: Takes every mistake.
        file: Reads a file that the spec names, relative to it.

    Attributes:
        documents: Blobs that records name.
        invariants: Every invariant that a case names.
    """

    def __init__(self, parts: Parts, problems: Problems, file: Callable[[str], bytes]) -> None:
        self._parts = parts
        self._problems = problems
        self._file = file
        self.documents: dict[BlobId, bytes] = {}
        self.invariants: dict[InvariantId, Invariant] = {}

    def case(
        self,
        section: CaseSection,
        declarations: tuple[Declaration, ...],
        checks: list[CompiledRule],
        path: TreePath,
    ) -> CompiledCase | None:
        """Return one case, or nothing after noting why not."""
        noted = len(self._problems)
        rules = self._rules(section, checks, path)
        asked = self._input(section.input, (*path, "input"))
        if asked is None or len(self._problems) > noted:
            return None
        case = Case(
            id=str(section.id),
            tags=tuple(sorted({str(tag) for tag in section.tags})),
            input=asked,
            policy=_policy(section.verdict_config),
            perturbations=declarations,
            invariants=tuple(rules),
        )
        try:
            case_id = CaseId(codec.identify(case))
        except ProbatumError as error:
            self._problems.add(path, f"the case cannot be stored: {error}", code=error.code)
            return None
        return CompiledCase(case_id, case, tuple(self.invariants[rule.invariant] for rule in rules))

    def _rules(
        self, section: CaseSection, checks: list[CompiledRule], path: TreePath
    ) -> list[Rule]:
        found: dict[Rule, None] = {}
        for compiled in checks:
            found[self._keep(compiled, "check")] = None
        if section.expected is not None:
            for word in ("contains", "not_contains"):
                values = getattr(section.expected, word)
                if not values:
                    continue
                item = {"type": word, "values": values}
                known = self._parts.rule(item, (*path, "expected", word))
                if known is not None:
                    found[self._keep(known, "expected")] = None
        return list(found)

    def _keep(self, compiled: CompiledRule, role: Literal["check", "expected"]) -> Rule:
        self.invariants[compiled.id] = compiled.invariant
        if compiled.document is not None:
            self.documents[BlobId(object_id("blob", compiled.document))] = compiled.document
        return Rule(invariant=compiled.id, role=role)

    def _input(self, given: authored.CaseInput, path: TreePath) -> Input | None:
        if (given.text is None) == (given.messages is None):
            both = given.text is not None
            text = "give text or messages, not both" if both else "'text' is missing"
            self._problems.add(path, text, code="missing-key")
            return None
        if given.text is not None:
            asked = text_input(str(given.text))
            if given.tools is None:
                return asked
            messages = asked.messages
        else:
            messages = tuple(
                self._message(message, (*path, "messages", index))
                for index, message in enumerate(given.messages or ())
            )
        return Input(messages=messages, tools=self._tools(given.tools, (*path, "tools")))

    def _message(self, given: authored.ChatMessage, path: TreePath) -> Message:
        content: str | tuple[TextPart | BlobPart, ...]
        if isinstance(given.content, str):
            content = str(given.content)
        else:
            content = tuple(
                self._part(part, (*path, "content", index))
                for index, part in enumerate(given.content)
            )
        calls = given.tool_calls
        return Message(
            role=given.role,
            content=content,
            name=UNSET if given.name is None else str(given.name),
            tool_calls=UNSET
            if calls is None
            else tuple(
                self._call(call, (*path, "tool_calls", index)) for index, call in enumerate(calls)
            ),
            tool_call_id=UNSET if given.tool_call_id is None else str(given.tool_call_id),
        )

    def _part(self, part: authored.Part, path: TreePath) -> TextPart | BlobPart:
        wanted = _PARTS[part.type]
        for word in ("text", "path", "media_type"):
            given = getattr(part, word) is not None
            if given and word not in wanted:
                text = f"{word!r} is no key of a {part.type} part"
                self._problems.add((*path, word), text, at="key", code="unknown-key")
            elif not given and word in wanted:
                self._problems.add(path, f"{word!r} is missing", code="missing-key")
        if part.type == "text" or part.path is None:
            return TextPart(text=str(part.text))
        data = b""
        try:
            data = self._file(str(part.path))
        except ProbatumError as error:
            self._problems.add((*path, "path"), str(error), code=error.code, hint=error.hint)
        blob = BlobId(object_id("blob", data))
        self.documents[blob] = data
        return BlobPart(blob=blob, media_type=str(part.media_type))

    def _call(self, call: authored.Call, path: TreePath) -> ToolCall:
        given = call.arguments
        text = str(given) if isinstance(given, str) else self._json(given, (*path, "arguments"))
        return ToolCall(
            name=str(call.name), arguments=text, id=UNSET if call.id is None else str(call.id)
        )

    def _tools(
        self, given: Sequence[authored.OfferedTool] | None, path: TreePath
    ) -> tuple[Tool, ...] | UnsetType:
        if given is None:
            return UNSET
        return tuple(
            Tool(
                name=str(tool.name),
                description=str(tool.description),
                parameters=self._json(tool.parameters, (*path, index, "parameters")),
            )
            for index, tool in enumerate(given)
        )

    def _json(self, value: Any, path: TreePath) -> str:
        try:
            return json_text(scalars.untyped(value))
        except ValueError as error:
            self._problems.add(path, about(path, str(error)))
            return "{}"


def json_text(value: Any) -> str:
    """Return the JSON text under which an authored tree is stored.

    Keys are sorted, there is no white space and text is not escaped beyond
    what JSON needs; fractions are written as Python writes them.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def _policy(given: authored.VerdictConfig) -> Policy:
    claim = given.claim
    return Policy(
        stable_threshold=scalars.shortest(given.stable_threshold),
        min_perturbations=given.min_perturbations,
        claim=UNSET
        if claim is None
        else Claim(
            stability=scalars.shortest(claim.stability),
            confidence=scalars.shortest(claim.confidence),
        ),
    )


def spec_records(
    spec: SpecFile, form: Format, cases: list[CompiledCase]
) -> tuple[Spec, SpecId, tuple[Table, ...]]:
    """Return the spec record, its id and its tables."""
    rows = [Row(case=item.case.id, ids=(item.id,)) for item in cases]
    tables = tuple(build_tables(CASES, rows))
    run = spec.run
    record = Spec(
        name=str(spec.header.name),
        format=form,
        control=CONTROL[form] if run.control is None else run.control,
        repeats=run.repeats or run.replications or 1,
        cases=tuple(TableId(codec.identify(table)) for table in tables),
    )
    return record, SpecId(codec.identify(record)), tables
