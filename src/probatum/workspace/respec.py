"""Compiling the authored files of a session again, to see whether they say what it says.

Cases, thresholds, invariants and the seed are what a session was asked; no
answer can show that they were edited. The authored files can: they are kept
byte for byte, and compiling them reads nothing else and runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from probatum import __version__, canonical
from probatum.digest import object_id
from probatum.errors import IntegrityError, LimitError, NotFoundError, ProbatumError
from probatum.evidence.vault import fetch, read_object
from probatum.plugins.registry import Registry
from probatum.providers.asked import params_text
from probatum.records.base import SessionId, StatementId
from probatum.records.plan import Plan
from probatum.records.session import Session
from probatum.records.statement import SessionStatement
from probatum.records.target import Target
from probatum.spec.compiled import Compiled
from probatum.spec.load import load_spec
from probatum.store import Store

MAX_SOURCES: Final = 4 * 1024 * 1024
"""Bytes of authored files that are compiled again at most."""


class Respec(NamedTuple):
    """What compiling again has shown.

    Attributes:
        root: The session record; empty if it cannot be read.
        differs: What came out differently; empty if nothing did.
        left: Why nothing was compiled, as a code; empty if it was.
    """

    root: SessionId | str = ""
    differs: str = ""
    left: str = ""


def respec(store: Store, statement: StatementId) -> Respec:
    """Compile the authored files of a session and compare.

    Another release may compile the same files differently; what it made is
    left, as far as it differs.

    Raises:
        EnvironmentFault: If the store cannot be read at all.
    """
    try:
        found = store.record(statement, SessionStatement)
        root = found.predicate.root
        session = fetch(store, root, Session)
        plan = fetch(store, session.plan, Plan)
        target = fetch(store, session.target, Target)
        files = [(it.path, read_object(store, it.content).payload) for it in session.sources]
    except (NotFoundError, IntegrityError, LimitError):
        return Respec(left="damaged")
    if not files:
        return Respec(root, left="no-sources")
    if sum(len(data) for _, data in files) > MAX_SOURCES:
        return Respec(root, left="limit")
    try:
        compiled = load_spec(Path(files[0][0]), Registry(), files=dict(files))
    except ProbatumError as error:
        differs = f"its authored files do not compile: {error}"
    else:
        differs = "; ".join(_differences(session, plan, target, compiled))
    if differs and session.environment.tool != f"probatum {__version__}":
        return Respec(root, left="other-release")
    return Respec(root, differs)


def _differences(session: Session, plan: Plan, target: Target, compiled: Compiled) -> Iterator[str]:
    if compiled.spec_id != plan.spec:
        yield "they give another spec"
    if compiled.seed != plan.seed:
        yield f"they give the seed {compiled.seed}, not {plan.seed}"
    if compiled.model.provider != target.provider:
        yield f"they name the provider {compiled.model.provider!r}, not {target.provider!r}"
    if compiled.model.name != target.model:
        yield f"they name the system {compiled.model.name!r}, not {target.model!r}"
    given = {**compiled.model.params, **compiled.model.options}
    authored = canonical.decode(params_text(given).encode())
    try:
        stored = canonical.decode(target.params.encode())
    except IntegrityError:
        stored = None
    if not isinstance(stored, dict) or not all(
        name in stored and stored[name] == value for name, value in authored.items()
    ):
        yield "they give other parameters of the system"
    kept = [(item.path, item.content) for item in session.sources]
    if [(path, object_id("blob", data)) for path, data in compiled.sources] != kept:
        yield "they need other files than those that are kept"
