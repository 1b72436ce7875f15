"""A forger who edits one record of a session and makes all that follows from it fit again.

He knows the whole format: ids above the edit, verdicts, summaries, totals,
falsifiability, inventory and statement are made anew, and he signs with the
key that the session was signed with. What he cannot do is to give the edited
record itself another meaning.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import msgspec
from sessions import signer

from probatum import canonical
from probatum.digest import Digest, object_id
from probatum.engine.assemble import statement_of
from probatum.errors import ProbatumError
from probatum.records import codec
from probatum.records.base import UNSET
from probatum.records.kinds import strong_edges
from probatum.records.table import Row
from probatum.signing import encode_signature, sign
from probatum.store import Store
from probatum.store.walk import closure, inventory_bytes, inventory_lines, merkle_root
from probatum.verdicts import class_counts, resolve, session_verdict, summary_of

Change = Callable[[Any], Any]


class Forger:
    """The objects of one session, to be built again with one of them changed.

    Attributes:
        store: Where it is, and where forged ones are put.
        others: Kinds by id of objects that lie beside it.
        order: Ids of all objects, each after those it names.
        kinds: Kind by id.
        values: Plain JSON value by id; bytes for a blob.
    """

    def __init__(self, store: Store, statement: Digest) -> None:
        self.order: list[Digest] = []
        self.kinds: dict[Digest, str] = {}
        self.values: dict[Digest, Any] = {}
        self.store = store
        self.others: dict[Digest, str] = {}
        self._take(store, statement)

    def _take(self, store: Store, name: Digest) -> None:
        if name in self.kinds:
            return
        kind, payload = store.get(name)
        self.kinds[name] = kind
        if kind == "blob":
            self.values[name] = payload
        else:
            for edge in strong_edges(codec.decode(kind, payload)):
                self._take(store, edge.id)
            self.values[name] = json.loads(payload)
        self.order.append(name)

    def build(self, target: Digest, change: Change, *, share: str | None = None) -> Digest | None:
        """Make the session with one object changed; none if no such record can be.

        Args:
            target: What is changed.
            change: Returns the changed value.
            share: The falsifiability to claim, where it is known.

        Returns:
            The id of the forged session, which is in the same store.
        """
        try:
            return _Forged(self, target, change, share).build()
        except _Impossible:
            return None


class _Records(dict[str, Any]):
    """Records by id; those that were not made anew are read."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store

    def __missing__(self, name: str) -> Any:
        found = self._store.get(Digest(name))
        record = self[name] = codec.decode(found.kind, found.payload)
        return record


class _Impossible(Exception):
    """The changed value is no record."""


class _Forged:
    """One forged session in the making."""

    def __init__(self, source: Forger, target: Digest, change: Change, share: str | None) -> None:
        self.store = source.store
        self._source = source
        self._target = target
        self._change = change
        self._share = share
        self._ids: dict[str, Digest] = {}
        self._records = _Records(source.store)
        self._plans: dict[str, Any] = {}
        self._rows: list[Row] = []
        self._runs: dict[str, tuple[Any, Any]] = {}

    def build(self) -> Digest:
        """Make every object anew that the change reaches, bottom up; return the statement's id."""
        source = self._source
        for name in source.order:
            kind = source.kinds[name]
            value = self._renamed(source.values[name])
            if name == self._target:
                value = self._change(self._again(kind, value))
            elif value != source.values[name]:
                value = self._again(kind, value)
            self._keep(name, kind, self._spell(kind, value))
        statement = self._ids[source.order[-1]]
        key = signer()
        data = encode_signature(statement, sign(self.store.get(statement).payload, key))
        self.store.add_signature(statement, key.public.fingerprint, data)
        return statement

    def _spell(self, kind: str, value: Any) -> bytes:
        if kind == "blob":
            assert isinstance(value, bytes)
            return value
        try:
            payload = canonical.encode(value)
            codec.decode(kind, payload)
        except ProbatumError:
            raise _Impossible from None
        return payload

    def _keep(self, name: Digest, kind: str, payload: bytes) -> None:
        made = self._ids[name] = object_id(kind, payload)
        self.store.put(kind, payload)
        if kind == "blob":
            return
        record = self._records[made] = codec.decode(kind, payload)
        if kind == "plan-case":
            self._plans[record.case] = record

    def _renamed(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._renamed(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._renamed(item) for item in value]
        return self._ids.get(value, value) if isinstance(value, str) else value

    # What follows from the rest

    def _again(self, kind: str, value: Any) -> Any:
        again = {
            "verdict": self._verdict,
            "table": self._table,
            "session": self._session,
            "statement": self._statement,
        }.get(kind)
        if again is None:
            return value
        # An edit may leave nothing to follow from: then the old words stand.
        with suppress(LookupError, AttributeError, ValueError, ProbatumError):
            return again(value)
        return value

    def _verdict(self, value: Any) -> Any:
        case = self._records[value["case"]]
        plan_case = self._plans[value["case"]]
        spec = next(item for item in self._records.values() if codec.kind_of(item) == "spec")
        judgments = {
            name: item for name, item in self._records.items() if codec.kind_of(item) == "judgment"
        }
        made = resolve(
            case_id=value["case"],
            trials_id=value["trials"],
            case=case,
            plan_case=plan_case,
            trials=self._records[value["trials"]],
            invariants=[self._records[rule.invariant] for rule in case.invariants],
            judgments=judgments,
            repeats=spec.repeats,
            control=spec.control,
        )
        return _plain(made)

    def _table(self, value: Any) -> Any:
        """Name cases as they name themselves, and sum verdicts up."""
        rows = []
        for row in value["rows"]:
            first = self._records[row["ids"][0]]
            changed = dict(row)
            if value["kinds"] == ["case"]:
                changed["case"] = first.id
            elif value["kinds"] == ["plan-case"]:
                changed["case"] = self._records[first.case].id
            elif value["kinds"] == ["verdict", "executions"]:
                changed["case"] = self._records[first.case].id
                changed["summary"] = _plain(summary_of(first))
            rows.append(changed)
        return {**value, "rows": sorted(rows, key=lambda row: row["case"])}

    def _results(self, session: Any) -> Iterator[Row]:
        for table in session["results"]:
            yield from self._records[table].rows

    def _session(self, value: Any) -> Any:
        rows = list(self._results(value))
        verdicts = [self._records[row.ids[0]] for row in rows]
        trials = [self._records[item.trials] for item in verdicts]
        executions = [self._records[row.ids[1]] for row in rows]
        plan = self._records[value["plan"]]
        spec = self._records[plan.spec]
        planned = [
            spec.repeats * (1 + spec.control + len(self._records[row.ids[0]].perturbations))
            for table in plan.cases
            for row in self._records[table].rows
        ]
        runs = sum(len(item.rows) for item in trials)
        missing = max(0, sum(planned) - runs)
        classes = [item.verdict for item in verdicts]
        totals = {
            "cases": len(rows),
            "runs": runs,
            "failed_runs": sum(row.failure is not UNSET for item in trials for row in item.rows),
            "missing": missing,
            "reused": sum(row.reused_from is not UNSET for it in executions for row in it.rows),
            **class_counts(classes)._asdict(),
        }
        share = {} if self._share is None else {"falsifiability": self._share}
        return {
            **value,
            **share,
            "name": spec.name,
            "totals": totals,
            "verdict": session_verdict(classes),
            "complete": missing == 0,
        }

    def _statement(self, value: Any) -> Any:
        root = value["predicate"]["root"]
        session = self._records[root]
        found = closure(self.store, root)
        objects: dict[str, int] = {}
        for entry in found.entries:
            objects[entry.kind] = objects.get(entry.kind, 0) + 1
        rows = [row for table in session.results for row in self._records[table].rows]
        made = statement_of(
            session,
            root,
            store=self.store.id,
            spec=self._records[session.plan].spec,
            rows=sorted(rows, key=lambda row: row.case),
            inventory=inventory_bytes(found.entries),
            merkle_root=merkle_root(inventory_lines(found.entries)),
            objects=objects,
        )
        return _plain(made)


def _plain(record: msgspec.Struct) -> Any:
    return json.loads(msgspec.json.encode(record))
