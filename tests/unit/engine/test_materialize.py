from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from probatum.digest import Digest
from probatum.engine.materialize import ATTEMPTS, Materializer
from probatum.plugins.draws import Draws
from probatum.plugins.protocols import Members, NotApplicable, Sample, Subject
from probatum.records import codec
from probatum.records.base import CaseId
from probatum.records.case import Case, Declaration, Policy
from probatum.records.inputs import BlobPart, Input, Message, Tool, text_input
from probatum.records.invariant import Invariant
from probatum.records.perturbation import Edit, Perturbation

CASE_ID = CaseId(Digest("c" * 64))


class Params(msgspec.Struct, frozen=True):
    rate: Decimal = Decimal("0.5")
    protect: bool = False


class Fake:
    name = "fake"
    version = 1
    stance = "preserving"
    params = Params

    def __init__(self, found: Any) -> None:
        self._found = found
        self.subjects: list[Subject] = []

    def count(self, params: Any) -> int:
        return 1

    def prepare(self, subject: Subject, params: Any) -> Any:
        self.subjects.append(subject)
        return self._found


class Rule:
    name = "looks"
    version = 1
    params = Params

    def sought(self, params: Any) -> list[str]:
        return ["parcel"]


class Catalogue:
    def __init__(self, family: Fake, rule: Any = None) -> None:
        self._family = family
        self._rule = rule or Rule()

    def family(self, name: str) -> Any:
        return self._family

    def rule(self, name: str) -> Any:
        return self._rule


def replace(text: str, new: str, method: str = "m") -> Sample:
    return Sample(method, (Edit(message=0, at=0, op="replace", old=text, new=new),))


def scripted(text: str, outcomes: list[str]) -> Callable[[Draws], Sample]:
    """Return a sampler that gives the texts in order, whatever is drawn."""
    left = iter(outcomes)
    return lambda draws: replace(text, next(left))


def declared(count: int = 3, params: str = "{}", name: str = "d") -> Declaration:
    return Declaration(id=name, family="fake", version=1, count=count, params=params)


def case_of(value: Input | str = "abc", *declarations: Declaration) -> Case:
    return Case(
        id="case",
        tags=(),
        input=text_input(value) if isinstance(value, str) else value,
        policy=Policy(stable_threshold="0.95", min_perturbations=2),
        perturbations=declarations or (declared(),),
        invariants=(),
    )


def unroll(family: Fake, case: Case, invariants: tuple[Invariant, ...] = (), **given: Any) -> Any:
    put = given.pop("put", codec.identify)
    made = Materializer(Catalogue(family), put, seed=given.pop("seed", 1), **given)
    return made.unroll(CASE_ID, case, invariants)


def texts(unrolled: Any) -> list[str]:
    return [value.messages[-1].content for value in unrolled.inputs]


def test_each_index_gets_a_new_text_and_the_record_says_how() -> None:
    stored: list[Perturbation] = []

    def put(record: Any) -> Digest:
        stored.append(record)
        return codec.identify(record)

    found = unroll(Fake(scripted("abc", ["x", "y", "z"])), case_of(), put=put)
    assert texts(found) == ["x", "y", "z"]
    assert [item.index for item in found.plan_case.perturbations] == [0, 1, 2]
    assert [item.perturbation for item in found.plan_case.perturbations] == [
        codec.identify(record) for record in stored
    ]
    first = stored[0]
    assert (first.family, first.version, first.method, first.params) == ("fake", 1, "m", "{}")
    assert (first.declaration, first.index) == ("d", 0)
    assert first.original == text_input("abc")
    assert first.perturbed == text_input("x")
    (account,) = found.plan_case.accounting
    assert (account.requested, account.no_op, account.duplicate, account.invalid) == (3, 0, 0, 0)
    assert found.plan_case.case == CASE_ID


def test_a_sample_without_new_effect_continues_the_same_stream() -> None:
    seen: list[int] = []

    def sampler(draws: Draws) -> Sample:
        seen.append(draws.word())
        return replace("abc", ["abc", "x", "x", "y"][len(seen) - 1])

    found = unroll(Fake(sampler), case_of("abc", declared(2)))
    assert texts(found) == ["x", "y"]
    assert [item.index for item in found.plan_case.perturbations] == [0, 1]
    assert len(set(seen)) == 4


def test_an_index_is_given_up_after_sixteen_attempts_and_counted_as_what_it_was() -> None:
    outcomes = ["x", *["abc"] * ATTEMPTS, *["abc"] * (ATTEMPTS - 1), "x", "y"]
    found = unroll(Fake(scripted("abc", outcomes)), case_of("abc", declared(4)))
    assert texts(found) == ["x", "y"]
    assert [item.index for item in found.plan_case.perturbations] == [0, 3]
    (account,) = found.plan_case.accounting
    assert (account.requested, account.no_op, account.duplicate) == (4, 1, 1)


def test_what_an_earlier_declaration_of_the_family_made_is_a_duplicate() -> None:
    """Both are one family: the same text twice would count for two."""
    case = case_of("abc", declared(3, name="a"), declared(3, name="b"))
    found = unroll(Fake(scripted("abc", ["x", "y", "z", "y", "w", "x"])), case)
    planned = [(item.declaration, item.index) for item in found.plan_case.perturbations]
    assert planned == [("a", 0), ("a", 1), ("a", 2), ("b", 1)]
    accounts = found.plan_case.accounting
    assert [(item.requested, item.duplicate) for item in accounts] == [(3, 0), (3, 2)]


def test_members_that_an_earlier_declaration_has_are_duplicates() -> None:
    samples = (replace("abc", "ABC", "upper"), replace("abc", "Abc", "title"))
    case = case_of("abc", declared(2, name="a"), declared(2, name="b"))
    found = unroll(Fake(Members(samples)), case)
    assert texts(found) == ["ABC", "Abc"]
    accounts = found.plan_case.accounting
    assert [(item.duplicate, item.possible) for item in accounts] == [(0, 2), (2, 0)]


def test_an_exhaustive_family_counts_its_members() -> None:
    samples = (replace("abc", "ABC", "upper"), Sample("lower", ()), replace("abc", "ABC", "title"))
    found = unroll(Fake(Members(samples)), case_of())
    assert texts(found) == ["ABC"]
    (account,) = found.plan_case.accounting
    assert (account.requested, account.no_op, account.duplicate, account.possible) == (3, 1, 1, 1)


def test_a_family_that_does_not_apply_says_why() -> None:
    found = unroll(Fake(NotApplicable("no-letters")), case_of("123", declared(5)))
    assert found.inputs == ()
    (account,) = found.plan_case.accounting
    assert (account.requested, account.no_op, account.not_applicable) == (5, 0, "no-letters")


def test_the_last_user_message_with_plain_text_is_perturbed() -> None:
    tool = Tool(name="t", description="d", parameters="{}")
    parts = (BlobPart(blob="0" * 64, media_type="image/png"),)
    value = Input(
        messages=(
            Message(role="user", content="first"),
            Message(role="user", content="abc"),
            Message(role="user", content=parts),
            Message(role="assistant", content="no"),
        ),
        tools=(tool,),
    )
    sample = Sample("m", (Edit(message=1, at=0, op="replace", old="abc", new="x"),))
    family = Fake(lambda draws: sample)
    found = unroll(family, case_of(value, declared(1)))
    (changed,) = found.inputs
    assert [message.content for message in changed.messages] == ["first", "x", parts, "no"]
    assert changed.tools == (tool,)
    assert family.subjects[0][:2] == ("abc", 1)


def test_without_such_a_message_no_family_applies() -> None:
    value = Input(messages=(Message(role="system", content="s"),))
    family = Fake(None)
    found = unroll(family, case_of(value))
    assert found.plan_case.accounting[0].not_applicable == "no-user-text"
    assert not family.subjects


def test_facts_and_sought_values_are_protected_where_that_is_asked_for() -> None:
    family = Fake(lambda draws: replace("a", "b"))
    text = "my Parcel costs 30"
    invariant = Invariant(name="looks", version=1, params="{}", severity="high", normalize=())
    on, off = declared(0, '{"protect":true}', "a"), declared(0, "{}", "b")
    again = declared(0, '{"protect":true,"rate":"0.1"}', "c")
    unroll(family, case_of(text, on, off, again), (invariant,))
    spans = [[text[start:end] for start, end in subject.protected] for subject in family.subjects]
    assert spans == [["Parcel", "30"], [], ["Parcel", "30"]]


def test_a_rule_that_looks_for_nothing_protects_nothing() -> None:
    family = Fake(lambda draws: replace("a", "b"))
    plain = type("Plain", (), {"name": "p", "version": 1, "params": Params})()
    invariant = Invariant(name="p", version=1, params="{}", severity="high", normalize=())
    made = Materializer(Catalogue(family, plain), codec.identify, seed=1)
    made.unroll(CASE_ID, case_of("parcel", declared(0, '{"protect":true}')), (invariant,))
    assert family.subjects[0].protected == ()


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 2},
        {"beacon": "b"},
        {"case": {"id": "other"}},
        {"declaration": {"id": "e"}},
        {"declaration": {"params": '{"rate":"0.4"}'}},
    ],
)
def test_the_stream_depends_on_all_that_identifies_a_sample(other: dict[str, Any]) -> None:
    def words(case: Case, **given: Any) -> list[int]:
        seen: list[int] = []

        def sampler(draws: Draws) -> Sample:
            seen.append(draws.word())
            return replace("abc", str(len(seen)))

        unroll(Fake(sampler), case, **given)
        return seen

    changed = msgspec.structs.replace(declared(), **other.pop("declaration", {}))
    case = msgspec.structs.replace(case_of("abc", changed), **other.pop("case", {}))
    assert not set(words(case_of("abc"))) & set(words(case, **other))
    assert words(case_of("abc")) == words(case_of("abc"))


def test_more_samples_change_no_earlier_one() -> None:
    def run(count: int) -> list[str]:
        family = Fake(lambda draws: replace("abc", str(draws.word())))
        return texts(unroll(family, case_of("abc", declared(count))))

    assert run(7)[:3] == run(3)
