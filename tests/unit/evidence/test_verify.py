"""Verifying one session and a whole store: what is checked, said and left."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from sessions import NOW, Built, build, remove, signer, trusting

from probatum.errors import ExitCode, NotFoundError
from probatum.evidence.findings import AXES, found
from probatum.evidence.report import (
    NotRederived,
    StoreReport,
    VerifyReport,
    axes_of,
    exit_code,
    exit_codes,
)
from probatum.evidence.verify import verify, verify_all
from probatum.records.base import StatementId
from probatum.signing import KeyState, State, TrustRule, TrustStore
from probatum.signing.trust import TrustedKey
from probatum.store import Store


def states(report: VerifyReport) -> dict[str, str]:
    return {item.axis: item.state for item in report.axes}


def ids(report: VerifyReport | StoreReport) -> list[str]:
    return [finding.id for finding in report.findings]


def test_a_whole_session() -> None:
    built = build()
    report = verify(built.store, built.statement, trust=trusting(7), now=NOW)
    assert report
    assert report.trusted
    assert states(report) == dict.fromkeys(AXES, "ok") | {"time": "not-checked"}
    assert ids(report) == ["time-claimed"]
    assert (report.cases, report.runs, report.seq, report.complete) == (2, 8, 1, True)
    assert (report.name, report.verdict, report.root) == ("desk", "FRAGILE", built.ids["session"])
    assert sum(count for _, count in report.objects) == len(set(built.ids.values())) - 1
    assert report.total_bytes > 5_000
    assert [(item.what, item.count, item.why) for item in report.not_rederived] == [
        ("answers", 2, "never"),
        ("spec", 1, "needs-deep"),
        ("perturbations", 6, "needs-deep"),
        ("judgments", 4, "needs-deep"),
        ("falsifiability", 1, "needs-deep"),
    ]
    assert exit_code(report, require_trust=True) is ExitCode.OK


def test_quick_reads_no_object() -> None:
    built = build()
    report = verify(built.store, built.statement, trust=trusting(7), now=NOW, quick=True)
    assert report
    assert report.quick
    assert ids(report) == ["bytes-quick", "time-claimed"]
    assert states(report) == {
        "bytes": "ok",
        "canonical": "not-checked",
        "closure": "not-checked",
        "inventory": "not-checked",
        "signature": "ok",
        "trust": "ok",
        "time": "not-checked",
        "chain": "ok",
        "verdicts": "not-checked",
    }
    assert [item.why for item in report.not_rederived] == ["quick"]


def test_quick_sees_a_pack_that_is_not_what_it_was_named_by(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store", create=True)
    built = build(store=store)
    pack = store.write_pack([("blob", b"x" * 100)])
    file = tmp_path / "store" / "pack" / f"{pack}.pbp"
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:-1] + b"\x00")
    report = verify(store, built.statement, now=NOW, quick=True)
    assert "pack-checksum" in ids(report)
    assert exit_code(report) is ExitCode.INTEGRITY
    assert "pack-checksum" in ids(verify_all(store, now=NOW, quick=True))
    assert verify(store, built.statement, now=NOW)
    damage = [item for item in verify_all(store, now=NOW).findings if item.severity == "error"]
    assert [item.place.split(",")[0] for item in damage] == [f"pack/{pack}.pbp"] * len(damage)
    assert damage


def test_quick_blames_the_sessions_of_a_pack_alone(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store", create=True)
    packs = []
    for text in ("one", "two"):
        made = build(text=text)
        objects = [(item.kind, item.payload) for item in made.store.scan()]
        packs.append((made.statement, store.write_pack(objects)))
        store.publish_session(made.statement)
    damaged, pack = packs[0]
    file = tmp_path / "store" / "pack" / f"{pack}.pbp"
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:-1] + b"\x00")
    report = verify_all(Store.open(tmp_path / "store"), now=NOW, quick=True)
    assert ids(report) == ["pack-checksum"]
    assert {item.statement: bool(item) for item in report.sessions} == {
        damaged: False,
        packs[1][0]: True,
    }


def test_deep_findings_are_reported_with_the_rest() -> None:
    built = build()
    left = NotRederived(what="judgments", count=2, why="other-version")
    deep = SimpleNamespace(findings=(found("perturbation-not-rederived"),), not_rederived=(left,))
    report = verify(built.store, built.statement, now=NOW, deep=deep)
    assert report.deep
    assert not report
    assert report.state("verdicts") == "failed"
    assert report.not_rederived[1:] == (left,)


def test_unsigned() -> None:
    built = build(seeds=())
    report = verify(built.store, built.statement, trust=trusting(7), now=NOW)
    assert report
    assert "unsigned" in ids(report)
    assert (report.state("signature"), report.state("trust")) == ("not-checked", "not-checked")
    assert exit_code(report) is ExitCode.OK
    assert exit_code(report, require_trust=True) is ExitCode.NOT_TRUSTED


def test_no_trust_file() -> None:
    built = build()
    report = verify(built.store, built.statement, now=NOW)
    assert "trust-not-given" in ids(report)
    assert (report.state("signature"), report.state("trust")) == ("ok", "not-checked")


def test_key_that_nobody_trusts() -> None:
    built = build()
    report = verify(built.store, built.statement, trust=trusting(8), now=NOW)
    assert report
    assert "key-not-trusted" in ids(report)
    assert report.state("trust") == "failed"
    assert exit_codes(report, require_trust=True) == (ExitCode.NOT_TRUSTED,)


def test_too_few_keys() -> None:
    built = build()
    rule = TrustRule(type="session", threshold=2)
    report = verify(built.store, built.statement, trust=trusting(7, 8, rules=(rule,)), now=NOW)
    assert "threshold-not-met" in ids(report)
    assert report.state("trust") == "failed"
    both = build(seeds=(7, 8))
    assert verify(both.store, both.statement, trust=trusting(7, 8, rules=(rule,)), now=NOW).trusted


@pytest.mark.parametrize("state", [KeyState.RETIRED, KeyState.ACTIVE])
def test_key_out_of_its_time(state: KeyState) -> None:
    built = build()
    end = NOW - timedelta(days=1)
    key = TrustedKey(name="old", key=signer().public, state=state, valid_before=end)
    report = verify(built.store, built.statement, trust=TrustStore(keys=(key,)), now=NOW)
    assert "key-out-of-time" in ids(report)
    assert not report.trusted


def test_key_retired_since() -> None:
    built = build()
    from probatum.signing import TimeProof, read_signature

    (data,) = built.store.signatures(built.statement)
    signature = read_signature(data, built.statement)
    end = NOW - timedelta(days=1)
    key = TrustedKey(name="old", key=signer().public, valid_before=end)
    proof = TimeProof(signature=signature.digest, time=end - timedelta(days=1))
    report = verify(
        built.store, built.statement, trust=TrustStore(keys=(key,)), now=NOW, proofs=[proof]
    )
    assert report.signatures is not None
    assert report.signatures.state is State.TRUSTED_RETIRED
    assert "key-retired" in ids(report)
    assert report.trusted


def test_more_signatures_than_are_looked_at(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store", create=True)
    built = build(store=store, seeds=())
    for number in range(17):
        (tmp_path / "store" / "sig").mkdir(exist_ok=True)
        file = tmp_path / "store" / "sig" / f"{built.statement}.{number:016x}.json"
        file.write_bytes(b"{}")
    report = verify(store, built.statement, now=NOW)
    assert ids(report)[0] == "signature-invalid"
    assert exit_code(report) is ExitCode.INTEGRITY


def test_unknown_session() -> None:
    with pytest.raises(NotFoundError):
        verify(Store.memory(), StatementId("0" * 64), now=NOW)


def test_something_that_is_no_session() -> None:
    built = build()
    report = verify(built.store, built.ids["spec"], now=NOW)
    assert ids(report) == ["wrong-kind"]
    assert not report.root
    assert states(report) == dict.fromkeys(AXES, "not-checked") | {"closure": "failed"}


def test_published_statement_that_is_gone(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store", create=True)
    built = build(store=store)
    name = built.statement
    (tmp_path / "store" / "obj" / name[:2] / name[2:]).unlink()
    store = Store.open(tmp_path / "store")
    report = verify(store, name, now=NOW)
    assert ids(report) == ["object-missing"]
    whole = verify_all(store, now=NOW)
    assert exit_code(whole) is ExitCode.INTEGRITY
    assert [session.statement for session in whole.sessions] == [name]


def test_damaged_statement(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store", create=True)
    built = build(store=store)
    name = built.statement
    file = tmp_path / "store" / "obj" / name[:2] / name[2:]
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:-3])
    report = verify(Store.open(tmp_path / "store"), name, now=NOW)
    assert ids(report) == ["object-corrupt"]


def test_root_that_is_missing() -> None:
    built = build(omit={"session"})
    report = verify(built.store, built.statement, now=NOW)
    assert "object-missing" in ids(report)
    assert states(report)["verdicts"] == "not-checked"
    assert states(report)["inventory"] == "not-checked"


def test_cases_that_could_not_be_resolved_are_counted() -> None:
    built = build(omit={"invariant:check"})
    report = verify(built.store, built.statement, now=NOW)
    assert NotRederived(what="verdicts", count=2, why="damaged") in report.not_rederived


def test_no_answers_and_no_judgments() -> None:
    runs = {(name, number) for name in ("alpha", "beta") for number in range(-1, 3)}
    built = build(broken=runs)
    report = verify(built.store, built.statement, now=NOW)
    assert report
    assert [(item.what, item.count) for item in report.not_rederived] == [
        ("answers", 0),
        ("spec", 1),
        ("perturbations", 6),
        ("falsifiability", 1),
    ]


def test_a_whole_store() -> None:
    built = build()
    store = built.store
    second = build(store=store, model="other.py:answer")
    report = verify_all(store, trust=trusting(7), now=NOW)
    assert report
    assert report.trusted
    assert [item.statement for item in report.sessions] == [second.statement, built.statement]
    assert ids(report) == []
    assert report.objects == len({*built.ids.values(), *second.ids.values()})
    assert exit_code(report, require_trust=True) is ExitCode.OK
    report = verify_all(store, now=NOW)
    assert exit_codes(report, require_trust=True) == (ExitCode.NOT_TRUSTED,)


def test_unreferenced_objects_are_a_warning() -> None:
    built = build()
    built.store.put("blob", b"from elsewhere")
    remove(built.store, build(store=built.store, text="another").statement)
    report = verify_all(built.store, now=NOW)
    assert report
    assert ids(report) == ["unreferenced-object"]
    assert report.findings[0].detail.startswith("1 blob, ")
    assert len(report.sessions) == 1


def test_deep_check_of_every_session() -> None:
    built = build()
    asked = []

    def deep(statement: StatementId) -> SimpleNamespace:
        asked.append(statement)
        return SimpleNamespace(findings=(found("judgment-not-rederived"),), not_rederived=())

    report = verify_all(built.store, now=NOW, deep=deep)
    assert asked == [built.statement]
    assert not report
    assert exit_code(report) is ExitCode.INTEGRITY


def test_many_cases_stand_in_tables() -> None:
    cases: dict[str, set[int]] = {f"case-{number:04d}": set() for number in range(1_001)}
    built = build(cases=cases, typos=2)
    report = verify(built.store, built.statement, trust=trusting(7), now=NOW)
    assert report
    assert report.cases == 1_001


def test_a_file_that_the_machine_refuses_is_not_known_to_be_bad() -> None:
    findings = (found("unreadable"),)
    report = VerifyReport(statement="s", axes=axes_of(findings, set()), findings=findings)
    assert exit_code(report) is ExitCode.ERROR
    assert exit_codes(report, require_trust=True) == (ExitCode.ERROR, ExitCode.NOT_TRUSTED)
    both = (*findings, found("pack-block"))
    worse = VerifyReport(statement="s", axes=axes_of(both, set()), findings=both)
    assert exit_code(worse) is ExitCode.INTEGRITY


def test_reading_shared_objects_again_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    built = build()
    before = verify(built.store, built.statement, now=NOW)
    monkeypatch.setattr("probatum.evidence.vault.KEPT", 0)
    assert verify(built.store, built.statement, now=NOW) == before


@pytest.fixture(scope="module")
def session() -> Built:
    return build(repeats=2, control=1, broken={("alpha", 0)}, missing={("beta", 2)})


def test_repeats_controls_failures_and_missing_runs(session: Built) -> None:
    report = verify(session.store, session.statement, now=NOW)
    assert report
    assert not report.complete
    assert report.runs == 18
    (finding,) = [item for item in report.findings if item.id == "incomplete"]
    assert finding.detail == "2 of 20 runs have no row"
