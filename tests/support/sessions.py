"""Sessions made directly from records, whole or changed on purpose.

Every object has a label, such as ``perturbation:alpha:1``. A hook under that
label changes the record before it gets its id, so that everything above it,
the signature included, is made of the changed one: what an editor who signs
again would do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from probatum import canonical
from probatum.digest import Digest, object_id, sha256_hex
from probatum.records import codec, table
from probatum.records.base import UNSET
from probatum.records.case import Case, Claim, Declaration, Policy, Rule
from probatum.records.executions import Execution, Executions
from probatum.records.inputs import Input, text_input
from probatum.records.invariant import Invariant
from probatum.records.judgment import Clue, Judgment
from probatum.records.output import Output
from probatum.records.perturbation import Edit, Perturbation
from probatum.records.plan import Accounting, Plan, PlanCase, Planned
from probatum.records.session import Environment, Session, Source, Totals
from probatum.records.spec import Spec
from probatum.records.statement import (
    KindCount,
    RemovalPredicate,
    RemovalStatement,
    SessionPredicate,
    SessionStatement,
    Sha256,
    Subject,
)
from probatum.records.table import Row
from probatum.records.target import Target
from probatum.records.trials import Trial, Trials
from probatum.signing import encode_signature, sign
from probatum.signing.keyfiles import PrivateKey
from probatum.signing.trust import TrustedKey, TrustStore
from probatum.store import Store
from probatum.store.walk import Closure, closure, inventory_bytes, inventory_lines, merkle_root
from probatum.verdicts import class_counts, resolve, session_verdict, summary_of

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
FAMILY = "typo_noise"
PARAMS = '{"rate":"0.05"}'
DECLARATION = "typo_noise-0a1b2c3d"
START_US = 1_767_225_600_000_000
START = "2026-01-01T00:00:00.000Z"
END = "2026-01-01T00:00:09.000Z"
COPIED = (
    "seq",
    "prev",
    "producer",
    "name",
    "plan",
    "target",
    "verdict",
    "falsifiability",
    "complete",
    "start",
    "end",
    "invocation",
    "continues",
)
"""What a statement repeats of its session record."""


def signer(seed: int = 7) -> PrivateKey:
    """Return a key that is always the same for a seed."""
    return PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32))


def trusting(*seeds: int, **fields: Any) -> TrustStore:
    """Return a trust file's content that trusts these keys."""
    return TrustStore(
        keys=tuple(TrustedKey(name=f"key{seed}", key=signer(seed).public) for seed in seeds),
        digest="0" * 64,
        **fields,
    )


@dataclass
class Recipe:
    """What a session is made of.

    Attributes:
        cases: Names, with the perturbations by index whose runs fail.
        broken: Runs in which the system itself fails, by name and index (-1:
            the baseline).
        missing: Runs that have no row, likewise.
        hooks: Changes of records, by label.
        raw: Changes of payloads, by label; the id is that of the new bytes.
        omit: Labels of objects that are not stored.
        long: Cases whose answers are blobs.
    """

    cases: Mapping[str, set[int]] = field(default_factory=lambda: {"alpha": set(), "beta": {0, 2}})
    broken: set[tuple[str, int]] = field(default_factory=set)
    missing: set[tuple[str, int]] = field(default_factory=set)
    hooks: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    raw: Mapping[str, Callable[[bytes], bytes]] = field(default_factory=dict)
    omit: set[str] = field(default_factory=set)
    long: set[str] = field(default_factory=set)
    typos: int = 3
    repeats: int = 1
    control: int = 0
    threshold: str = "0.95"
    claim: Claim | None = None
    model: str = "faq.py:answer"
    text: str = "how do I get a refund"
    python: str = "3.11.7"
    chained: bool = True
    seeds: tuple[int, ...] = (7,)
    continues: Digest | None = None


@dataclass
class Built:
    """A session in a store.

    Attributes:
        ids: Ids of all objects, by label.
    """

    store: Store
    statement: Any
    ids: dict[str, Digest]


def build(recipe: Recipe | None = None, store: Store | None = None, **fields: Any) -> Built:
    """Make a session and publish it."""
    if recipe is None:
        recipe = Recipe(**fields)
    return _Builder(recipe, store or Store.memory()).build()


def remove(store: Store, statement: Digest, *, origin: str | None = None) -> Digest:
    """Publish the removal of a session."""
    predicate = RemovalPredicate(
        removes=statement, seq=1, store=origin or store.id, reason="a leak", time=START
    )
    record = RemovalStatement(
        type_="https://in-toto.io/Statement/v1",
        subject=(Subject(name="statement", digest=Sha256(sha256="0" * 64)),),
        predicate=predicate,
    )
    removal = store.put_record(record)
    store.publish_session(removal)
    return removal


class _Builder:
    def __init__(self, recipe: Recipe, store: Store) -> None:
        self.recipe = recipe
        self.store = store
        self.ids: dict[str, Digest] = {}
        self.rows: list[Row] = []
        self.plan_rows: list[Row] = []
        self.case_rows: list[Row] = []
        self.counts = {"runs": 0, "failed_runs": 0, "missing": 0}
        self.classes: list[str] = []

    def put(self, label: str, record: Any) -> tuple[Digest, Any]:
        """Store a record under its label; return its id and what was stored."""
        hook = self.recipe.hooks.get(label)
        if hook is not None:
            record = hook(record)
        if isinstance(record, bytes):
            kind, payload = "blob", record
        else:
            kind, payload = codec.kind_of(record), codec.encode(record)
        change = self.recipe.raw.get(label)
        if change is not None:
            payload = change(payload)
        name = self.ids[label] = object_id(kind, payload)
        if label not in self.recipe.omit:
            self.store.put(kind, payload)
        return name, record

    def build(self) -> Built:
        """Make everything, bottom up."""
        recipe = self.recipe
        source, _ = self.put("source", b"falsify: {}\n")
        document, _ = self.put("document", b'{"type":"string"}')
        check, self.check = self.put(
            "invariant:check",
            Invariant(
                name="contains",
                version=1,
                params='{"values":["yes"]}',
                severity="high",
                normalize=(),
            ),
        )
        schema, self.schema = self.put(
            "invariant:schema",
            Invariant(
                name="schema_match",
                version=1,
                params="{}",
                severity="low",
                normalize=("nfc",),
                document=document,
            ),
        )
        self.rules = (
            Rule(invariant=check, role="check"),
            Rule(invariant=schema, role="check"),
        )
        for name in recipe.cases:
            self.case(name)
        cases = [self.put(f"spec-table:{at}", item)[0] for at, item in self.tables("case")]
        spec, _ = self.put(
            "spec",
            Spec(
                name="desk",
                format="falsify/1.0",
                control=recipe.control,
                repeats=recipe.repeats,
                cases=tuple(cases),
            ),
        )
        plans = [self.put(f"plan-table:{at}", item)[0] for at, item in self.tables("plan-case")]
        plan, _ = self.put("plan", Plan(spec=spec, seed=1, cases=tuple(plans)))
        target, _ = self.put("target", Target(provider="python", model=recipe.model, params="{}"))
        results = [self.put(f"results:{at}", item)[0] for at, item in self.tables("results")]
        return self.seal(spec, plan, target, tuple(results), source)

    def tables(self, kind: str) -> list[tuple[int, Any]]:
        """Return the tables of one kind, numbered."""
        rows = {"case": self.case_rows, "plan-case": self.plan_rows, "results": self.rows}[kind]
        kinds = ("verdict", "executions") if kind == "results" else (kind,)
        return list(enumerate(table.build(kinds, rows)))

    def case(self, name: str) -> None:
        """Make one case with its runs and its verdict."""
        recipe = self.recipe
        declaration = Declaration(
            id=DECLARATION, family=FAMILY, version=1, count=recipe.typos, params=PARAMS
        )
        case_id, case = self.put(
            f"case:{name}",
            Case(
                id=name,
                tags=("support",),
                input=text_input(f"{name}: {recipe.text}"),
                policy=Policy(
                    stable_threshold=recipe.threshold,
                    min_perturbations=2,
                    claim=recipe.claim or UNSET,
                ),
                perturbations=(declaration,) if recipe.typos else (),
                invariants=self.rules,
            ),
        )
        planned = [self.perturbation(name, case.input, index) for index in range(recipe.typos)]
        plan_case_id, plan_case = self.put(
            f"plan-case:{name}",
            PlanCase(
                case=case_id,
                perturbations=tuple(planned),
                accounting=tuple(
                    Accounting(
                        declaration=item.id,
                        family=item.family,
                        requested=item.count,
                        no_op=0,
                        duplicate=0,
                        invalid=0,
                    )
                    for item in case.perturbations
                ),
            ),
        )
        self.case_rows.append(Row(case=name, ids=(case_id,)))
        self.plan_rows.append(Row(case=name, ids=(plan_case_id,)))
        self.results(name, (case_id, case), plan_case)

    def perturbation(self, name: str, original: Input, index: int) -> Planned:
        """Make one perturbation, which doubles one letter."""
        text = str(original.messages[0].content)
        edit = Edit(message=0, at=index, op="insert", old="", new=text[index])
        changed = text[:index] + text[index] + text[index:]
        perturbed = text_input(changed) if len(original.messages) == 1 else original
        if len(original.messages) > 1:
            first = msgspec.structs.replace(original.messages[0], content=changed)
            perturbed = msgspec.structs.replace(original, messages=(first, *original.messages[1:]))
        made, _ = self.put(
            f"perturbation:{name}:{index}",
            Perturbation(
                family=FAMILY,
                version=1,
                method="double",
                params=PARAMS,
                declaration=DECLARATION,
                index=index,
                original=original,
                edits=(edit,),
                perturbed=perturbed,
            ),
        )
        return Planned(declaration=DECLARATION, index=index, perturbation=made)

    def results(self, name: str, case: tuple[Digest, Case], plan_case: PlanCase) -> None:
        """Make the runs of a case, and its verdict."""
        recipe = self.recipe
        self.judgments: dict[Any, Judgment] = {}
        trials: list[Trial] = []
        executions: list[Execution] = []
        for place in self.places(plan_case):
            if (name, place[0]) in recipe.missing:
                self.counts["missing"] += 1
                continue
            trials.append(self.trial(name, *place))
            executions.append(
                Execution(start_us=START_US + len(trials) * 1000, latency_us=900, attempts=1)
            )
        trials_id, trial_record = self.put(f"trials:{name}", Trials(rows=tuple(trials)))
        executions_id, _ = self.put(
            f"executions:{name}", Executions(trials=trials_id, rows=tuple(executions))
        )
        verdict = resolve(
            case_id=case[0],
            trials_id=trials_id,
            case=case[1],
            plan_case=plan_case,
            trials=trial_record,
            invariants=[self.check, self.schema][: len(case[1].invariants)],
            judgments=self.judgments,
            repeats=recipe.repeats,
            control=recipe.control,
        )
        verdict_id, verdict = self.put(f"verdict:{name}", verdict)
        self.counts["runs"] += len(trial_record.rows)
        self.counts["failed_runs"] += sum(row.failure is not UNSET for row in trial_record.rows)
        self.classes.append(verdict.verdict)
        row = Row(case=name, ids=(verdict_id, executions_id), summary=summary_of(verdict))
        hook = recipe.hooks.get(f"row:{name}")
        self.rows.append(row if hook is None else hook(row))

    def places(self, plan_case: PlanCase) -> list[tuple[int, str, int, int, Any]]:
        """Return index, arm, control index, repeat and plan entry of every run."""
        repeats = range(self.recipe.repeats)
        rows: list[tuple[int, str, int, int, Any]] = [
            (-1, "baseline", 0, repeat, None) for repeat in repeats
        ]
        for index in range(self.recipe.control):
            rows += [(-2 - index, "control", index, repeat, None) for repeat in repeats]
        for planned in plan_case.perturbations:
            rows += [(planned.index, "perturbation", 0, repeat, planned) for repeat in repeats]
        return rows

    def trial(
        self, name: str, number: int, arm: str, control: int, repeat: int, planned: Any
    ) -> Trial:
        """Make one run with its answer and judgments."""
        recipe = self.recipe
        fields: dict[str, Any] = {"arm": arm, "repeat": repeat}
        if planned is not None:
            fields |= {
                "declaration": planned.declaration,
                "index": planned.index,
                "perturbation": planned.perturbation,
            }
        elif arm == "control":
            fields["index"] = control
        if (name, number) in recipe.broken:
            return Trial(judgments=(), failure="raised", **fields)
        text = "no" if number in recipe.cases[name] else "yes"
        label = f"{name}:{number}"
        if name in recipe.long:
            blob, _ = self.put(f"answer:{label}", b"\xff\xfe" + text.encode())
            output_id, _ = self.put(f"output:{label}", Output(finish="stop", blob=blob))
        else:
            output_id, _ = self.put(f"output:{label}", Output(finish="stop", text=text))
        judgments = []
        for at, rule in enumerate(self.rules):
            passed = at == 1 or text == "yes"
            judgment_id, judgment = self.put(
                f"judgment:{label}:{at}",
                Judgment(
                    invariant=rule.invariant,
                    subject=output_id,
                    result="pass" if passed else "fail",
                    evidence=(
                        Clue(code="found", item=0, start=0, end=3)
                        if passed
                        else Clue(code="missing", item=0),
                    ),
                ),
            )
            self.judgments[judgment_id] = judgment
            judgments.append(judgment_id)
        return Trial(judgments=tuple(judgments), output=output_id, **fields)

    def seal(
        self, spec: Digest, plan: Digest, target: Digest, results: tuple[Any, ...], source: Digest
    ) -> Built:
        """Make session and statement, sign and publish."""
        recipe, store = self.recipe, self.store
        seq, prev = store.chain() if recipe.chained else (1, ())
        classes = class_counts(self.classes)
        root, session = self.put(
            "session",
            Session(
                producer="run",
                name="desk",
                plan=plan,
                target=target,
                results=results,
                verdict=session_verdict(self.classes),
                totals=Totals(
                    cases=len(self.classes), reused=0, **self.counts, **classes._asdict()
                ),
                falsifiability="0.3800",
                environment=Environment(
                    tool="0.1.0",
                    python=recipe.python,
                    implementation="CPython",
                    os="Linux",
                    machine="x86_64",
                    packages=(("msgspec", "0.19.0"),),
                ),
                invocation="{}",
                settings="{}",
                sources=(Source(path="spec.yaml", content=source),),
                start=START,
                end=END,
                complete=not self.counts["missing"],
                seq=seq,
                prev=prev,
                continues=recipe.continues or UNSET,
            ),
        )
        statement_id, _ = self.put("statement", self.statement(root, session, spec))
        payload = self.payload(statement_id)
        if payload is not None:
            for seed in recipe.seeds:
                key = signer(seed)
                data = encode_signature(statement_id, sign(payload, key))
                store.add_signature(statement_id, key.public.fingerprint, data)
            store.publish_session(statement_id)
        return Built(store=store, statement=statement_id, ids=self.ids)

    def payload(self, statement: Digest) -> bytes | None:
        """Return the bytes of the statement, if it is stored."""
        return self.store.get(statement).payload if self.store.has(statement) else None

    def statement(self, root: Digest, session: Session, spec: Digest) -> SessionStatement:
        """Return the statement of a session, as a run makes it."""
        try:
            found = closure(self.store, root)
        except ValueError:  # a hook has put nonsense where an id must be
            found = Closure([], [])
        kinds: dict[str, int] = {}
        for entry in found.entries:
            kinds[entry.kind] = kinds.get(entry.kind, 0) + 1
        rows = tuple(sorted(self.rows, key=lambda row: row.case))
        few = len(rows) <= table.MAX_ROWS
        copied = {name: getattr(session, name) for name in COPIED}
        predicate = SessionPredicate(
            root=root,
            store=self.store.id,
            spec=spec,
            tool=session.environment.tool,
            environment=sha256_hex(canonical.encode_record(session.environment)),
            objects=tuple(
                KindCount(kind=kind, count=count) for kind, count in sorted(kinds.items())
            ),
            merkle_root=merkle_root(inventory_lines(found.entries)),
            cases=rows if few else UNSET,
            tables=UNSET if few else session.results,
            **copied,
        )
        digest = Sha256(sha256=sha256_hex(inventory_bytes(found.entries)))
        return SessionStatement(
            type_="https://in-toto.io/Statement/v1",
            subject=(Subject(name="inventory", digest=digest),),
            predicate=predicate,
        )
