"""Run a scenario again and again, killed one step later each time.

Run as a process of its own, since it forks::

    python killed.py SCENARIO FOLDER

Each run has a folder of its own, numbered from 0, with a store in ``s`` and
what was acknowledged before the end in ``acks``, a line each. A step is a
system call that changes a file; a run ends before it, after it, or, if it
writes, in the middle of it. The last run is not killed.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stores import session_statement

from probatum.records import codec
from probatum.records.base import StatementId
from probatum.store import Store

STEPS = ("mkdir", "write", "pwrite", "fsync", "fdatasync", "link", "rename", "unlink", "ftruncate")
KILLED = 9
Ack = Callable[..., None]


def make(folder: Path, ack: Ack) -> None:
    """Make a store."""
    store = Store.open(folder / "s", create=True)
    ack("made", store.id)


def put(folder: Path, ack: Ack) -> None:
    """Put single objects, and one of them twice."""
    store = Store.open(folder / "s")
    for body in (b"one", b"two", b"one"):
        ack("put", store.put("blob", body))


def session(folder: Path, ack: Ack) -> None:
    """Do everything that a run does, in its order."""
    store = Store.open(folder / "s")
    journal = store.start_journal({"plan": "p"})
    ack("journal", journal.name)
    for number in range(3):
        name = journal.put("blob", b"%d" % number * 300)
        journal.note(b"row %d" % number)
        journal.flush()
        ack("flushed", name)
    finish(store, journal, ack)


def resume(folder: Path, ack: Ack) -> None:
    """Take over a journal with a torn tail."""
    store = Store.open(folder / "s")
    (info,) = store.journals()
    journal = store.reopen_journal(info.name)
    ack("flushed", journal.put("blob", b"0" * 300))
    journal.flush()
    finish(store, journal, ack)


def finish(store: Store, journal: Any, ack: Ack) -> None:
    """Seal and publish what a journal holds."""
    statement = codec.encode(session_statement(store.id, 1))
    name = StatementId(journal.put("statement", statement))
    ack("sealed", journal.seal())
    store.add_signature(name, "0" * 16, b"{}")
    store.publish_session(name)
    ack("published", name)
    journal.discard()
    store.move("tags", "v1", name)
    ack("tagged", name)


SCENARIOS = {"make": make, "put": put, "session": session, "resume": resume}


def prepare(scenario: str, folder: Path) -> None:
    """Bring a store to the state in which a scenario begins."""
    folder.mkdir(parents=True)
    if scenario == "make":
        return
    store = Store.open(folder / "s", create=True)
    if scenario == "resume":
        journal = store.start_journal({"plan": "p"})
        journal.put("blob", b"0" * 300)
        journal.flush()
        journal.put("blob", b"1" * 300)
        journal.close()
        path = folder / f"s/tmp/{journal.name}.pbj"
        os.truncate(path, path.stat().st_size - 5)


def arm(number: int) -> None:
    """Let this process end at the given point: before, in or after a step."""
    left = itertools.count(number, -1)

    def reached() -> bool:
        return next(left) == 0

    def dying(name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            if reached():
                os._exit(KILLED)
            if name in ("write", "pwrite") and reached():
                real(args[0], bytes(args[1])[: len(args[1]) // 2], *args[2:])
                os._exit(KILLED)
            result = real(*args, **kwargs)
            if reached():
                os._exit(KILLED)
            return result

        return call

    for name in STEPS:
        setattr(os, name, dying(name))


def main(scenario: str, top: Path) -> int:
    """Run `scenario` until it is no longer killed."""
    for number in itertools.count():
        folder = top / str(number)
        prepare(scenario, folder)
        child = os.fork()
        if child == 0:
            acks, write = os.open(folder / "acks", os.O_CREAT | os.O_WRONLY | os.O_APPEND), os.write

            def ack(*words: str) -> None:
                write(acks, " ".join(words).encode() + b"\n")  # noqa: B023

            arm(number)
            SCENARIOS[scenario](folder, ack)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == 0:
            return 0
        if status != KILLED:
            return 1
    raise AssertionError


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
