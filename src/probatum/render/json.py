"""Documents for programs: one function for each thing that can be shown.

Every document is one JSON object whose ``document`` names it and its version.
Within a version fields are only ever added. There are no floats: figures are
whole numbers or the decimal strings that are stored. ``docs/json.md`` lists
every field. Everything outside ASCII is escaped, so that a document is as
harmless to a terminal as it is exact.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from probatum.errors import ExitCode
from probatum.evidence.report import StoreReport, VerifyReport, exit_codes
from probatum.verdicts import exit_code_of

if TYPE_CHECKING:
    from probatum.evidence.diff import SessionDiff, Side
    from probatum.evidence.findings import Finding
    from probatum.evidence.history import History
    from probatum.evidence.inspect import Inspection, RunView
    from probatum.evidence.log import Log
    from probatum.evidence.replay import Replay
    from probatum.evidence.statements import Damaged
    from probatum.records.session import Session
    from probatum.records.table import Row, Summary
    from probatum.signing import SignatureReport


def document(name: str, /, **fields: object) -> str:
    """Return a document: its name and version first, then the fields in order.

    Args:
        name: What it is of, such as ``tag``.
        **fields: Plain JSON values, or records; no floats.
    """
    value = {"document": f"probatum-{name}/1", **fields}
    return json.dumps(msgspec.to_builtins(value), indent=2) + "\n"


class RunLike(Protocol):
    """What a finished run brings; whoever runs has a type of its own that fits."""

    @property
    def statement_id(self) -> str:
        """The session id that people see."""

    @property
    def session(self) -> Session:
        """The session record."""

    @property
    def rows(self) -> Sequence[Row]:
        """One a case, with its summary."""


def run(result: RunLike, *, signed: str, store: str) -> str:
    """Return the document of a finished run.

    Args:
        result: The published session.
        signed: Name and key of the signer; empty for an unsigned session.
        store: Where the store is, as it was given.
    """
    return document(
        "run",
        session=result.statement_id,
        store=store,
        signed=signed,
        exit_codes=_run_codes(result.session),
        **_session(result.session),
        cases=[_row(row) for row in result.rows],
    )


def replay(found: Replay) -> str:
    """Return the document of a stored session."""
    return document(
        "replay",
        session=found.statement,
        root=found.predicate.root,
        spec=found.predicate.spec,
        plan=found.predicate.plan,
        target=_with_id(found.predicate.target, found.target),
        seq=found.predicate.seq,
        prev=found.predicate.prev,
        origin=found.predicate.store,
        keys=found.keys,
        signatures=_signatures(found.signatures),
        **_session(found.session),
        cases=[
            {
                "case": line.case,
                "verdict_id": line.id,
                **_summary(line.summary),
                "detail": line.verdict,
            }
            for line in found.lines
        ],
    )


def log(found: Log) -> str:
    """Return the document of a list of sessions."""
    return document(
        "log",
        sessions=[
            {
                "session": entry.statement,
                "seq": entry.seq,
                "end": entry.end,
                "name": entry.name,
                "producer": entry.producer,
                "verdict": entry.verdict,
                "falsifiability": entry.falsifiability,
                "complete": entry.complete,
                "cases": entry.cases,
                "classes": dict(entry.classes),
                "signatures": entry.signatures,
                "imported": entry.imported,
            }
            for entry in found.entries
        ],
        damaged=_damaged(found.damaged),
    )


def history(found: History) -> str:
    """Return the document of one case over sessions."""
    return document(
        "history",
        case=found.case,
        sessions=[
            {
                "session": point.statement,
                "seq": point.seq,
                "end": point.end,
                "name": point.name,
                "model": point.model,
                "complete": point.complete,
                "imported": point.imported,
                "change": point.change,
                "same_evidence": point.same,
                **_summary(point.summary),
            }
            for point in found.points
        ],
        looked_into=found.sessions,
        damaged=_damaged(found.damaged),
    )


def inspect(found: Inspection) -> str:
    """Return the document of one case in full."""
    return document(
        "inspect",
        session=found.statement,
        case=_with_id(found.case_id, found.case),
        verdict=_with_id(found.verdict_id, found.verdict),
        accounting=found.plan_case.accounting,
        invariants=[
            {"role": rule.role, **_with_id(rule.id, rule.invariant)} for rule in found.rules
        ],
        arms=[
            {
                "arm": arm.arm,
                "declaration": arm.declaration,
                "index": arm.index,
                **({} if arm.perturbation is None else {"perturbation": arm.perturbation}),
                "runs": [_run(item) for item in arm.runs],
            }
            for arm in found.arms
        ],
    )


def diff(found: SessionDiff) -> str:
    """Return the document of a comparison."""
    return document(
        "diff",
        old=_side(found.old),
        new=_side(found.new),
        exit_codes=[int(code) for code in found.exit_codes],
        counts=found.counts,
        evidence=found.evidence,
        same_plan=found.same_plan,
        same_target=found.same_target,
        same_environment=found.same_environment,
        skipped=found.skipped,
        objects_read=found.objects_read,
        cases=[
            {
                "case": case.case,
                "change": case.change,
                "needs_evidence": case.needs_evidence,
                **({} if case.old is None else {"old": case.old}),
                **({} if case.new is None else {"new": case.new}),
                "rows": dict(case.rows),
                "differing": [
                    {name: value for name, value in _plain(run).items() if value is not None}
                    for run in case.differing
                ],
            }
            for case in found.cases
        ],
    )


def verify(report: VerifyReport, *, require_trust: bool = False) -> str:
    """Return the document of one session's verification."""
    return document(
        "verify",
        exit_codes=[int(code) for code in exit_codes(report, require_trust=require_trust)],
        **_verified(report),
    )


def verify_all(report: StoreReport, *, require_trust: bool = False) -> str:
    """Return the document of a whole store's verification."""
    return document(
        "verify-all",
        exit_codes=[int(code) for code in exit_codes(report, require_trust=require_trust)],
        verified=bool(report),
        trusted=report.trusted,
        quick=report.quick,
        objects=report.objects,
        findings=[_finding(item) for item in report.findings],
        sessions=[_verified(session) for session in report.sessions],
    )


def _verified(report: VerifyReport) -> dict[str, Any]:
    return {
        "session": report.statement,
        "verified": bool(report),
        "trusted": report.trusted,
        "quick": report.quick,
        "deep": report.deep,
        "root": report.root,
        "name": report.name,
        "verdict": report.verdict,
        "complete": report.complete,
        "origin": report.store,
        "seq": report.seq,
        "start": report.start,
        "end": report.end,
        "cases": report.cases,
        "runs": report.runs,
        "axes": {item.axis: item.state for item in report.axes},
        "signatures": _signatures(report.signatures),
        "objects": dict(report.objects),
        "bytes": report.total_bytes,
        "findings": [_finding(item) for item in report.findings],
        "not_rederived": report.not_rederived,
    }


def _finding(item: Finding) -> dict[str, str]:
    fields: dict[str, str] = _plain(item)
    return {name: value for name, value in fields.items() if value}


def _signatures(report: SignatureReport | None) -> dict[str, Any]:
    if report is None:
        return {"state": "not-checked"}
    return {
        "state": report.state.value,
        "threshold": report.threshold,
        "counted": report.counted,
        "trust_file": report.trust,
        "keys": [
            {
                "state": check.state.value,
                "reason": check.reason,
                "name": check.name,
                "fingerprint": check.key.fingerprint if check.key else "",
                "detail": check.detail,
            }
            for check in report.checks
        ],
    }


def _session(session: Session) -> dict[str, Any]:
    return {
        "name": session.name,
        "producer": session.producer,
        "verdict": session.verdict,
        "falsifiability": session.falsifiability,
        "complete": session.complete,
        "start": session.start,
        "end": session.end,
        "totals": session.totals,
        "environment": session.environment,
        "invocation": session.invocation,
        "settings": session.settings,
    }


def _run_codes(session: Session) -> list[int]:
    """Return every code that applies to a run, the one that the process answers first."""
    missing = [] if session.complete else [int(ExitCode.ERROR)]
    return [*missing, int(exit_code_of(session.verdict))]


def _row(row: Row) -> dict[str, Any]:
    return {"case": row.case, "verdict_id": row.ids[0], **_summary(row.summary)}


def _summary(summary: Summary | msgspec.UnsetType) -> dict[str, Any]:
    return {} if isinstance(summary, msgspec.UnsetType) else _plain(summary)


def _with_id(object_id: str, record: msgspec.Struct) -> dict[str, Any]:
    return {"id": object_id, "record": record}


def _run(run: RunView) -> dict[str, Any]:
    trial = run.trial
    answer: dict[str, Any] = {}
    if run.output is not None:
        answer = {"output_id": run.output_id, "finish": run.output.finish, "text": run.text}
        if run.size >= 0:
            answer["bytes"] = run.size
        if run.output.tool_calls:
            answer["tool_calls"] = run.output.tool_calls
    return {
        "repeat": trial.repeat,
        **({"failure": trial.failure} if trial.failure else {}),
        **answer,
        "judgments": [{"judgment_id": item.id, "record": item.judgment} for item in run.judgments],
        **({} if run.execution is None else {"execution": run.execution}),
    }


def _side(side: Side) -> dict[str, Any]:
    predicate = side.predicate
    return {
        "session": side.statement,
        "name": predicate.name,
        "verdict": predicate.verdict,
        "falsifiability": predicate.falsifiability,
        "complete": predicate.complete,
        "end": predicate.end,
        "plan": predicate.plan,
        "target_id": predicate.target,
        **({} if side.target is None else {"target": side.target}),
        **({} if side.environment is None else {"environment": side.environment}),
    }


def _damaged(damaged: Sequence[Damaged]) -> list[dict[str, str]]:
    return [{"session": item.statement, "error": item.error} for item in damaged]


def _plain(value: msgspec.Struct) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(value)
    return plain
