from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from probatum.digest import Digest
from probatum.engine import judge as module
from probatum.engine.judge import Judge, gate
from probatum.errors import SpecError
from probatum.plugins.protocols import Check, Outcome
from probatum.records import codec
from probatum.records.base import UNSET, BlobId, InvariantId, JudgmentId, OutputId
from probatum.records.invariant import Invariant
from probatum.records.judgment import Clue, Judgment
from probatum.records.output import Output


class Params(msgspec.Struct, frozen=True):
    word: str = "yes"


class Holds:
    name = "holds"
    version = 1
    params = Params

    def __init__(self) -> None:
        self.prepared: list[tuple[Any, Any, Any]] = []
        self.judged: list[str] = []

    def prepare(self, params: Params, document: bytes | None, normalize: tuple[str, ...]) -> Check:
        if params.word == "refuse":
            raise SpecError("no meaning")
        self.prepared.append((params.word, document, normalize))

        def check(text: str) -> Outcome:
            self.judged.append(text)
            if params.word in text:
                return Outcome("pass", (Clue(code="found"),), score="1")
            return Outcome("fail")

        return check


class Catalogue:
    def __init__(self, rule: Holds) -> None:
        self._rule = rule

    def rule(self, name: str) -> Any:
        return self._rule


def invariant(word: str = "yes", **given: Any) -> tuple[InvariantId, Invariant]:
    record = Invariant(
        name="holds",
        version=1,
        params=msgspec.json.encode({"word": word}).decode(),
        severity="high",
        normalize=("case",),
        **given,
    )
    return InvariantId(codec.identify(record)), record


@pytest.fixture
def rule() -> Holds:
    return Holds()


@pytest.fixture
def judge(rule: Holds) -> Callable[..., list[Judgment]]:
    made = Judge(Catalogue(rule), lambda name: b"document", codec.identify)  # type: ignore[arg-type]

    def run(text: str | None, *invariants: Any, **output: Any) -> list[Judgment]:
        record = Output(**{"finish": "stop", "text": text if text is not None else UNSET, **output})
        into: dict[JudgmentId, Judgment] = {}
        ids = made.judge(invariants, OutputId(codec.identify(record)), record, text, into)
        assert set(ids) == set(into)
        assert all(codec.identify(into[name]) == name for name in ids)
        return [into[name] for name in ids]

    return run


def test_each_invariant_judges_in_order(judge: Any) -> None:
    yes, no = invariant("yes"), invariant("no")
    found = judge("oh yes", yes, no)
    assert [item.result for item in found] == ["pass", "fail"]
    assert [item.invariant for item in found] == [yes[0], no[0]]
    assert (found[0].evidence, found[0].score) == ((Clue(code="found"),), "1")
    assert found[0].reason is UNSET
    assert found[1].score is UNSET


def test_equal_questions_are_asked_once(judge: Any, rule: Holds) -> None:
    yes = invariant()
    assert judge("yes", yes) == judge("yes", yes)
    judge("other", yes)
    assert rule.judged == ["yes", "other"]
    assert len(rule.prepared) == 1


def test_what_is_forgotten_is_judged_again(
    judge: Any, rule: Holds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 1)
    yes, no = invariant("yes"), invariant("no")
    first = judge("yes", yes, no)
    assert judge("yes", yes, no) == first
    assert rule.judged == ["yes"] * 4


def test_a_document_is_read_for_the_rule(judge: Any, rule: Holds) -> None:
    judge("x", invariant(document=BlobId(Digest("d" * 64))))
    assert rule.prepared == [("yes", b"document", ("case",))]


@pytest.mark.parametrize(
    ("text", "finish", "reason"),
    [
        ("yes", "stop", None),
        ("yes", "unknown", None),
        ("yes", "tool_calls", None),
        ("yes", "filtered", "filtered"),
        ("", "filtered", "filtered"),
        (None, "stop", "not-text"),
        (None, "length", "not-text"),
        ("yes", "length", "truncated"),
        ("", "stop", "empty"),
        (" \n\u2003", "stop", "empty"),
    ],
)
def test_some_answers_cannot_be_judged(
    judge: Any, rule: Holds, text: str | None, finish: Any, reason: str | None
) -> None:
    blob = {"blob": BlobId(Digest("b" * 64))} if text is None else {}
    assert gate(Output(finish=finish), text) == reason
    (found,) = judge(text, invariant(), finish=finish, **blob)
    assert found.result == ("pass" if reason is None else "unjudged")
    assert found.reason == (UNSET if reason is None else reason)
    assert rule.judged == ([] if reason else ["yes"])


def test_parameters_without_meaning_are_refused(judge: Any) -> None:
    with pytest.raises(SpecError):
        judge("x", invariant("refuse"))
