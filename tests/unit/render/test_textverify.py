"""What verification shows."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from sessions import NOW, Built, build, signer, trusting

from probatum.evidence.findings import Finding, found
from probatum.evidence.verify import verify, verify_all
from probatum.render import text, words
from probatum.render.textverify import signer_words
from probatum.signing import KeyState, TrustStore
from probatum.signing.trust import TrustedKey
from probatum.store import Store

DIGITS = signer().public.fingerprint[:4]


def test_a_whole_session(built: Built) -> None:
    report = verify(built.store, built.statement, trust=trusting(7), now=NOW)
    size = report.total_bytes
    assert text.verify(report).splitlines() == [
        f"session {built.statement[:12]} · verified · desk · FRAGILE · signed by key7 key {DIGITS}",
        f"   bytes       ok            33 objects, {size} bytes, each hashed again",
        "   canonical   ok",
        "   closure     ok            "
        + ", ".join(f"{count} {kind}" for kind, count in report.objects),
        "   inventory   ok",
        f"   signature   ok            signed by key7 key {DIGITS}",
        "   trust       ok            trust file 000000000000",
        "   time        not checked   claimed 2026-01-01T00:00:00.000Z to 2026-01-01T00:00:09.000Z",
        "   chain       ok            number 1",
        "   verdicts    ok            2 cases, 8 runs, resolved again",
        "note[time-claimed] its times are the runner's claim; nothing proves them",
        "not derived again: 2 answers of the system (only running the system again can show them)",
        "not derived again: 1 spec from its authored files (verify --deep makes them again)",
        "not derived again: 6 perturbations from their seeds (verify --deep makes them again)",
        "not derived again: 4 judgments of the stored answers (verify --deep makes them again)",
        "not derived again: 1 declared falsifiability (verify --deep makes them again)",
        "Signed by key7: " + words.LIMIT_SIGNED.format(who="key7"),
    ]


def test_a_damaged_session_names_object_case_and_next_step() -> None:
    def better(record: Any) -> Any:
        return msgspec.structs.replace(record, verdict="STABLE", rule="R6", reason="held")

    built = build(hooks={"verdict:beta": better})
    shown = text.verify(verify(built.store, built.statement, now=NOW))
    assert "NOT VERIFIED" in shown.splitlines()[0]
    assert "   verdicts    FAILED        2 cases" in shown
    line = next(line for line in shown.splitlines() if line.startswith("error[verdict-mismatch]"))
    assert line == (
        "error[verdict-mismatch] the verdict does not follow from the judgments: stored as STABLE "
        "by R6, but its judgments give FRAGILE by R4 "
        f"(case beta verdict {built.ids['verdict:beta'][:12]})"
    )
    assert "    do not rely on this session; ask whoever made it" in shown


def test_a_statement_that_cannot_be_read(built: Built) -> None:
    shown = text.verify(verify(built.store, built.ids["spec"], now=NOW)).splitlines()
    assert shown[0] == f"session {built.ids['spec'][:12]} · NOT VERIFIED"
    assert [line.split()[1:3] for line in shown[1:10]] == [
        ["FAILED"] if line.split()[0] == "closure" else ["not", "checked"] for line in shown[1:10]
    ]


def test_quick_claims_no_more_than_it_did(built: Built) -> None:
    report = verify(built.store, built.statement, trust=trusting(7), now=NOW, quick=True)
    shown = text.verify(report)
    assert " · checksums and signatures verified · " in shown.splitlines()[0]
    assert "not derived again: 1 session's contents (--quick reads checksums only)" in shown


def test_many_findings_are_counted(built: Built) -> None:
    findings = tuple(found("object-missing", object="ab" * 32, kind="output") for _ in range(60))
    deep = SimpleNamespace(findings=findings, not_rederived=())
    shown = text.verify(verify(built.store, built.statement, now=NOW, deep=deep))
    assert shown.count("error[object-missing]") < 60
    assert " more; --json lists them all" in shown


def test_findings_cannot_act_on_a_terminal(built: Built) -> None:
    finding = found(
        "object-missing", "\x1b[2J", object="\x1b" * 64, kind="blob", place="\u202e", case="\x07"
    )
    unknown = Finding(id="of-a-plugin", axis="bytes", severity="error")
    deep = SimpleNamespace(findings=(finding, unknown), not_rederived=())
    shown = text.verify(verify(built.store, built.statement, now=NOW, deep=deep))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "(case \\x07 blob \\x1b\\x1b" in shown
    assert "error[of-a-plugin] of a plugin" in shown


@pytest.mark.parametrize(
    ("trust", "said"),
    [
        (trusting(8), f"signed by key {DIGITS}, not trusted"),
        (
            TrustStore(
                keys=(
                    TrustedKey(
                        name="old",
                        key=signer().public,
                        state=KeyState.RETIRED,
                        valid_before=NOW - timedelta(days=1),
                    ),
                )
            ),
            f"signed by old key {DIGITS}, expired, time not proven",
        ),
    ],
)
def test_signers_that_do_not_count(built: Built, trust: TrustStore, said: str) -> None:
    report = verify(built.store, built.statement, trust=trust, now=NOW)
    assert said in text.verify(report).splitlines()[0]
    assert "trust       FAILED" in text.verify(report)


def test_signers_in_words() -> None:
    from probatum.signing import SignatureCheck, SignatureReport, State

    def report(state: State, *checks: SignatureCheck) -> str:
        return signer_words(
            SignatureReport(state=state, checks=checks, threshold=1, counted=1, trust="")
        )

    one = SignatureCheck(state=State.TRUSTED, key=signer().public, name="ann")
    two = SignatureCheck(state=State.TRUSTED_RETIRED, key=signer(8).public, name="ben")
    lost = SignatureCheck(state=State.SIGNED_UNTRUSTED)
    other = signer(8).public.fingerprint[:4]
    assert report(State.TRUSTED, one, two, lost) == f"signed by ann key {DIGITS}, ben key {other}"
    assert report(State.TRUSTED_RETIRED, two) == f"signed by ben key {other}, retired since"
    assert report(State.SIGNED_UNTRUSTED, lost) == "signed by key unknown, not trusted"
    assert report(State.UNSIGNED) == "unsigned"
    assert report(State.INVALID) == "SIGNATURE INVALID"


def test_a_whole_store(built: Built, tmp_path: Path) -> None:
    report = verify_all(built.store, trust=trusting(7), now=NOW)
    assert text.verify_all(report).splitlines()[-1] == (
        "1 session, 1 intact · 34 objects read · store is intact"
    )
    store = Store.open(tmp_path / "store", create=True)
    damaged = build(store=store)
    name = damaged.ids["case:alpha"]
    (tmp_path / "store" / "obj" / name[:2] / name[2:]).unlink()
    (tmp_path / "store" / "stray").write_bytes(b"")
    lines = text.verify_all(verify_all(store, now=NOW)).splitlines()
    assert "NOT VERIFIED" in lines[0]
    assert lines[-1] == "1 session, 0 intact · 33 objects read · STORE IS DAMAGED"
    assert any(line.startswith("warning[stray-file]") and "(stray)" in line for line in lines)


def test_a_kind_that_a_table_names_is_made_harmless() -> None:
    """The kind of a finding can be what a record expects, which is any text."""

    def change(record: Any) -> Any:
        return msgspec.structs.replace(record, kinds=("\x1b[2J\u202e", "executions"))

    built = build(hooks={"results:0": change})
    shown = text.verify(verify(built.store, built.statement, now=NOW))
    assert not set("\x1b\u202e") & set(shown)
    assert "\\x1b[2J\\u{202e}" in shown
