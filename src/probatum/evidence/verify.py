"""Verifying a session: read every byte of its closure and derive again what it claims.

One pass over the closure. Nothing that the evidence brings is executed, and
no byte of it makes this module raise: whatever is wrong is a finding. What
raises is that checking was not possible at all, such as an unknown session or
a store that cannot be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from probatum.digest import Digest, sha256_hex
from probatum.errors import IntegrityError, LimitError, NotFoundError
from probatum.evidence.chain import check_chain
from probatum.evidence.findings import FINDINGS, Axis, Finding, found
from probatum.evidence.report import Deep, NotRederived, StoreReport, VerifyReport, axes_of
from probatum.evidence.seals import check_signatures, check_times
from probatum.evidence.session import Tallies, audit_session
from probatum.evidence.statements import decode_statement, heads
from probatum.evidence.vault import Vault, read_object
from probatum.records.base import StatementId
from probatum.records.statement import SessionPredicate, SessionStatement
from probatum.signing import SignatureReport, State, TimeProof, TrustStore
from probatum.store import Entry, Scanned, merkle_root, scan
from probatum.store.walk import inventory_lines

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
    packs = _damaged_packs(store) if quick else None
    return _verify(store, statement, trust, now, proofs, packs=packs, deep=deep)[0]


def _verify(
    store: Store,
    statement: StatementId,
    trust: TrustStore | None,
    now: datetime,
    proofs: Sequence[TimeProof],
    *,
    packs: list[Finding] | None,
    deep: Deep | None,
) -> tuple[VerifyReport, set[Digest]]:
    """Verify one session; return the ids of all objects that it needs, too.

    With `packs`, the damage of whole packs, only a quick look is taken.
    """
    try:
        stored = read_object(store, statement)
        parsed = decode_statement(statement, stored.kind, stored.payload)
    except NotFoundError:
        if not store.is_published(statement):
            raise
        missing = found("object-missing", "its ref is there", object=statement, kind="statement")
        return _unreadable(statement, missing), set()
    except (IntegrityError, LimitError) as error:
        code = error.code if error.code in _CODES else "object-corrupt"
        damage = found(code, str(error), object=statement, kind="statement")
        return _unreadable(statement, damage), set()
    signatures, sealed = check_signatures(store, statement, stored.payload, trust, now, proofs)
    check = _Check(store, statement, parsed.predicate, [*sealed])
    if signatures.checks:
        check.checked.add("signature")
        if trust is not None and signatures.state is not State.INVALID:
            check.checked.add("trust")
    check.findings += check_chain(store, statement, parsed.predicate)
    if packs is not None:
        check.quick(packs)
    else:
        check.full(parsed)
    check.findings += check_times(parsed.predicate, check.tallies, now)
    if deep is not None:
        check.findings += deep.findings
    report = check.report(signatures, quick=packs is not None, deep=deep)
    return report, set(check.vault.sizes)


def verify_all(
    store: Store,
    *,
    trust: TrustStore | None = None,
    now: datetime,
    quick: bool = False,
    deep: Callable[[StatementId], Deep] | None = None,
    proofs: Sequence[TimeProof] = (),
) -> StoreReport:
    """Verify every session of a store, and read everything else in it.

    Args:
        store: What to verify.
        trust: Whose signatures count; none if no trust file is at hand.
        now: The present time, with a time zone.
        quick: Check statements, signatures and checksums of whole packs only.
        deep: Makes again what one session's statement stands for.
        proofs: Proofs of the signatures' ages.
    """
    findings: list[Finding] = []
    stored: dict[Digest, str] = {}
    packs = _damaged_packs(store) if quick else None
    if packs is not None:
        findings += packs
    else:
        for item in store.scan():
            if isinstance(item, Scanned):
                stored[item.id] = item.kind
            else:
                findings.append(_stored_finding(item))
    needed: set[Digest] = set()
    reports = []
    statements, unreadable = heads(store)
    for name in [
        *(head.statement for head in statements),
        *(item.statement for item in unreadable),
    ]:
        made = deep(name) if deep is not None else None
        report, ids = _verify(store, name, trust, now, proofs, packs=packs, deep=made)
        reports.append(report)
        needed |= ids
    needed.update(store.published())
    findings += _unreferenced(stored, needed)
    return StoreReport(
        sessions=tuple(reports), findings=tuple(findings), objects=len(stored), quick=quick
    )


def _unreferenced(stored: dict[Digest, str], needed: set[Digest]) -> list[Finding]:
    loose = Counter(kind for name, kind in stored.items() if name not in needed)
    if not loose:
        return []
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(loose.items()))
    return [found("unreferenced-object", kinds)]


def _damaged_packs(store: Store) -> list[Finding]:
    """Return a finding for every pack whose bytes are not those it was named by."""
    return [_stored_finding(item) for item in store.check_packs()]


def _stored_finding(item: scan.Finding) -> Finding:
    """Return what a scan of the store's files found, as a finding of this package."""
    known = item.code if item.code in FINDINGS else "object-corrupt"
    place = item.path if item.offset is None else f"{item.path}, byte {item.offset}"
    return found(known, item.message, place=place)


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

    def quick(self, packs: list[Finding]) -> None:
        """Take over the damage of the packs that hold the session: one holds all of it."""
        names = {f"pack/{name}.pbp" for name in self.store.packs_holding(self.predicate.root)}
        self.findings += [item for item in packs if not names or item.place in names]
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
        sizes = self.vault.sizes.items()
        lines = inventory_lines(Entry(kind, name, size) for name, (kind, size) in sizes)
        counts = sorted(self.vault.counts().items())
        claimed = [(item.kind, item.count) for item in predicate.objects]
        subject = parsed.subject[0]
        if (
            sha256_hex(b"".join([line + b"\n" for line in lines])) != subject.digest.sha256
            or subject.name != "inventory"
        ):
            self._inventory("inventory-mismatch", _count_words(claimed, counts))
        if claimed != counts:
            self._inventory("object-counts-mismatch", _count_words(claimed, counts))
        if merkle_root(lines) != predicate.merkle_root:
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
    ("spec", "spec"),
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
