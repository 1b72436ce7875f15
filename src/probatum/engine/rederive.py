"""Doing the work of a session again, to see whether it comes out the same.

Perturbations are made from their seeds, stored answers judged by stored
invariants, falsifiability computed; what differs was edited, or was made by
something other than what its name says. Only code of this release takes part:
nothing that evidence brings is run, and what a name does not stand for here
is listed as left, never guessed.

Bytes, references and verdicts are the business of verification proper; what
cannot be read is passed over here and counted.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Final, NamedTuple, TypeVar

import msgspec

from probatum.digest import Digest
from probatum.engine.answers import text_of
from probatum.engine.judge import compile_check, contribution_of, gate, judgment_of
from probatum.engine.materialize import Materializer
from probatum.errors import IntegrityError, LimitError, NotFoundError, ProbatumError
from probatum.plugins.protocols import Catalogue, Check, Outcome
from probatum.records import codec
from probatum.records.base import (
    UNSET,
    BlobId,
    CaseId,
    InvariantId,
    JudgmentId,
    OutputId,
    PlanCaseId,
    SessionId,
    StatementId,
    VerdictId,
)
from probatum.records.case import Case, Declaration
from probatum.records.invariant import Invariant
from probatum.records.judgment import Judgment
from probatum.records.output import Output
from probatum.records.perturbation import Perturbation
from probatum.records.plan import Plan, PlanCase, Planned
from probatum.records.session import Session
from probatum.records.statement import SessionStatement
from probatum.records.table import Table
from probatum.records.trials import Trials
from probatum.records.verdict import Verdict
from probatum.store.objects import Reader
from probatum.verdicts import case_declared, mean_declared

_R = TypeVar("_R", bound=msgspec.Struct)

MAX_COUNT: Final = 100_000
"""Perturbations of one declaration that are made again at most."""

MAX_WORK: Final = 2**32
"""Code points of perturbed text of one declaration that are made again at most."""

SPARE_COUNT: Final = 50_000
"""Perturbations of a session that are asked for, not stored, and tried again at most."""

SPARE_WORK: Final = 2**26
"""Code points of the texts of these at most."""

_LITTLE: Final = 2**20
"""Code points of which it is not asked whether they are really stored."""

MAX_JUDGING: Final = 2**40
"""Sum over judgments of parameters in code points x answer in code points, at most."""

_WHOLE_BUDGET: Final = 2**34
"""What a judgment is taken for that ended because it was too much work."""


class Difference(NamedTuple):
    """Something that did not come out as it is stored.

    Attributes:
        code: ``perturbation-not-rederived``, ``judgment-not-rederived`` or
            ``falsifiability-not-rederived``.
        id: The object that says otherwise.
        kind: Its kind.
        case: The case, as authored; empty for the session.
        words: The particulars.
    """

    code: str
    id: Digest
    kind: str
    case: str
    words: str


class Left(NamedTuple):
    """Something that could not be made again.

    Attributes:
        what: ``perturbations``, ``judgments`` or ``falsifiability``.
        number: How many of them.
        why: ``damaged``, ``unknown-family``, ``unknown-rule``,
            ``other-version`` or ``limit``.
    """

    what: str
    number: int
    why: str


class Rederived(NamedTuple):
    """What doing the work again has shown.

    Attributes:
        perturbations: How many were made again and are the same.
        judgments: How many were made again and are the same.
    """

    differences: tuple[Difference, ...]
    left: tuple[Left, ...]
    perturbations: int
    judgments: int


def rederive(reader: Reader, statement: StatementId, registry: Catalogue) -> Rederived:
    """Do the work of a session again.

    Args:
        reader: A store.
        statement: The session's id.
        registry: The families and rules of this release.

    Raises:
        EnvironmentFault: If the store cannot be read at all.
    """
    again = _Again(reader, registry)
    again.statement(statement)
    return Rederived(
        tuple(again.differences),
        tuple([Left(what, count, why) for (what, why), count in sorted(again.left.items())]),
        again.perturbations,
        again.judgments,
    )


class _Again:
    def __init__(self, reader: Reader, registry: Catalogue) -> None:
        self._get = reader.get
        self._registry = registry
        self._checks: dict[InvariantId, Check] = {}
        self._judged: set[JudgmentId] = set()
        self._spare_count = SPARE_COUNT
        self._spare_work = SPARE_WORK
        self._judging = MAX_JUDGING
        self.differences: list[Difference] = []
        self.left: Counter[tuple[str, str]] = Counter()
        self.perturbations = 0
        self.judgments = 0

    def statement(self, name: StatementId) -> None:
        """Take a session's statement, and all that it stands for."""
        statement = self._read(name, SessionStatement)
        root = None if statement is None else statement.predicate.root
        session = None if root is None else self._read(root, Session)
        plan = None if session is None else self._read(session.plan, Plan)
        if root is None or session is None or plan is None:
            for what in ("perturbations", "judgments", "falsifiability"):
                self.left[what, "damaged"] += 1
            return
        beacon = "" if plan.beacon is UNSET else plan.beacon
        materializer = Materializer(self._registry, codec.identify, seed=plan.seed, beacon=beacon)
        shares = [
            self._plan_case(PlanCaseId(case), materializer)
            for case in self._rows(plan.cases, "plan-case")
        ]
        for verdict in self._rows(session.results, "verdict"):
            self._verdict(VerdictId(verdict))
        self._falsifiability(root, session, shares)

    def _falsifiability(
        self, root: SessionId, session: Session, shares: list[Fraction | None]
    ) -> None:
        known = [share for share in shares if share is not None]
        if len(known) < len(shares):
            self.left["falsifiability", "damaged"] += 1
            return
        found = mean_declared(known)
        if found != session.falsifiability:
            words = f"{session.falsifiability} is stored, {found} comes out"
            self.differences.append(
                Difference("falsifiability-not-rederived", root, "session", "", words)
            )

    def _plan_case(self, name: PlanCaseId, materializer: Materializer) -> Fraction | None:
        """Make the perturbations of a case again; return its declared falsifiability."""
        stored = self._read(name, PlanCase)
        case = None if stored is None else self._read(stored.case, Case)
        if stored is None or case is None:
            self.left["perturbations", "damaged"] += 1
            return None
        found = [self._read(rule.invariant, Invariant) for rule in case.invariants]
        invariants = [item for item in found if item is not None]
        if len(invariants) < len(found):
            self.left["perturbations", "damaged"] += len(stored.perturbations)
            return None
        self._compare(name, stored, case, invariants, materializer)
        return self._share(case, invariants)

    def _share(self, case: Case, invariants: list[Invariant]) -> Fraction | None:
        try:
            return case_declared(
                [
                    contribution_of(invariant, self._registry, self._blob)
                    for rule, invariant in zip(case.invariants, invariants, strict=True)
                    if rule.role == "check"
                ]
            )
        except (ProbatumError, msgspec.DecodeError):
            return None

    def _compare(
        self,
        name: PlanCaseId,
        stored: PlanCase,
        case: Case,
        invariants: list[Invariant],
        materializer: Materializer,
    ) -> None:
        places: dict[str, list[Planned]] = {}
        for planned in stored.perturbations:
            places.setdefault(planned.declaration, []).append(planned)
        known: list[Declaration] = []
        partly: set[str] = set()
        for item in case.perturbations:
            mine = places.get(item.id, [])
            if not self._repeatable(item, mine, case):
                partly.add(item.family)
            elif item.family in partly:
                # What a declaration makes depends on those before it of its family.
                self.left["perturbations", "limit"] += max(1, len(mine))
            else:
                known.append(item)
        reduced = msgspec.structs.replace(case, perturbations=tuple(known))
        try:
            made = materializer.unroll(CaseId(stored.case), reduced, invariants).plan_case
        except (ProbatumError, msgspec.DecodeError) as error:
            self._differs(name, case.id, f"cannot have been made: {error}")
            return
        ids = {item.id for item in known}
        claimed = [it for it in stored.perturbations if it.declaration in ids]
        there = {(it.declaration, it.index): it.perturbation for it in claimed}
        for again in made.perturbations:
            other = there.pop((again.declaration, again.index), None)
            if other == again.perturbation:
                self.perturbations += 1
            else:
                place = f"{again.declaration} {again.index}"
                self._differs(other or name, case.id, f"{place} comes out as another")
        for (declaration, index), other in there.items():
            self._differs(other, case.id, f"{declaration} {index} does not come out at all")
        accounts = [entry for entry in stored.accounting if entry.declaration in ids]
        if accounts != list(made.accounting):
            self._differs(name, case.id, "the accounting comes out otherwise")

    def _differs(self, name: Digest, case: str, words: str) -> None:
        kind = "plan-case"
        with suppress(NotFoundError, IntegrityError, LimitError):
            kind = self._get(name)[0]
        self.differences.append(Difference("perturbation-not-rederived", name, kind, case, words))

    def _repeatable(self, declaration: Declaration, stored: list[Planned], case: Case) -> bool:
        """Tell whether this release can make a declaration again, and count it if not."""
        why = ""
        try:
            family = self._registry.family(declaration.family)
        except NotFoundError:
            why = "unknown-family"
        else:
            size = sum(len(message.content) for message in case.input.messages)
            if family.version != declaration.version:
                why = "other-version"
            elif not self._affordable(declaration, stored, case, size):
                why = "limit"
        if why:
            self.left["perturbations", why] += max(1, len(stored))
        return not why

    def _affordable(
        self, declaration: Declaration, stored: list[Planned], case: Case, size: int
    ) -> bool:
        """Tell whether making so many is bounded, also by how many are there to show for it."""
        count = declaration.count
        shown = len(stored)
        if max(1, shown) * size > _LITTLE:
            shown = len({item.index for item in stored if self._stands(item, case)})
        spare = max(count - shown, 0 if shown else 1)
        if (
            count > MAX_COUNT
            or count * size > MAX_WORK
            or spare > self._spare_count
            or spare * size > self._spare_work
        ):
            return False
        self._spare_count -= spare
        self._spare_work -= spare * size
        return True

    def _stands(self, planned: Planned, case: Case) -> bool:
        """Tell whether a perturbation of the case is really there."""
        record = self._read(planned.perturbation, Perturbation)
        return (
            record is not None
            and (record.declaration, record.index) == (planned.declaration, planned.index)
            and record.original == case.input
        )

    def _verdict(self, name: VerdictId) -> None:
        verdict = self._read(name, Verdict)
        trials = None if verdict is None else self._read(verdict.trials, Trials)
        case = None if verdict is None else self._read(verdict.case, Case)
        if trials is None:
            self.left["judgments", "damaged"] += 1
            return
        label = "" if case is None else case.id
        for row in trials.rows:
            for judgment in row.judgments:
                if judgment not in self._judged:
                    self._judged.add(judgment)
                    self._judgment(judgment, label)

    def _judgment(self, name: JudgmentId, case: str) -> None:
        stored = self._read(name, Judgment)
        invariant = None if stored is None else self._read(stored.invariant, Invariant)
        output = None if stored is None else self._read(stored.subject, Output)
        if stored is None or invariant is None or output is None:
            self.left["judgments", "damaged"] += 1
            return
        why = self._unknown(invariant)
        if why:
            self.left["judgments", why] += 1
            return
        try:
            made = self._judged_again(stored.invariant, invariant, stored.subject, output)
        except (NotFoundError, IntegrityError, LimitError):
            self.left["judgments", "damaged"] += 1
            return
        except (ProbatumError, msgspec.DecodeError) as error:
            words = f"{invariant.name} cannot have been judged: {error}"
            self.differences.append(
                Difference("judgment-not-rederived", name, "judgment", case, words)
            )
            return
        if made is None:
            self.left["judgments", "limit"] += 1
        elif made == stored:
            self.judgments += 1
        else:
            words = f"{invariant.name}: {stored.result} is stored, {made.result} comes out"
            self.differences.append(
                Difference("judgment-not-rederived", name, "judgment", case, words)
            )

    def _unknown(self, invariant: Invariant) -> str:
        try:
            rule = self._registry.rule(invariant.name)
        except NotFoundError:
            return "unknown-rule"
        return "" if rule.version == invariant.version else "other-version"

    def _judged_again(
        self, invariant_id: InvariantId, invariant: Invariant, output_id: OutputId, output: Output
    ) -> Judgment | None:
        """Return the judgment; none if judging takes more work than a session is granted."""
        text = text_of(output, self._blob)
        reason = gate(output, text)
        if reason is not None or text is None:
            return judgment_of(invariant_id, output_id, Outcome("unjudged", reason=reason))
        check = self._checks.get(invariant_id)
        if check is None:
            check = compile_check(invariant, self._registry, self._blob)
            self._checks[invariant_id] = check
        self._judging -= len(text) * (len(invariant.params) + 16 * len(invariant.normalize))
        if self._judging < 0:
            return None
        outcome = check(text)
        if outcome.reason == "schema-work":
            self._judging -= _WHOLE_BUDGET
        return judgment_of(invariant_id, output_id, outcome)

    def _rows(self, tables: tuple[Digest, ...], kind: str) -> Iterator[Digest]:
        """Yield the ids of one kind in tables, unreadable ones left out."""
        for name in tables:
            found = self._read(name, Table)
            if found is None:
                self.left["perturbations" if kind == "plan-case" else "judgments", "damaged"] += 1
            elif kind in found.kinds:
                at = found.kinds.index(kind)
                yield from (row.ids[at] for row in found.rows if at < len(row.ids))

    def _read(self, name: Digest, kind: type[_R]) -> _R | None:
        try:
            record = codec.decode(*self._get(name))
        except (NotFoundError, IntegrityError, LimitError):
            return None
        return record if isinstance(record, kind) else None

    def _blob(self, name: BlobId) -> bytes:
        return self._get(name)[1]
