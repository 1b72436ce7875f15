"""Records of one case, made from a few words, for every test of verdicts.

A run is written as one word a repeat: ``pass``, ``fail``, ``unjudged``,
``empty``, ``truncated``, ``filtered`` (all of which are answers), a failure
class such as ``raised``, or ``-`` for a row that is not there. Each answer is
judged by the invariants `kinds`; a run may instead be a dict from the
position of an invariant to its word.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any

from probatum.records import codec
from probatum.records.base import UNSET
from probatum.records.case import Case, Claim, Declaration, Policy, Rule
from probatum.records.inputs import text_input
from probatum.records.invariant import Invariant
from probatum.records.judgment import Judgment
from probatum.records.output import Output
from probatum.records.plan import Accounting, PlanCase, Planned
from probatum.records.trials import Trial, Trials
from probatum.verdicts import resolve

FAILURES = ("raised", "timeout", "malformed", "exited", "too-large", "filtered-by-system")


def fake_id(*parts: object) -> Any:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Fam:
    """One declaration and what became of its perturbations."""

    family: str
    runs: tuple[Any, ...] = ()
    id: str = ""
    requested: int | None = None
    no_op: int = 0
    duplicate: int = 0
    invalid: int = 0
    possible: int | None = None
    not_applicable: str | None = None

    @property
    def name(self) -> str:
        return self.id or f"{self.family}-0"

    @property
    def asked(self) -> int:
        if self.requested is not None:
            return self.requested
        return len(self.runs) + self.no_op + self.duplicate + self.invalid


@dataclass(frozen=True)
class Scene:
    """A case with its plan, trials and judgments; `verdict()` resolves it."""

    families: tuple[Fam, ...] = ()
    baseline: Any = "pass"
    control: tuple[Any, ...] = ()
    kinds: tuple[tuple[str, str], ...] = (("check", "high"),)
    threshold: str = "0.95"
    minimum: int = 2
    claim: tuple[str, str] | None = None
    repeats: int = 1
    extra_rows: tuple[Trial, ...] = ()
    judgments: dict[Any, Judgment] = field(default_factory=dict)

    def but(self, **changes: Any) -> Scene:
        return replace(self, **changes)

    @property
    def invariants(self) -> list[Invariant]:
        return [
            Invariant(
                name="contains",
                version=1,
                params=f'{{"values":["v{at}"]}}',
                severity=severity,  # type: ignore[arg-type]
                normalize=(),
            )
            for at, (_, severity) in enumerate(self.kinds)
        ]

    @property
    def case(self) -> Case:
        claim = (
            UNSET
            if self.claim is None
            else Claim(stability=self.claim[0], confidence=self.claim[1])
        )
        return Case(
            id="case",
            tags=(),
            input=text_input("question"),
            policy=Policy(
                stable_threshold=self.threshold, min_perturbations=self.minimum, claim=claim
            ),
            perturbations=tuple(
                Declaration(id=fam.name, family=fam.family, version=1, count=fam.asked, params="{}")
                for fam in self.families
            ),
            invariants=tuple(
                Rule(invariant=codec.identify(invariant), role=role)  # type: ignore[arg-type]
                for invariant, (role, _) in zip(self.invariants, self.kinds, strict=True)
            ),
        )

    @property
    def plan_case(self) -> PlanCase:
        return PlanCase(
            case=codec.identify(self.case),  # type: ignore[arg-type]
            perturbations=tuple(
                Planned(
                    declaration=fam.name, index=index, perturbation=fake_id("p", fam.name, index)
                )
                for fam in self.families
                for index in range(len(fam.runs))
            ),
            accounting=tuple(
                Accounting(
                    declaration=fam.name,
                    family=fam.family,
                    requested=fam.asked,
                    no_op=fam.no_op,
                    duplicate=fam.duplicate,
                    invalid=fam.invalid,
                    possible=UNSET if fam.possible is None else fam.possible,
                    not_applicable=UNSET if fam.not_applicable is None else fam.not_applicable,
                )
                for fam in self.families
            ),
        )

    def row(self, word: Any, arm: str, repeat: int, **place: Any) -> Trial | None:
        """Make one row, and remember the judgments that it names."""
        if word == "-":
            return None
        if isinstance(word, str) and word in FAILURES:
            failure = "filtered" if word == "filtered-by-system" else word
            return Trial(arm=arm, repeat=repeat, judgments=(), failure=failure, **place)
        words = word if isinstance(word, dict) else {}
        said = [
            str(words.get(at, "pass" if words else word)) if role == "check" or words else word
            for at, (role, _) in enumerate(self.kinds)
        ]
        output = codec.identify(Output(finish="stop", text=f"answer {said}"))
        ids = []
        for invariant, result in zip(self.invariants, said, strict=True):
            judged = result in ("pass", "fail")
            judgment = Judgment(
                invariant=codec.identify(invariant),  # type: ignore[arg-type]
                subject=output,  # type: ignore[arg-type]
                result=result if judged else "unjudged",  # type: ignore[arg-type]
                evidence=(),
                reason=UNSET if judged else "timeout" if result == "unjudged" else result,
            )
            ids.append(codec.identify(judgment))
            self.judgments[ids[-1]] = judgment
        return Trial(
            arm=arm,  # type: ignore[arg-type]
            repeat=repeat,
            judgments=tuple(ids),
            output=output,  # type: ignore[arg-type]
            **place,
        )

    def rows(self) -> list[Trial]:
        arms: list[tuple[Any, str, dict[str, Any]]] = [(self.baseline, "baseline", {})]
        arms += [(word, "control", {"index": at}) for at, word in enumerate(self.control)]
        for fam in self.families:
            for index, word in enumerate(fam.runs):
                place = {
                    "declaration": fam.name,
                    "index": index,
                    "perturbation": fake_id("p", fam.name, index),
                }
                arms.append((word, "perturbation", place))
        made = [
            self.row(word, arm, repeat, **place)
            for spoken, arm, place in arms
            for repeat, word in enumerate(spoken if isinstance(spoken, tuple) else (spoken,))
        ]
        return [row for row in made if row is not None]

    @property
    def trials(self) -> Trials:
        return Trials(rows=(*self.rows(), *self.extra_rows))

    def parts(self) -> dict[str, Any]:
        """Return the arguments of `resolve`."""
        case, trials = self.case, self.trials
        return {
            "case_id": codec.identify(case),
            "trials_id": codec.identify(trials),
            "case": case,
            "plan_case": self.plan_case,
            "trials": trials,
            "invariants": self.invariants,
            "judgments": self.judgments,
            "repeats": self.repeats,
            "control": len(self.control),
        }

    def verdict(self, **changes: Any) -> Any:
        return resolve(**(self.parts() | changes))


def fam(family: str, n: int, passed: int, **rest: Any) -> Fam:
    """Return a family of n perturbations of which the first `passed` pass."""
    return Fam(family, runs=("pass",) * passed + ("fail",) * (n - passed), **rest)
