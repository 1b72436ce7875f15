"""Links, pipes and devices where a store keeps files: nothing hangs, one does not hide the rest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sessions import NOW, Built, build, trusting

from probatum.evidence.log import log
from probatum.evidence.verify import verify, verify_all
from probatum.render import text
from probatum.store import Store

OTHER = "1" * 64


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return build(store=Store.open(tmp_path / "store", create=True))


def strange(built: Built, path: str) -> None:
    assert built.store.path is not None
    place = built.store.path / path
    place.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(place)


def test_a_pipe_for_a_signature_is_one_more_that_does_not_verify(built: Built) -> None:
    strange(built, f"sig/{built.statement}.{'0' * 16}.json")
    report = verify(built.store, built.statement, trust=trusting(7), now=NOW)
    assert [item.id for item in report.findings if item.severity == "error"] == [
        "signature-invalid"
    ]
    assert not verify_all(built.store, now=NOW)
    (entry,) = log(built.store).entries
    assert entry.signatures == -1
    assert "signature unreadable" in text.log(log(built.store))


def test_a_pipe_for_a_session_leaves_the_others_verified(built: Built) -> None:
    strange(built, f"ref/sessions/{OTHER}")
    report = verify_all(built.store, trust=trusting(7), now=NOW)
    assert {item.statement: bool(item) for item in report.sessions} == {
        built.statement: True,
        OTHER: False,
    }
    assert "not-a-file" in {item.id for item in report.findings}


def test_a_pipe_for_a_pack_is_a_finding(built: Built) -> None:
    strange(built, f"pack/{OTHER}.pbp")
    for quick in (False, True):
        report = verify_all(built.store, now=NOW, quick=quick)
        assert [item.id for item in report.findings] == ["not-a-file"]
        assert all(report.sessions) or quick
