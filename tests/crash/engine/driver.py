"""Kill a run at every step at which it writes, and see what the next process makes of it.

Usage: ``python driver.py FOLDER whole|torn``. Prints one JSON line a step.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from probatum.digest import object_id
from probatum.engine import pipeline
from probatum.engine.log import Log
from probatum.engine.pipeline import RunResult, Setting, Signed
from probatum.engine.sources import journal_sources
from probatum.errors import NotFoundError
from probatum.evidence.verify import verify_all
from probatum.plugins.registry import Registry
from probatum.records.session import Environment
from probatum.records.table import Table
from probatum.signing import encode_signature, sign
from probatum.signing.keyfiles import generate_key
from probatum.spec.load import load_spec
from probatum.store import Store, journal

STEPS = (
    "write",
    "pwrite",
    "fsync",
    "fdatasync",
    "link",
    "rename",
    "replace",
    "unlink",
    "ftruncate",
    "mkdir",
)
KEY = generate_key()
NOW = datetime(2100, 1, 1, tzinfo=UTC)
BOT = """
from pathlib import Path

calls = Path(__file__).with_name("calls")


def answer(prompt):
    with calls.open("a") as file:
        file.write(".")
    return prompt
"""
SPEC = {
    "falsify": {"version": "1.0", "name": "crash"},
    "model": {"provider": "python", "model": "bot.py:answer"},
    "run": {"seed": 1, "parallel": 2},
    "cases": [
        {
            "id": f"c{number}",
            "input": {"text": f"Where is parcel {number}?"},
            "perturbations": [{"type": "typo_noise", "count": 2}, {"type": "casing"}],
            "invariants": [{"type": "contains", "values": ["parcel"]}],
        }
        for number in range(3)
    ],
}
ROWS = 3 * (1 + 2 + 3)


def sign_statement(data: bytes) -> Signed:
    signature = encode_signature(object_id("statement", data), sign(data, KEY))
    return Signed(KEY.public.fingerprint, signature)


def setting(folder: Path) -> Setting:
    return Setting(
        clock=lambda: time.time_ns() // 1000,
        environment=lambda: Environment(
            tool="t", python="p", implementation="i", os="o", machine="m", packages=()
        ),
        invocation="{}",
        folder=folder,
        sign=sign_statement,
    )


def run(folder: Path, store: Store) -> RunResult:
    registry = Registry()
    compiled = load_spec(folder / "spec.yaml", registry)
    return pipeline.run(compiled, registry=registry, store=store, setting=setting(folder))


def resume(store: Store, name: str) -> RunResult:
    registry = Registry()
    sources = journal_sources(store, name)
    assert sources.folder is not None
    compiled = load_spec(Path(sources.files[0][0]), registry, files=dict(sources.files))
    return pipeline.run(
        compiled,
        registry=registry,
        store=store,
        setting=setting(sources.folder),
        journal=name,
    )


def die_at(step: int, *, torn: bool) -> None:
    """Make the process kill itself instead of its `step`-th write, or in the middle of it."""
    count = itertools.count(1)

    def deadly(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            if next(count) == step:
                if torn and name in ("write", "pwrite"):
                    real(given[0], bytes(given[1])[: len(given[1]) // 2], *given[2:])
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*given, **named)

        return call

    for name in STEPS:
        setattr(os, name, deadly(name, getattr(os, name)))


def crash(folder: Path, step: int, *, torn: bool) -> bool:
    """Run in a child that dies at `step`; tell whether it did."""
    child = os.fork()
    if not child:
        journal.BATCH, journal.SYNC_BYTES = 1_500, 3_000  # type: ignore[misc]
        store = Store.open(folder / "store")
        die_at(step, torn=torn)
        run(folder, store)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def noted(store: Store, name: str) -> int:
    """Count the rows that a journal holds."""
    reopened = store.reopen_journal(name)
    try:
        return sum(len(rows) for rows in Log(reopened).rows.values())
    finally:
        reopened.close()


def verdicts(store: Store, result: RunResult) -> list[str]:
    tables = [store.record(name, Table) for name in result.session.results]
    return [row.ids[0] for table in tables for row in table.rows]


def clean(store: Store) -> bool:
    report = verify_all(store, now=NOW)
    return bool(report) and not any(
        finding.severity == "error" for session in report.sessions for finding in session.findings
    )


def recover(folder: Path, expected: list[str]) -> dict[str, Any]:
    """Look at what a crash has left, finish the run, and look again."""
    calls = folder / "calls"
    store = Store.open(folder / "store")
    state = {"before": len(store.sessions()), "clean_before": clean(store)}
    journals = [info for info in store.journals() if not info.running]
    state["journals"] = len(journals)
    made = noted(store, journals[0].name) if journals else 0
    calls.write_text("")
    try:
        if journals:
            result = resume(store, journals[0].name)
            state["calls_as_needed"] = len(calls.read_text()) in (0, ROWS - made)
        elif state["before"] == 1:
            result = run(folder, store)
            state["calls_as_needed"] = len(calls.read_text()) == ROWS
        else:
            return {**state, "after": 2, "clean_after": True, "same": True, "left": 0}
    except NotFoundError as error:
        # The journal had not even kept its spec: there is nothing to resume.
        state["nothing"] = error.code
        result = run(folder, store)
    again = Store.open(folder / "store")
    return {
        **state,
        "after": len(again.sessions()),
        "clean_after": clean(again),
        "same": verdicts(again, result) == expected,
        "left": len(again.journals()),
        "latest": again.resolve_name("latest") == result.statement_id,
    }


def main() -> None:
    base = Path(sys.argv[1])
    torn = sys.argv[2] == "torn"
    origin = base / "origin"
    origin.mkdir()
    (origin / "bot.py").write_text(BOT)
    (origin / "spec.yaml").write_text(json.dumps(SPEC))
    store = Store.open(origin / "store", create=True)
    expected = verdicts(store, run(origin, store))
    for step in itertools.count(1):
        folder = base / f"step-{step}"
        shutil.copytree(origin, folder)
        died = crash(folder, step, torn=torn)
        found = {"step": step, "died": died, **recover(folder, expected)}
        sys.stdout.write(json.dumps(found) + "\n")
        shutil.rmtree(folder)
        if not died:
            return


if __name__ == "__main__":
    main()
