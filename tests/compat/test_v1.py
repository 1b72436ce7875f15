"""Evidence of format 1 is read for ever: a store, a manifest and a trust file as first written.

The files in `v1/` are never written again. A release that cannot read them
breaks the promise of docs/format.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from probatum.evidence.manifest import build_manifest, check_manifest, read_manifest
from probatum.records.statement import SessionStatement
from probatum.signing.trustfile import load_trust
from probatum.store import closure, inventory_bytes
from probatum.workspace import Workspace

V1 = Path(__file__).with_name("v1")
NOW = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    shutil.copytree(V1 / "store", tmp_path / "store")
    return Workspace.open(tmp_path / "store")


def test_it_verifies_in_full(workspace: Workspace) -> None:
    trust = load_trust(V1 / "trust.json")
    report = workspace.verify("first", trust=trust, now=NOW, deep=True)
    assert report, report.findings
    assert report.trusted
    assert report.verdict == "FRAGILE"
    assert workspace.verify_all(trust=trust, now=NOW)


def test_inventory_statement_and_envelope_are_frozen(workspace: Workspace) -> None:
    session = workspace.session("latest")
    statement = workspace.store.record(session, SessionStatement)
    lines = inventory_bytes(closure(workspace.store, statement.predicate.root).entries)
    assert hashlib.sha256(lines).hexdigest() == statement.subject[0].digest.sha256
    assert lines == (V1 / "inventory.txt").read_bytes()
    assert build_manifest(workspace.store, session) == (V1 / "manifest.json").read_bytes()


def test_its_manifest_stands_alone() -> None:
    manifest = read_manifest((V1 / "manifest.json").read_bytes())
    assert check_manifest(manifest, load_trust(V1 / "trust.json"), now=NOW)
    assert [row.case for row in manifest.rows] == ["plain", "structured", "日本"]


def test_the_independent_reader_agrees() -> None:
    reader = Path(__file__).resolve().parents[1] / "golden" / "reader.py"
    done = subprocess.run(
        [sys.executable, "-I", reader, V1 / "store"], capture_output=True, text=True
    )
    assert done.stdout.split()[0] == "FRAGILE", done.stderr
