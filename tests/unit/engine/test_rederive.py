from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from probatum.digest import Digest, object_id
from probatum.engine import rederive as module
from probatum.engine.rederive import Left, Rederived, rederive
from probatum.errors import IntegrityError, NotFoundError, SpecError
from probatum.plugins.protocols import Outcome
from probatum.plugins.registry import Registry
from probatum.records import codec
from probatum.records.base import UNSET
from probatum.records.case import Case
from probatum.records.invariant import Invariant
from probatum.records.judgment import Judgment
from probatum.records.perturbation import Perturbation
from probatum.records.plan import Plan, PlanCase
from probatum.records.session import Session
from probatum.records.statement import SessionStatement
from probatum.store import Stored

Change = Callable[[Any], Any]


class Edited:
    """A store in which records are edited, and all that names them is made to fit."""

    def __init__(self, store: Any, root: Digest) -> None:
        self._store = store
        self.root = root
        self.objects: dict[str, Stored] = {}
        self.gone: set[str] = set()
        self._new: dict[Digest, Digest] = {}

    def get(self, name: Digest) -> Stored:
        if name in self.gone:
            raise NotFoundError("gone")
        found: Stored = self.objects.get(name) or self._store.get(name)
        return found

    def edit(self, kind: type, change: Change) -> None:
        """Change every record of a kind, and re-write everything above."""
        self._new = {}
        self.root = self._rewritten(self.root, kind, change)

    def _rewritten(self, name: Digest, kind: type, change: Change) -> Digest:
        if name in self._new:
            return self._new[name]
        stored = self.get(name)
        if stored.kind == "blob":
            return name
        text = stored.payload.decode()
        from probatum.records.kinds import strong_edges

        for edge in strong_edges(codec.decode(*stored)):
            text = text.replace(edge.id, self._rewritten(edge.id, kind, change))
        record = codec.decode(stored.kind, text.encode())
        if isinstance(record, kind):
            record = change(record)
        payload = codec.encode(record)
        made = object_id(stored.kind, payload)
        self.objects[made] = Stored(stored.kind, payload)
        self._new[name] = made
        return made


def replaced(**fields: Any) -> Change:
    return lambda record: msgspec.structs.replace(record, **fields)


@pytest.fixture
def edited(lab: Any) -> Edited:
    lab.callable("def answer(p):\n    return p if len(p) % 2 else ''\n")
    expected = {"expected": {"contains": ["parcel"]}}
    result = lab.run(lab.compile({"id": "a", **expected}, {"id": "b"}))
    return Edited(lab.store, result.statement_id)


def again(edited: Edited, registry: Any = None) -> Rederived:
    return rederive(edited, edited.root, registry or Registry())


def codes(found: Rederived) -> set[str]:
    return {item.code for item in found.differences}


def test_an_honest_session_comes_out_the_same(edited: Edited) -> None:
    found = again(edited)
    assert (found.differences, found.left) == ((), ())
    assert found.perturbations == 12
    assert found.judgments > 4


def test_rewriting_alone_changes_nothing(edited: Edited) -> None:
    before = edited.root
    edited.edit(Judgment, lambda record: record)
    assert edited.root == before


def test_another_seed_is_noticed_for_every_sample(edited: Edited) -> None:
    edited.edit(Plan, replaced(seed=8))
    found = again(edited)
    assert codes(found) == {"perturbation-not-rederived"}
    assert {item.kind for item in found.differences} == {"perturbation"}
    assert len(found.differences) == 6
    assert found.perturbations == 6


def test_a_beacon_is_part_of_the_seeds(edited: Edited) -> None:
    edited.edit(Plan, replaced(beacon="token"))
    assert codes(again(edited)) == {"perturbation-not-rederived"}


def test_an_edited_perturbation_is_noticed_by_its_id(edited: Edited) -> None:
    edited.edit(Perturbation, replaced(method="other"))
    found = again(edited)
    assert len(found.differences) == 12
    assert {item.case for item in found.differences} == {"a", "b"}


def test_a_dropped_and_an_added_perturbation_are_noticed(edited: Edited) -> None:
    edited.edit(PlanCase, lambda record: replaced(perturbations=record.perturbations[1:])(record))
    found = again(edited)
    assert {(item.kind, item.words.split(" ", 1)[1]) for item in found.differences} == {
        ("plan-case", "0 comes out as another")
    }
    edited.edit(
        PlanCase,
        lambda record: replaced(
            perturbations=(
                *record.perturbations,
                msgspec.structs.replace(record.perturbations[0], index=99),
            )
        )(record),
    )
    assert any("does not come out at all" in item.words for item in again(edited).differences)


def test_an_edited_accounting_is_noticed(edited: Edited) -> None:
    edited.edit(
        PlanCase,
        lambda record: replaced(
            accounting=tuple(replaced(no_op=7)(item) for item in record.accounting)
        )(record),
    )
    found = again(edited)
    assert {item.words for item in found.differences} == {"the accounting comes out otherwise"}


def test_an_edited_judgment_is_noticed(edited: Edited) -> None:
    edited.edit(Judgment, replaced(result="pass", reason=UNSET))
    found = again(edited)
    assert codes(found) == {"judgment-not-rederived"}
    assert all("pass is stored, unjudged comes out" in item.words for item in found.differences)


def test_edited_falsifiability_is_noticed(edited: Edited) -> None:
    edited.edit(Session, replaced(falsifiability="0.9999"))
    (item,) = again(edited).differences
    assert (item.code, item.kind) == ("falsifiability-not-rederived", "session")
    assert item.words == "0.9999 is stored, 0.1200 comes out"


def declarations(**fields: Any) -> Change:
    return lambda record: replaced(
        perturbations=tuple(replaced(**fields)(item) for item in record.perturbations)
    )(record)


@pytest.mark.parametrize(
    ("fields", "why", "number"),
    [
        ({"family": "my-plugin:Noise"}, "unknown-family", 12),
        ({"version": 99}, "other-version", 12),
        ({"count": 100_001}, "limit", 12),
    ],
)
def test_what_this_release_cannot_make_is_left_and_counted(
    edited: Edited, fields: dict[str, Any], why: str, number: int
) -> None:
    edited.edit(Case, declarations(**fields))
    found = again(edited)
    assert found.differences == ()
    assert found.left == (Left("perturbations", number, why),)


def test_enormous_work_is_refused(edited: Edited, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WORK", 10)
    assert again(edited).left == (Left("perturbations", 12, "limit"),)


def test_what_is_asked_for_and_not_there_is_made_within_bounds_only(
    edited: Edited, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few bytes must not buy hours of work, however many declarations share them."""
    edited.edit(Case, declarations(count=60_000))
    assert again(edited).left == (Left("perturbations", 12, "limit"),)
    edited.edit(Case, declarations(count=1_000))
    monkeypatch.setattr(module, "SPARE_WORK", 2_000)
    assert ("perturbations", "limit") in {(item.what, item.why) for item in again(edited).left}


def test_long_perturbations_count_as_there_when_they_are(
    edited: Edited, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LITTLE", 1)
    monkeypatch.setattr(module, "SPARE_COUNT", 0)
    assert again(edited).left == ()
    edited.edit(Perturbation, replaced(index=99))
    assert again(edited).left == (Left("perturbations", 12, "limit"),)


def test_what_a_left_declaration_may_have_made_leaves_the_rest_of_its_family(lab: Any) -> None:
    lab.callable("def answer(p):\n    return p\n")
    twice = [{"type": "typo_noise", "id": name, "count": 3} for name in ("first", "second")]
    result = lab.run(lab.compile({"id": "a", "perturbations": [*twice, {"type": "casing"}]}))
    edited = Edited(lab.store, result.statement_id)
    assert (again(edited).left, again(edited).perturbations) == ((), 9)

    def change(record: Case) -> Case:
        first, *others = record.perturbations
        return replaced(perturbations=(replaced(version=99)(first), *others))(record)

    edited.edit(Case, change)
    found = again(edited)
    assert found.differences == ()
    assert found.left == (
        Left("perturbations", 3, "limit"),
        Left("perturbations", 3, "other-version"),
    )
    assert found.perturbations == 3


def test_judging_is_bounded(edited: Edited, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = again(edited).judgments
    monkeypatch.setattr(module, "MAX_JUDGING", 0)
    found = again(edited)
    (left,) = found.left
    assert (left.what, left.why) == ("judgments", "limit")
    assert left.number + found.judgments == whole


def test_judging_that_ends_for_work_uses_the_bound_up(
    edited: Edited, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(*_: Any) -> Any:
        return lambda text: Outcome("unjudged", reason="schema-work")

    monkeypatch.setattr(module, "compile_check", endless)
    monkeypatch.setattr(module, "MAX_JUDGING", 2**20)
    found = again(edited)
    assert ("judgments", "limit") in {(item.what, item.why) for item in found.left}
    assert codes(found) == {"judgment-not-rederived"}


def test_parameters_that_the_family_cannot_read_are_a_difference(edited: Edited) -> None:
    edited.edit(Case, declarations(params='{"rate":"much"}'))
    found = again(edited)
    assert codes(found) == {"perturbation-not-rederived"}
    assert all("cannot have been made" in item.words for item in found.differences)


@pytest.mark.parametrize(
    ("fields", "why"),
    [({"name": "my-plugin:rule"}, "unknown-rule"), ({"version": 99}, "other-version")],
)
def test_rules_that_are_not_here_are_left(edited: Edited, fields: dict[str, Any], why: str) -> None:
    edited.edit(Invariant, replaced(**fields))
    found = again(edited)
    assert {(item.what, item.why) for item in found.left} >= {("judgments", why)}
    assert found.judgments == 0
    if why == "unknown-rule":
        assert ("falsifiability", "damaged") in {(item.what, item.why) for item in found.left}


def test_parameters_that_the_rule_cannot_read_are_a_difference(edited: Edited) -> None:
    edited.edit(Invariant, replaced(params='{"values":7}'))
    found = again(edited)
    assert "judgment-not-rederived" in codes(found)
    assert any("cannot have been judged" in item.words for item in found.differences)


def kinds_of(edited: Edited, wanted: str) -> list[Digest]:
    from probatum.store import closure

    statement = codec.decode(*edited.get(edited.root))
    assert isinstance(statement, SessionStatement)
    found = closure(edited, statement.predicate.root)
    return [entry.id for entry in found.entries if entry.kind == wanted]


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("session", "perturbations"),
        ("plan", "perturbations"),
        ("table", "perturbations"),
        ("table", "judgments"),
        ("plan-case", "perturbations"),
        ("case", "perturbations"),
        ("invariant", "perturbations"),
        ("invariant", "judgments"),
        ("verdict", "judgments"),
        ("trials", "judgments"),
        ("judgment", "judgments"),
        ("output", "judgments"),
    ],
)
def test_what_is_gone_is_counted_as_damaged_and_raises_nothing(
    edited: Edited, kind: str, what: str
) -> None:
    edited.gone.update(kinds_of(edited, kind))
    found = again(edited)
    assert (what, "damaged") in {(item.what, item.why) for item in found.left}
    assert "judgment-not-rederived" not in codes(found)


def test_a_statement_that_is_gone_leaves_everything(edited: Edited) -> None:
    edited.gone.add(edited.root)
    assert {(item.what, item.why) for item in again(edited).left} == {
        ("perturbations", "damaged"),
        ("judgments", "damaged"),
        ("falsifiability", "damaged"),
    }


def test_perturbations_that_are_gone_are_made_again_all_the_same(edited: Edited) -> None:
    edited.gone.update(kinds_of(edited, "perturbation"))
    found = again(edited)
    assert (found.differences, found.perturbations) == ((), 12)


def test_a_wrong_id_for_something_that_is_gone_is_still_a_difference(edited: Edited) -> None:
    edited.edit(Perturbation, replaced(method="other"))
    edited.gone.update(kinds_of(edited, "perturbation"))
    assert {item.kind for item in again(edited).differences} == {"plan-case"}


def test_an_answer_whose_blob_is_gone_is_damaged(lab: Any) -> None:
    lab.scripted(lambda request: "parcel " * 20_000)
    result = lab.run(lab.compile())
    edited = Edited(lab.store, result.statement_id)
    assert again(edited).differences == ()
    edited.gone.update(kinds_of(edited, "blob"))
    found = again(edited)
    assert found.left == (Left("judgments", 1, "damaged"),)
    assert found.differences == ()


def test_schemas_are_read_from_the_evidence(lab: Any) -> None:
    lab.folder.joinpath("schema.json").write_text('{"required": ["a", "b"]}')
    lab.scripted(lambda request: '{"a": 1, "b": 2}')
    invariants = [{"type": "schema_match", "schema": "schema.json"}]
    result = lab.run(lab.compile({"invariants": invariants}))
    edited = Edited(lab.store, result.statement_id)
    found = again(edited)
    assert (found.differences, found.left, found.judgments) == ((), (), 1)
    edited.gone.update(kinds_of(edited, "blob"))
    assert {(item.what, item.why) for item in again(edited).left} == {
        ("judgments", "damaged"),
        ("falsifiability", "damaged"),
    }


def test_a_rule_that_refuses_its_parameters_is_a_difference(edited: Edited) -> None:
    class Refusing(Registry):
        def rule(self, name: str) -> Any:
            real = super().rule(name)

            class Rule:
                name = real.name
                version = real.version
                params = real.params

                def prepare(self, *given: Any) -> Any:
                    raise SpecError("no meaning")

                def contribution(self, *given: Any) -> Fraction:
                    return Fraction(3, 25)

            return Rule()

    found = again(edited, Refusing())
    assert codes(found) == {"judgment-not-rederived"}


def test_a_record_of_the_wrong_kind_is_damage(edited: Edited) -> None:
    (plan,) = kinds_of(edited, "plan")
    (target,) = kinds_of(edited, "target")
    edited.objects[plan] = edited.get(target)
    assert ("perturbations", "damaged") in {(item.what, item.why) for item in again(edited).left}


def test_a_damaged_record_is_damage(edited: Edited) -> None:
    class Broken:
        def get(self, name: Digest) -> Stored:
            if name != edited.root:
                raise IntegrityError("not what its id says")
            return edited.get(name)

    found = rederive(Broken(), edited.root, Registry())
    assert len(found.left) == 3
