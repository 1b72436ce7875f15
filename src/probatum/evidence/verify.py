"""Verifying a session: read every byte of its closure and derive again what it claims.

One pass over the closure. Nothing that the evidence brings is executed, and
no byte of it makes this module raise: whatever is wrong is a finding. What
raises is that checking was not possible at all, such as an unknown session or
a store that cannot be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from probatum.digest import sha256_hex
from probatum.errors import IntegrityError, LimitError, NotFoundError
from probatum.evidence.chain import check_chain
from probatum.evidence.findings import Axis, Finding, found
from probatum.evidence.report import Deep, NotRederived, VerifyReport, axes_of
from probatum.evidence.seals import check_signatures, check_times
from probatum.evidence.session import Tallies, audit_session
from probatum.evidence.statements import decode_statement
from probatum.evidence.vault import Vault
from probatum.records.base import StatementId
from probatum.records.statement import SessionPredicate, SessionStatement
from probatum.signing import SignatureReport, State, TimeProof, TrustStore
from probatum.store import Entry, inventory_bytes, merkle_root

if TYPE_CHECKING:
    from probatum.store import Store


def verify(
    store: Store,
    statement: StatementId,
    *,
    trust: TrustStore | None = None,
    now: datetime,
    quick: bool = False,
    deep: Deep | None = None,
    proofs: Sequence[TimeProof] = (),
) -> VerifyReport:
    """Verify one session.

    Args:
        store: Where its objects are.
        statement: The session's id.
        trust: Whose signatures count; none if no trust file is at hand.
        now: The present time, with a time zone.
        quick: Check the statement, its signatures and the checksums of whole
            packs only.
        deep: What was made again elsewhere, to be reported with the rest.
        proofs: Proofs of the signatures' ages, checked by whoever gives them.

    Raises:
        NotFoundError: If the store has no such session.
        EnvironmentFault: If the store cannot be read.
    """
    try:
        stored = store.get(statement)
        parsed = decode_statement(statement, stored.kind, stored.payload)
    except NotFoundError:
        if statement not in set(store.sessions()):
            raise
        missing = found("object-missing", "its ref is there", object=statement, kind="statement")
        return _unreadable(statement, missing)
    except (IntegrityError, LimitError) as error:
        code = error.code if error.code in _CODES else "object-corrupt"
        return _unreadable(statement, found(code, str(error), object=statement, kind="statement"))
    signatures, sealed = check_signatures(store, statement, stored.payload, trust, now, proofs)
    check = _Check(store, statement, parsed.predicate, [*sealed])
    if signatures.checks:
        check.checked.add("signature")
        if trust is not None and signatures.state is not State.INVALID:
            check.checked.add("trust")
    check.findings += check_chain(store, statement, parsed.predicate)
    if quick:
        check.quick()
    else:
        check.full(parsed)
    check.findings += check_times(parsed.predicate, check.tallies, now)
    if deep is not None:
        check.findings += deep.findings
    return check.report(signatures, quick=quick, deep=deep)


_CODES = frozenset({"wrong-kind", "bad-record", "non-canonical"})


def _unreadable(statement: StatementId, finding: Finding) -> VerifyReport:
    axes = axes_of([finding], set())
    return VerifyReport(statement=statement, axes=axes, findings=(finding,))


class _Check:
    """One verification under way."""

    def __init__(
        self,
        store: Store,
        statement: StatementId,
        predicate: SessionPredicate,
        findings: list[Finding],
    ) -> None:
        self.store = store
        self.statement = statement
        self.predicate = predicate
        self.findings = findings
        self.checked: set[Axis] = {"chain"}
        self.vault = Vault(store)
        self.tallies = Tallies()

    def quick(self) -> None:
        """Check whole packs by their names, and nothing inside them."""
        damage = [scanned_finding(item) for item in self.store.check_packs()]
        self.findings += damage
        self.findings.append(found("bytes-quick"))
        self.checked.add("bytes")

    def full(self, parsed: SessionStatement) -> None:
        """Read the closure and audit it."""
        tallies = audit_session(self.vault, self.statement, parsed.predicate)
        self.checked |= {"bytes", "canonical", "closure"}
        self.findings += self.vault.findings
        if tallies is None:
            return
        self.tallies = tallies
        self.checked.add("verdicts")
        if not self.vault.broken:
            self._check_inventory(parsed)

    def _check_inventory(self, parsed: SessionStatement) -> None:
        """Compare what was read with what the statement's subject and counts say."""
        self.checked.add("inventory")
        predicate = self.predicate
        entries = sorted(
            Entry(kind, object_id, size) for object_id, (kind, size) in self.vault.sizes.items()
        )
        counts = sorted(self.vault.counts().items())
        claimed = [(item.kind, item.count) for item in predicate.objects]
        lines = inventory_bytes(entries)
        subject = parsed.subject[0]
        if sha256_hex(lines) != subject.digest.sha256 or subject.name != "inventory":
            self._inventory("inventory-mismatch", _count_words(claimed, counts))
        if claimed != counts:
            self._inventory("object-counts-mismatch", _count_words(claimed, counts))
        if merkle_root(lines.splitlines(keepends=True)) != predicate.merkle_root:
            self._inventory("merkle-root-mismatch", "")

    def _inventory(self, finding: str, detail: str) -> None:
        self.findings.append(found(finding, detail, object=self.statement, kind="statement"))

    def report(
        self, signatures: SignatureReport, *, quick: bool, deep: Deep | None
    ) -> VerifyReport:
        """Return the outcome."""
        predicate = self.predicate
        return VerifyReport(
            statement=self.statement,
            root=predicate.root,
            name=predicate.name,
            verdict=predicate.verdict,
            store=predicate.store,
            start=predicate.start,
            end=predicate.end,
            seq=predicate.seq,
            cases=self.tallies.cases,
            runs=self.tallies.runs,
            complete=predicate.complete,
            quick=quick,
            deep=deep is not None,
            axes=axes_of(self.findings, self.checked),
            findings=tuple(self.findings),
            objects=tuple(sorted(self.vault.counts().items())),
            total_bytes=self.vault.total_bytes,
            signatures=signatures,
            not_rederived=tuple(self._not_rederived(quick=quick, deep=deep)),
        )

    def _not_rederived(self, *, quick: bool, deep: Deep | None) -> list[NotRederived]:
        """Return, honestly, what was taken as it stands."""
        if quick:
            return [NotRederived(what="everything", count=1, why="quick")]
        counts = self.vault.counts()
        rows = [NotRederived(what="answers", count=counts["output"], why="never")]
        left = self.tallies.cases - self.tallies.resolved
        if left:
            rows.append(NotRederived(what="verdicts", count=left, why="damaged"))
        if deep is not None:
            return [*rows, *deep.not_rederived]
        for what, kind in _DEEP:
            if counts[kind]:
                rows.append(NotRederived(what=what, count=counts[kind], why="needs-deep"))
        return rows


_DEEP = (
    ("perturbations", "perturbation"),
    ("judgments", "judgment"),
    ("falsifiability", "session"),
)


def _count_words(claimed: list[tuple[str, int]], counts: list[tuple[str, int]]) -> str:
    said, there = dict(claimed), dict(counts)
    parts = [
        f"{kind}: {said.get(kind, 0)} signed, {there.get(kind, 0)} here"
        for kind in sorted(said.keys() | there.keys())
        if said.get(kind) != there.get(kind)
    ]
    return "; ".join(parts) or "same counts, other objects"
