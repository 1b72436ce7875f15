"""From cases to the very inputs that will be tried, before any is.

A case's part of the plan depends on nothing but the case, the seed and the
versions of the families, so cases can be unrolled in any order, alone, and
again by whoever verifies.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from probatum.digest import Digest
from probatum.plugins.draws import Draws, Streams
from probatum.plugins.edits import apply_to_text
from probatum.plugins.protect import protected_spans
from probatum.plugins.protocols import (
    Catalogue,
    Family,
    Members,
    NotApplicable,
    Sample,
    Sampler,
    Span,
    Subject,
)
from probatum.records.base import UNSET, CaseId, PerturbationId, UnsetType
from probatum.records.case import Case, Declaration
from probatum.records.codec import AnyRecord
from probatum.records.inputs import Input
from probatum.records.invariant import Invariant
from probatum.records.perturbation import Perturbation
from probatum.records.plan import Accounting, PlanCase, Planned

ATTEMPTS: Final = 16
"""Samples drawn for one index before it is counted as no evidence."""

Put = Callable[[AnyRecord], Digest]


class Unrolled(NamedTuple):
    """One case's part of the plan.

    Attributes:
        inputs: The perturbed inputs, parallel to ``plan_case.perturbations``.
    """

    plan_case: PlanCase
    inputs: tuple[Input, ...]


class _Change(NamedTuple):
    """A sample that counts, with its place in the declaration."""

    place: int
    sample: Sample
    text: str


class _Drawn(NamedTuple):
    changes: list[_Change]
    no_op: int = 0
    duplicate: int = 0
    possible: int | UnsetType = UNSET


class _Made:
    """The texts that a case's families have made so far.

    Only families that are declared more than once are looked at: nothing else
    can repeat what another declaration made.
    """

    def __init__(self, case: Case) -> None:
        names = Counter([item.family for item in case.perturbations])
        self._texts: dict[str, set[str]] = {
            name: set() for name, count in names.items() if count > 1
        }

    def unlike(self, family: str, drawn: _Drawn | NotApplicable) -> _Drawn | NotApplicable:
        """Return what was drawn without what an earlier declaration of the family has made.

        Families are judged whole, so the same text twice would count for two.
        """
        before = self._texts.get(family)
        if before is None or isinstance(drawn, NotApplicable):
            return drawn
        changes = [change for change in drawn.changes if change.text not in before]
        before.update([change.text for change in changes])
        return _Drawn(
            changes,
            drawn.no_op,
            drawn.duplicate + len(drawn.changes) - len(changes),
            UNSET if drawn.possible is UNSET else len(changes),
        )


class Materializer:
    """Unrolls cases.

    Args:
        registry: Where families and rules are found.
        put: Takes every perturbation; stores it, or only says its id.
        seed: The plan's seed.
        beacon: The plan's time token, if it has one.
    """

    def __init__(self, registry: Catalogue, put: Put, *, seed: int, beacon: str = "") -> None:
        self._registry = registry
        self._put = put
        self._seed = seed
        self._beacon = beacon
        self._params: dict[tuple[str, str], Any] = {}

    def unroll(self, case_id: CaseId, case: Case, invariants: Sequence[Invariant]) -> Unrolled:
        """Make all perturbations of a case.

        Args:
            case_id: The id of `case`.
            case: What to perturb, and how.
            invariants: Parallel to ``case.invariants``; the values that they
                look for are protected where a declaration asks for it.
        """
        target = _perturbable(case.input)
        planned: list[Planned] = []
        accounts: list[Accounting] = []
        inputs: list[Input] = []
        facts: tuple[Span, ...] | None = None
        made = _Made(case)
        for declaration in case.perturbations:
            family = self._registry.family(declaration.family)
            params = self._decoded(family, declaration.params)
            if target is None:
                accounts.append(_account(declaration, NotApplicable("no-user-text")))
                continue
            message, text = target
            protected: tuple[Span, ...] = ()
            if getattr(params, "protect", False):
                if facts is None:
                    facts = protected_spans(text, self._sought(invariants))
                protected = facts
            found = family.prepare(Subject(text, message, protected), params)
            drawn = made.unlike(declaration.family, self._draw(case, declaration, found, text))
            accounts.append(_account(declaration, drawn))
            if isinstance(drawn, NotApplicable):
                continue
            for change in drawn.changes:
                changed = _with_text(case.input, message, change.text)
                planned.append(self._store(case, declaration, change, changed))
                inputs.append(changed)
        plan_case = PlanCase(case=case_id, perturbations=tuple(planned), accounting=tuple(accounts))
        return Unrolled(plan_case, tuple(inputs))

    def _draw(
        self,
        case: Case,
        declaration: Declaration,
        found: Sampler | Members | NotApplicable,
        text: str,
    ) -> _Drawn | NotApplicable:
        if isinstance(found, NotApplicable):
            return found
        if isinstance(found, Members):
            return _members(found, text)
        streams = Streams(
            seed=self._seed,
            beacon=self._beacon,
            case=case.id,
            declaration=declaration.id,
            family=declaration.family,
            version=declaration.version,
            params=declaration.params,
        )
        changes: list[_Change] = []
        seen: set[str] = set()
        no_op = duplicate = 0
        for index in range(declaration.count):
            change, repeated = _attempt(found, streams[index], text, seen)
            if change is not None:
                changes.append(_Change(index, *change))
            elif repeated:
                duplicate += 1
            else:
                no_op += 1
        return _Drawn(changes, no_op, duplicate)

    def _store(
        self, case: Case, declaration: Declaration, change: _Change, changed: Input
    ) -> Planned:
        record = Perturbation(
            family=declaration.family,
            version=declaration.version,
            method=change.sample.method,
            params=declaration.params,
            declaration=declaration.id,
            index=change.place,
            original=case.input,
            edits=change.sample.edits,
            perturbed=changed,
        )
        return Planned(
            declaration=declaration.id,
            index=change.place,
            perturbation=PerturbationId(self._put(record)),
        )

    def _decoded(self, family: Family, params: str) -> Any:
        key = (family.name, params)
        found = self._params.get(key)
        if found is None:
            found = self._params[key] = msgspec.json.decode(params, type=family.params)
        return found

    def _sought(self, invariants: Iterable[Invariant]) -> Iterator[str]:
        """Yield the values that the case's invariants look for, where a rule names them."""
        for invariant in invariants:
            rule = self._registry.rule(invariant.name)
            sought: Callable[[Any], Sequence[str]] | None = getattr(rule, "sought", None)
            if sought is not None:
                yield from sought(msgspec.json.decode(invariant.params, type=rule.params))


def _perturbable(value: Input) -> tuple[int, str] | None:
    """Return index and text of the last user message that is plain text."""
    for index in range(len(value.messages) - 1, -1, -1):
        message = value.messages[index]
        if message.role == "user" and isinstance(message.content, str):
            return index, message.content
    return None


def _with_text(value: Input, message: int, text: str) -> Input:
    messages = value.messages
    changed = msgspec.structs.replace(messages[message], content=text)
    return Input(
        messages=(*messages[:message], changed, *messages[message + 1 :]), tools=value.tools
    )


def _changed(text: str, sample: Sample) -> str:
    found = sample.text
    return apply_to_text(text, sample.edits) if found is None else found


def _attempt(
    sampler: Sampler, draws: Draws, text: str, seen: set[str]
) -> tuple[tuple[Sample, str] | None, bool]:
    """Return the first sample with a new effect, or whether any attempt was a repetition."""
    repeated = False
    for _ in range(ATTEMPTS):
        sample = sampler(draws)
        changed = _changed(text, sample)
        if changed == text:
            continue
        if changed in seen:
            repeated = True
            continue
        seen.add(changed)
        return (sample, changed), repeated
    return None, repeated


def _members(members: Members, text: str) -> _Drawn:
    changes: list[_Change] = []
    seen: set[str] = set()
    no_op = duplicate = 0
    for index, sample in enumerate(members.samples):
        changed = _changed(text, sample)
        if changed == text:
            no_op += 1
        elif changed in seen:
            duplicate += 1
        else:
            seen.add(changed)
            changes.append(_Change(index, sample, changed))
    return _Drawn(changes, no_op, duplicate, len(changes))


def _account(declaration: Declaration, drawn: _Drawn | NotApplicable) -> Accounting:
    if isinstance(drawn, NotApplicable):
        return Accounting(
            declaration=declaration.id,
            family=declaration.family,
            requested=declaration.count,
            no_op=0,
            duplicate=0,
            invalid=0,
            not_applicable=drawn.reason,
        )
    return Accounting(
        declaration=declaration.id,
        family=declaration.family,
        requested=len(drawn.changes) + drawn.no_op + drawn.duplicate,
        no_op=drawn.no_op,
        duplicate=drawn.duplicate,
        invalid=0,
        possible=drawn.possible,
    )
