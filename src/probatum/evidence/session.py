"""Auditing a whole session: its tables, each of its cases, its totals, its statement."""

from collections.abc import Iterator

import msgspec

from probatum.canonical import encode_record
from probatum.digest import Digest, sha256_hex
from probatum.evidence.cases import Audited, Job, audit
from probatum.evidence.findings import found
from probatum.evidence.vault import Vault
from probatum.records import table
from probatum.records.base import (
    UNSET,
    CaseId,
    ExecutionsId,
    PlanCaseId,
    PlanId,
    SessionId,
    StatementId,
    TableId,
    VerdictId,
)
from probatum.records.plan import Plan
from probatum.records.session import Session, Totals
from probatum.records.spec import Spec
from probatum.records.statement import SessionPredicate
from probatum.records.table import CASES, MAX_ROWS, PLAN_CASES, RESULTS, Row, Table
from probatum.records.target import Target
from probatum.verdicts import class_counts, session_verdict


class Tallies(msgspec.Struct, frozen=True, gc=False):
    """What the audit of a session counted.

    Attributes:
        cases: Cases whose rows were audited.
        resolved: Those of them whose verdict was resolved again.
        first_us: Earliest start of a run of this session; -1 if none.
        last_us: Latest end of such a run; -1 if none.
    """

    cases: int = 0
    resolved: int = 0
    runs: int = 0
    first_us: int = -1
    last_us: int = -1


class _Tables:
    """The rows of one list of tables, and which table holds each."""

    def __init__(self, vault: Vault, kinds: tuple[str, ...], referrer: Digest) -> None:
        self._vault = vault
        self._kinds = kinds
        self._referrer = referrer
        self.rows: dict[str, Row] = {}
        self.origin: dict[str, TableId] = {}
        self.whole = True

    def load(self, ids: tuple[TableId, ...]) -> None:
        """Read the tables and check that they are cut as the format says."""
        tables: list[Table] = []
        for table_id in ids:
            loaded = self._vault.record(table_id, Table, self._referrer)
            if loaded is None:
                self.whole = False
                continue
            tables.append(loaded)
            if loaded.kinds != self._kinds or any(
                len(row.ids) != len(self._kinds) for row in loaded.rows
            ):
                self._note(table_id, f"its rows do not hold {' and '.join(self._kinds)}")
                continue
            if self._kinds != RESULTS and any(row.summary is not UNSET for row in loaded.rows):
                self._note(table_id, "only a row of results has a summary")
            for row in loaded.rows:
                self.rows[row.case] = row
                self.origin[row.case] = table_id
        again = table.build(self._kinds, self.rows.values())
        if self.whole and tables != again:
            self._note(self._referrer, "its tables are not cut by the hashes of their case ids")

    def _note(self, object_id: Digest, detail: str) -> None:
        self.whole = False
        self._vault.findings.append(found("table-mismatch", detail, object=object_id))


def audit_session(
    vault: Vault, statement: StatementId, predicate: SessionPredicate
) -> Tallies | None:
    """Audit everything below a statement; none if its root cannot be read."""
    session = vault.record(predicate.root, Session, statement)
    if session is None:
        return None
    plan = vault.record(session.plan, Plan, predicate.root)
    spec = vault.record(plan.spec, Spec, session.plan) if plan else None
    results = _Tables(vault, RESULTS, predicate.root)
    results.load(session.results)
    _check_statement(vault, statement, predicate, session, plan)
    _check_session(vault, predicate.root, session, spec)
    _check_case_table(vault, statement, predicate, session, results)
    tallies = Tallies()
    if plan is not None and spec is not None:
        planned = _Tables(vault, PLAN_CASES, session.plan)
        planned.load(plan.cases)
        asked = _Tables(vault, CASES, plan.spec)
        asked.load(spec.cases)
        jobs = _jobs(vault, session.plan, spec, (asked, planned, results))
        audited = [audit(vault, job) for job in jobs]
        tallies = _sum(audited)
        if results.whole and len(audited) == len(results.rows):
            _check_totals(vault, predicate, session, audited)
    vault.finish()
    return tallies


def _jobs(
    vault: Vault,
    plan: PlanId,
    spec: Spec,
    tables: tuple[_Tables, _Tables, _Tables],
) -> Iterator[Job]:
    asked, planned, results = tables
    whole = all(item.whole for item in tables)
    if whole and not (asked.rows.keys() == planned.rows.keys() == results.rows.keys()):
        detail = "spec, plan and results are not about the same cases"
        vault.findings.append(found("plan-mismatch", detail, object=plan, kind="plan"))
    for name in sorted(asked.rows.keys() & planned.rows.keys() & results.rows.keys()):
        row = results.rows[name]
        yield Job(
            name=name,
            origin=results.origin[name],
            case=CaseId(asked.rows[name].ids[0]),
            plan_case=PlanCaseId(planned.rows[name].ids[0]),
            verdict=VerdictId(row.ids[0]),
            executions=ExecutionsId(row.ids[1]),
            summary=row.summary,
            repeats=spec.repeats,
            control=spec.control,
        )


def _sum(audited: list[Audited]) -> Tallies:
    return Tallies(
        cases=len(audited),
        resolved=sum(item.resolved for item in audited),
        runs=sum(item.runs for item in audited),
        first_us=min((item.first_us for item in audited if item.first_us >= 0), default=-1),
        last_us=max((item.last_us for item in audited), default=-1),
    )


def _check_totals(
    vault: Vault, predicate: SessionPredicate, session: Session, audited: list[Audited]
) -> None:
    """Count again what the session says of itself, as far as all cases can be read."""
    classes = [item.verdict for item in audited]
    if "" in classes:
        return
    root = predicate.root
    worst = session_verdict(classes)
    if worst != session.verdict:
        detail = f"session says {session.verdict}, its cases give {worst}"
        vault.findings.append(found("totals-mismatch", detail, object=root, kind="session"))
    if not all(item.counted for item in audited):
        return
    again = _totals(audited)
    if again != session.totals:
        wrong = [
            f"{name} {getattr(session.totals, name)}, counted {getattr(again, name)}"
            for name in again.__struct_fields__
            if getattr(again, name) != getattr(session.totals, name)
        ]
        vault.findings.append(
            found("totals-mismatch", "; ".join(wrong), object=root, kind="session")
        )
    if session.complete != (again.missing == 0):
        detail = f"complete is {session.complete}, {again.missing} runs have no row"
        vault.findings.append(found("completeness-mismatch", detail, object=root, kind="session"))
    elif not session.complete:
        detail = f"{again.missing} of {again.runs + again.missing} runs have no row"
        vault.findings.append(found("incomplete", detail, object=root, kind="session"))


def _totals(audited: list[Audited]) -> Totals:
    return Totals(
        cases=len(audited),
        runs=sum(item.runs for item in audited),
        failed_runs=sum(item.failed_runs for item in audited),
        missing=sum(item.missing for item in audited),
        reused=sum(item.reused for item in audited),
        **class_counts(item.verdict for item in audited)._asdict(),
    )


def _check_session(vault: Vault, root: SessionId, session: Session, spec: Spec | None) -> None:
    """Check what the session says of its spec, and the texts of its own and its target's."""
    if spec is not None and session.name != spec.name:
        detail = f"it calls itself {session.name!r}, its spec {spec.name!r}"
        vault.findings.append(found("session-mismatch", detail, object=root, kind="session"))
    vault.check_text(root, "session", "invocation", session.invocation)
    vault.check_text(root, "session", "settings", session.settings)
    target = vault.record(session.target, Target, root)
    if target is not None:
        vault.check_text(session.target, "target", "params", target.params)


def _check_statement(
    vault: Vault,
    statement: StatementId,
    predicate: SessionPredicate,
    session: Session,
    plan: Plan | None,
) -> None:
    wrong = [
        name
        for name in (
            "producer",
            "name",
            "plan",
            "target",
            "verdict",
            "falsifiability",
            "invocation",
            "start",
            "end",
            "complete",
            "seq",
            "prev",
            "continues",
        )
        if getattr(predicate, name) != getattr(session, name)
    ]
    if plan is not None and predicate.spec != plan.spec:
        wrong.append("spec")
    if predicate.tool != session.environment.tool:
        wrong.append("tool")
    if predicate.environment != sha256_hex(encode_record(session.environment)):
        wrong.append("environment")
    if wrong:
        detail = f"statement and session record differ in {', '.join(wrong)}"
        vault.findings.append(
            found("statement-mismatch", detail, object=statement, kind="statement")
        )


def _check_case_table(
    vault: Vault,
    statement: StatementId,
    predicate: SessionPredicate,
    session: Session,
    results: _Tables,
) -> None:
    if not results.whole:
        return
    many = len(results.rows) > MAX_ROWS
    rows = tuple(results.rows[name] for name in sorted(results.rows))
    cases = UNSET if many else rows
    tables = session.results if many else UNSET
    if predicate.cases != cases or predicate.tables != tables:
        detail = "the statement's case table is not the session's"
        vault.findings.append(
            found("statement-mismatch", detail, object=statement, kind="statement")
        )
