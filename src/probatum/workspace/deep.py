"""What re-derivation found, in the words of a verification report."""

from typing import NamedTuple

from probatum.engine.rederive import rederive
from probatum.evidence.findings import Finding, found
from probatum.evidence.report import NotRederived
from probatum.plugins.registry import Registry
from probatum.records.base import StatementId
from probatum.store import Store
from probatum.workspace.respec import respec


class Rederivation(NamedTuple):
    """What a deep check adds to a report."""

    findings: tuple[Finding, ...]
    not_rederived: tuple[NotRederived, ...]


def rederivation(store: Store, statement: StatementId) -> Rederivation:
    """Do a session's work again with the plugins of this release alone."""
    spec = respec(store, statement)
    made = rederive(store, statement, Registry())
    findings = [
        found(item.code, item.words, object=item.id, kind=item.kind, case=item.case)
        for item in made.differences
    ]
    left = [NotRederived(what=item.what, count=item.number, why=item.why) for item in made.left]
    if spec.differs:
        differs = found("spec-not-rederived", spec.differs, object=spec.root, kind="session")
        findings.insert(0, differs)
    if spec.left:
        left.insert(0, NotRederived(what="spec", count=1, why=spec.left))
    return Rederivation(tuple(findings), tuple(left))
