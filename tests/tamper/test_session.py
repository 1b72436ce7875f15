"""Sessions changed on purpose and signed again: every change is found, on the right axis."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from sessions import NOW, Built, Recipe, build, signer, trusting

from probatum.errors import ExitCode
from probatum.evidence.findings import found
from probatum.evidence.report import VerifyReport, exit_code
from probatum.evidence.verify import verify
from probatum.records.base import UNSET
from probatum.records.inputs import text_input
from probatum.records.trials import Trial
from probatum.signing import encode_signature, sign
from probatum.store import Store

BAD_ID = "0" * 64


def replace(**fields: Any) -> Callable[[Any], Any]:
    """Return a change of a record's fields."""
    return lambda record: msgspec.structs.replace(record, **fields)


def edit(name: str, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a change of one field by a function of its value."""
    return lambda record: msgspec.structs.replace(record, **{name: change(getattr(record, name))})


def row(number: int, **fields: Any) -> Callable[[Any], Any]:
    """Return a change of one row of a record."""

    def change(rows: tuple[Any, ...]) -> tuple[Any, ...]:
        changed = msgspec.structs.replace(rows[number], **fields)
        return (*rows[:number], changed, *rows[number + 1 :])

    return edit("rows", change)


def predicate(**fields: Any) -> Callable[[Any], Any]:
    """Return a change of a statement's predicate."""
    return edit("predicate", replace(**fields))


def spaced(payload: bytes) -> bytes:
    """Return the same JSON in another spelling."""
    return payload.replace(b":", b": ", 1)


def unknown_field(payload: bytes) -> bytes:
    """Return canonical JSON with a field that no record has."""
    return payload[:-1] + b',"zzz":1}'


def duplicated(payload: bytes) -> bytes:
    """Return JSON that has its last key twice."""
    at = payload.rindex(b",")
    return payload[:-1] + payload[at:]


def drop(number: int) -> Callable[[Any], Any]:
    """Return a change that takes a row away."""
    return edit("rows", lambda rows: (*rows[:number], *rows[number + 1 :]))


def swap(record: Any) -> Any:
    """Return a record with its first two rows swapped."""
    one, two, *rest = record.rows
    return msgspec.structs.replace(record, rows=(two, one, *rest))


def repeat_row(record: Any) -> Any:
    """Return a record with its last row twice."""
    return msgspec.structs.replace(record, rows=(*record.rows, record.rows[-1]))


def better(record: Any) -> Any:
    """Return a verdict made better."""
    return msgspec.structs.replace(record, verdict="STABLE", rule="R6", reason="held")


def more_passed(record: Any) -> Any:
    """Return a verdict whose tally says that more passed."""
    return edit("tally", edit("passed", lambda passed: passed + 1))(record)


TOTALS = edit("totals", replace(stable=2, fragile=0))

HOOKS: dict[str, tuple[dict[str, Any], str]] = {
    "verdict": ({"verdict:beta": better}, "verdict-mismatch"),
    "tally": ({"verdict:beta": more_passed}, "verdict-mismatch"),
    "trait": ({"verdict:beta": replace(traits=())}, ""),
    "verdict of another case": ({"verdict:beta": replace(case=BAD_ID)}, "object-missing"),
    "summary": (
        {"row:beta": edit("summary", replace(verdict="STABLE"))},
        "summary-mismatch",
    ),
    "no summary": ({"row:beta": replace(summary=UNSET)}, "summary-mismatch"),
    "session verdict": (
        {"session": replace(verdict="STABLE")},
        "totals-mismatch",
    ),
    "totals": ({"session": TOTALS}, "totals-mismatch"),
    "complete": ({"session": replace(complete=False)}, "completeness-mismatch"),
    "input": ({"case:beta": replace(input=text_input("another"))}, ""),
    "original": (
        {"perturbation:beta:1": replace(original=text_input("another"))},
        "input-mismatch",
    ),
    "perturbed": (
        {"perturbation:beta:1": replace(perturbed=text_input("another"))},
        "edits-mismatch",
    ),
    "edits": (
        {"perturbation:beta:1": edit("edits", lambda edits: (replace(at=500)(edits[0]),))},
        "edits-mismatch",
    ),
    "edit of no message": (
        {"perturbation:beta:1": edit("edits", lambda edits: (replace(message=5)(edits[0]),))},
        "edits-mismatch",
    ),
    "vacuous": (
        {"perturbation:beta:1": lambda it: replace(perturbed=it.original, edits=())(it)},
        "vacuous-perturbation",
    ),
    "wrong index": ({"perturbation:beta:1": replace(index=2)}, "plan-mismatch"),
    "wrong family": ({"perturbation:beta:1": replace(family="casing")}, "plan-mismatch"),
    "wrong params": ({"perturbation:beta:1": replace(params="{}")}, "plan-mismatch"),
    "plan of another case": ({"plan-case:beta": replace(case=BAD_ID)}, "object-missing"),
    "accounting": (
        {"plan-case:beta": edit("accounting", lambda items: (replace(no_op=1)(items[0]),))},
        "plan-mismatch",
    ),
    "accounting gone": ({"plan-case:beta": replace(accounting=())}, "plan-mismatch"),
    "not applicable": (
        {
            "plan-case:beta": edit(
                "accounting", lambda items: (replace(not_applicable="no-case")(items[0]),)
            )
        },
        "plan-mismatch",
    ),
    "plan order": (
        {"plan-case:beta": edit("perturbations", lambda items: items[::-1])},
        "plan-mismatch",
    ),
    "planned twice": (
        {"plan-case:beta": edit("perturbations", lambda items: (*items[:2], items[1]))},
        "plan-mismatch",
    ),
    "planned of nothing": (
        {
            "plan-case:beta": edit(
                "perturbations", lambda items: (replace(declaration="other")(items[0]), *items[1:])
            )
        },
        "plan-mismatch",
    ),
    "planned beyond the count": (
        {
            "plan-case:beta": edit(
                "perturbations", lambda items: (*items[:2], replace(index=9)(items[2]))
            )
        },
        "plan-mismatch",
    ),
    "a failing run dropped": ({"trials:beta": drop(1)}, "completeness-mismatch"),
    "runs swapped": ({"trials:beta": swap}, "trials-mismatch"),
    "a run twice": ({"trials:beta": repeat_row}, "trials-mismatch"),
    "a run of no plan": ({"trials:beta": row(2, index=7)}, "trials-mismatch"),
    "a repeat too many": ({"trials:beta": row(2, repeat=4)}, "trials-mismatch"),
    "a control too many": (
        {"trials:beta": row(1, arm="control", declaration=UNSET, perturbation=UNSET)},
        "trials-mismatch",
    ),
    "a place without index": ({"trials:beta": row(1, index=UNSET)}, "trials-mismatch"),
    "a place without declaration": (
        {"trials:beta": row(1, declaration=UNSET)},
        "trials-mismatch",
    ),
    "an answer and a failure": ({"trials:beta": row(1, failure="raised")}, "trials-mismatch"),
    "neither": ({"trials:beta": row(1, output=UNSET)}, "trials-mismatch"),
    "a judged failure": (
        {"trials:beta": row(1, output=UNSET, failure="raised")},
        "trials-mismatch",
    ),
    "a judgment gone": (
        {"trials:beta": edit("rows", lambda rows: (_fewer(rows[0]), *rows[1:]))},
        "trials-mismatch",
    ),
    "judgments swapped": (
        {"trials:beta": edit("rows", lambda rows: (_turned(rows[0]), *rows[1:]))},
        "judgments-mismatch",
    ),
    "a judgment of another answer": (
        {"judgment:beta:0:0": replace(subject=BAD_ID)},
        "judgments-mismatch",
    ),
    "a baseline that is none": (
        {"judgment:beta:0:0": replace(baseline=BAD_ID)},
        "judgments-mismatch",
    ),
    "a reason too many": ({"judgment:beta:0:0": replace(reason="empty")}, "judgments-mismatch"),
    "text and blob": ({"output:beta:0": replace(blob=BAD_ID)}, "output-mismatch"),
    "neither text nor blob": ({"output:beta:0": replace(text=UNSET)}, "output-mismatch"),
    "a long text": ({"output:beta:0": replace(text="x" * 70_000)}, "output-mismatch"),
    "executions of other trials": (
        {"executions:beta": replace(trials=BAD_ID)},
        "executions-mismatch",
    ),
    "executions short": ({"executions:beta": drop(0)}, "executions-mismatch"),
    "case under another name": ({"case:beta": replace(id="gamma")}, "case-mismatch"),
    "declaration twice": (
        {"case:beta": edit("perturbations", lambda items: items * 2)},
        "case-mismatch",
    ),
    "reference that is none": ({"plan": replace(spec="../../etc/passwd")}, "bad-reference"),
    "table of other kinds": ({"results:0": replace(kinds=("verdict", "trials"))}, "table-mismatch"),
    "table row short": (
        {"results:0": edit("rows", lambda rows: tuple(replace(ids=it.ids[:1])(it) for it in rows))},
        "table-mismatch",
    ),
    "table out of order": (
        {"results:0": edit("rows", lambda rows: rows[::-1])},
        "table-mismatch",
    ),
    "table prefix": ({"plan-table:0": replace(prefix="a")}, "table-mismatch"),
    "a case dropped from the results": ({"results:0": drop(1)}, "plan-mismatch"),
    "a case dropped from the spec": ({"spec-table:0": drop(1)}, "plan-mismatch"),
    "no cases at all": (
        {
            "results:0": replace(rows=()),
            "plan-table:0": replace(rows=()),
            "spec-table:0": replace(rows=()),
        },
        "statement-mismatch",
    ),
    "statement: verdict": ({"statement": predicate(verdict="STABLE")}, "statement-mismatch"),
    "statement: target": ({"statement": predicate(target=BAD_ID)}, "statement-mismatch"),
    "statement: spec": ({"statement": predicate(spec=BAD_ID)}, "statement-mismatch"),
    "statement: tool": ({"statement": predicate(tool="9")}, "statement-mismatch"),
    "statement: environment": ({"statement": predicate(environment=BAD_ID)}, "statement-mismatch"),
    "statement: cases": ({"statement": predicate(cases=())}, "statement-mismatch"),
    "statement: no cases": ({"statement": predicate(cases=UNSET)}, "statement-mismatch"),
    "statement: seq": ({"statement": predicate(seq=5)}, "sequence-mismatch"),
    "statement: root": ({"statement": predicate(merkle_root=BAD_ID)}, "merkle-root-mismatch"),
    "statement: counts": ({"statement": predicate(objects=())}, "object-counts-mismatch"),
    "statement: subject": (
        {"statement": edit("subject", lambda it: (edit("digest", replace(sha256=BAD_ID))(it[0]),))},
        "inventory-mismatch",
    ),
    "statement: subject name": (
        {"statement": edit("subject", lambda it: (replace(name="other")(it[0]),))},
        "inventory-mismatch",
    ),
    "times turned": ({"session": replace(start="2027-01-01T00:00:00.000Z")}, "time-order"),
    "no such time": ({"session": replace(start="2026-02-31T00:00:00.000Z")}, "time-order"),
    "sequence": ({"session": replace(seq=4)}, "sequence-mismatch"),
}


def _fewer(trial: Trial) -> Trial:
    return msgspec.structs.replace(trial, judgments=trial.judgments[:1])


def _turned(trial: Trial) -> Trial:
    return msgspec.structs.replace(trial, judgments=trial.judgments[::-1])


def check(built: Built, **fields: Any) -> VerifyReport:
    return verify(built.store, built.statement, trust=trusting(7), now=NOW, **fields)


def ids(report: VerifyReport) -> set[str]:
    return {finding.id for finding in report.findings if finding.severity == "error"}


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_edited_and_signed_again(name: str) -> None:
    hooks, expected = HOOKS[name]
    # The statement gets over the session whatever the hook left of its totals.
    report = check(build(hooks=hooks))
    if not expected:
        return
    assert expected in ids(report)
    finding = next(item for item in report.findings if item.id == expected)
    assert report.state(finding.axis) == "failed"
    assert report.state("signature") == "ok"
    assert exit_code(report) is ExitCode.INTEGRITY
    assert not report


RAW: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "spaced": (spaced, "non-canonical"),
    "key twice": (duplicated, "non-canonical"),
    "unknown field": (unknown_field, "bad-record"),
    "cut": (lambda payload: payload[:-1], "bad-record"),
    "not UTF-8": (lambda payload: payload[:-2] + b"\xff" + payload[-1:], "bad-record"),
    "empty": (lambda payload: b"", "bad-record"),
    "another kind's": (lambda payload: b'{"kind":"nothing","v":1}', "bad-record"),
}

KINDS = {label.split(":")[0]: label for label in build().ids}
"""One label of each kind of object."""

RECORDS = sorted(set(KINDS.values()) - {"source", "document", "statement"})


@pytest.mark.parametrize("change", sorted(RAW))
@pytest.mark.parametrize("label", RECORDS)
def test_spelled_otherwise_and_signed_again(label: str, change: str) -> None:
    function, expected = RAW[change]
    report = check(build(raw={label: function}))
    assert expected in ids(report)
    assert report.state("canonical") == "failed"
    assert report.state("signature") == "ok"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Built:
    store = Store.open(tmp_path_factory.mktemp("whole") / ".probatum", create=True)
    return build(store=store)


@pytest.fixture
def copied(folder: Built, tmp_path: Path) -> Built:
    assert folder.store.path is not None
    copytree(folder.store.path, tmp_path / "copy")
    return Built(Store.open(tmp_path / "copy"), folder.statement, folder.ids)


def file_of(built: Built, label: str) -> Path:
    name = built.ids[label]
    assert built.store.path is not None
    return built.store.path / "obj" / name[:2] / name[2:]


LABELS = sorted({name: label for label, name in build().ids.items()}.values())


@pytest.mark.parametrize("label", LABELS)
def test_deleted(copied: Built, label: str) -> None:
    file_of(copied, label).unlink()
    report = check(copied)
    found = [item for item in report.findings if item.id == "object-missing"]
    assert [item.object for item in found] == [copied.ids[label]]
    assert report.state("closure") == "failed"
    assert report.state("inventory") == "not-checked"
    assert exit_code(report) is ExitCode.INTEGRITY


@pytest.mark.parametrize("change", ["flip", "cut", "longer", "empty"])
@pytest.mark.parametrize("label", sorted(KINDS.values()))
def test_damaged(copied: Built, label: str, change: str) -> None:
    file = file_of(copied, label)
    data = file.read_bytes()
    file.chmod(0o600)
    changed = {
        "flip": data[:-1] + bytes([data[-1] ^ 1]),
        "cut": data[:-1],
        "longer": data + b" ",
        "empty": b"",
    }
    file.write_bytes(changed[change])
    report = check(copied)
    found = [item for item in report.findings if item.id == "object-corrupt"]
    assert [item.object for item in found] == [copied.ids[label]]
    assert report.state("bytes") == "failed"
    assert exit_code(report) is ExitCode.INTEGRITY


def test_swapped(copied: Built) -> None:
    one, two = file_of(copied, "case:alpha"), file_of(copied, "case:beta")
    first, second = one.read_bytes(), two.read_bytes()
    for file, data in ((one, second), (two, first)):
        file.chmod(0o600)
        file.write_bytes(data)
    report = check(copied)
    assert ids(report) == {"object-corrupt"}


def test_every_byte_of_the_signature(copied: Built) -> None:
    assert copied.store.path is not None
    (file,) = (copied.store.path / "sig").iterdir()
    data = file.read_bytes()
    file.chmod(0o600)
    for at in range(len(data)):
        file.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        report = check(copied, quick=True)
        assert report.state("signature") == "failed"
        assert exit_code(report) is ExitCode.INTEGRITY


def test_signature_of_another_session(copied: Built) -> None:
    key = signer()
    other = sign(b"{}", key)
    built = build(seeds=())
    data = encode_signature(built.statement, other)
    built.store.add_signature(built.statement, key.public.fingerprint, data)
    report = check(built)
    assert ids(report) == {"signature-invalid"}
    assert report.state("trust") == "not-checked"


def test_edited_judgment_needs_a_deep_check() -> None:
    """An editor who signs again can change what was judged, not what follows from it."""
    hooks = {
        "judgment:beta:0:0": replace(result="pass"),
        "judgment:beta:2:0": replace(result="pass"),
    }
    built = build(hooks=hooks)
    report = check(built)
    assert report
    assert ("judgments", "needs-deep") in {(it.what, it.why) for it in report.not_rederived}
    finding = found("judgment-not-rederived", object=built.ids["judgment:beta:0:0"])
    deep = check(built, deep=SimpleNamespace(findings=(finding,), not_rederived=()))
    assert deep.state("verdicts") == "failed"
    assert exit_code(deep) is ExitCode.INTEGRITY


def test_extra_object_in_the_counts() -> None:
    built = build(hooks={"statement": predicate(objects=())})
    (finding,) = [it for it in check(built).findings if it.id == "object-counts-mismatch"]
    assert "trials: 0 signed, 2 here" in finding.detail


def test_an_incomplete_session_that_says_so_is_whole() -> None:
    report = check(build(missing={("beta", 1)}))
    assert report
    assert "incomplete" in {finding.id for finding in report.findings}
    assert exit_code(report) is ExitCode.OK


def test_recipe_covers_what_it_says() -> None:
    """The base of all of these is a session without any finding but the claimed time."""
    report = check(build(Recipe(repeats=2, control=2, broken={("alpha", 1)}, long={"beta"})))
    assert [finding.id for finding in report.findings] == ["time-claimed"]
