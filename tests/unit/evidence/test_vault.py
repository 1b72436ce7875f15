"""Reading a closure once: every object counted once, every wrong one noted once."""

from __future__ import annotations

import msgspec
from sessions import build

from probatum.digest import Digest
from probatum.errors import LimitError
from probatum.evidence.vault import Counting, Vault
from probatum.records.case import Case
from probatum.records.plan import PlanCase
from probatum.records.session import Session
from probatum.records.spec import Spec
from probatum.store import Store, Stored
from probatum.store.walk import closure

ROOT = Digest("ab" * 32)


def test_everything_is_read_and_counted_once() -> None:
    built = build()
    counting = Counting(built.store)
    vault = Vault(counting)
    vault.record(built.ids["session"], Session, ROOT)
    vault.finish()
    found = closure(built.store, built.ids["session"])
    assert vault.sizes == {entry.id: (entry.kind, entry.size) for entry in found.entries}
    assert vault.total_bytes == sum(entry.size for entry in found.entries)
    assert sum(vault.counts().values()) == len(found.entries) == counting.read
    assert vault.findings == []
    assert not vault.broken


def test_another_kind_than_is_named_is_noted_once_a_name() -> None:
    built = build()
    vault = Vault(built.store)
    spec = built.ids["spec"]
    assert vault.record(spec, Case, ROOT) is None
    assert vault.record(spec, Case, ROOT) is None
    assert vault.record(spec, PlanCase, ROOT) is None
    assert vault.record(spec, Spec, ROOT) is not None
    assert [(item.id, item.kind) for item in vault.findings] == [
        ("wrong-kind", "case"),
        ("wrong-kind", "plan-case"),
    ]
    assert "names it as case; it is a spec" in vault.findings[0].detail
    assert vault.record(built.ids["source"], Case, ROOT) is None
    assert vault.findings[-1].detail.endswith("it is a blob")


def test_edges_to_another_kind_are_noted() -> None:
    built = build()
    spec = built.ids["spec"]

    def lead_astray(record: PlanCase) -> PlanCase:
        planned = tuple(
            msgspec.structs.replace(item, perturbation=spec) for item in record.perturbations
        )
        return msgspec.structs.replace(record, perturbations=planned)

    again = build(store=built.store, hooks={"plan-case:beta": lead_astray})
    vault = Vault(again.store)
    vault.record(again.ids["plan-case:beta"], PlanCase, ROOT)
    vault.record(again.ids["session"], Session, ROOT)
    vault.finish()
    assert [(item.id, item.kind) for item in vault.findings] == [("wrong-kind", "perturbation")]


def test_missing_object_is_noted_once() -> None:
    vault = Vault(Store.memory())
    for _ in range(2):
        assert vault.record(Digest("cd" * 32), Case, ROOT) is None
    (finding,) = vault.findings
    assert (finding.id, finding.detail) == ("object-missing", "named by abababababab")
    assert vault.broken


def test_object_over_a_limit_is_damage() -> None:
    class Large:
        def get(self, object_id: Digest, /) -> Stored:
            raise LimitError("too large")

    vault = Vault(Large())
    assert vault.record(ROOT, Case, ROOT) is None
    assert [item.id for item in vault.findings] == ["object-corrupt"]
