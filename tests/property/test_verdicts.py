"""Any records have a verdict, and it is the one that the format page says.

`by_the_page` is a second implementation, written from
``docs/format/verdict-rules.md`` over plain JSON, slowly and without any of the
package's code. Random records, most of which do not fit each other, must get
the same verdict from both.
"""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from math import ceil, comb, floor
from random import Random

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from probatum.canonical import MAX_INT
from probatum.records import codec
from probatum.verdicts import REASONS, TRAITS, resolve, session_verdict, summary_of

OF_ANSWER = {"empty", "not-text", "truncated", "filtered", "refused"}
FAILURES = ["raised", "timeout", "malformed", "exited", "too-large", "filtered"]
RULES = [
    ("R1", "INVALID_EVAL"),
    ("R2", "INSUFFICIENT"),
    ("R3", "CONSISTENTLY_WRONG"),
    ("R4", "FRAGILE"),
    ("R5", "INSUFFICIENT"),
]

# --- the second implementation -------------------------------------------------------------


def at_most(n, k, p):
    """P(X <= k), exactly."""
    a, b = p.numerator, p.denominator
    terms = (comb(n, i) * a**i * (b - a) ** (n - i) for i in range(k + 1))
    return Fraction(sum(terms), b**n)


def interval(n, k):
    levels = (Fraction(1, 40), Fraction(39, 40))
    return [
        Fraction(next(j for j in range(n + 1) if at_most(n, j, Fraction(k, n)) >= q), n)
        for q in levels
    ]


def bound_reaches(n, k, s, c):
    if s == 0:
        return True
    return k > 0 and 1 - at_most(n, k - 1, s) <= 1 - c


def four(units):
    return f"{units // 10_000}.{units % 10_000:04d}"


@cache
def figures(n, k):
    low, high = interval(n, k)
    c = Fraction(19, 20)
    shown, beyond = 0, 10_001
    while beyond - shown > 1:
        x = (shown + beyond) // 2
        if x <= 10_000 and bound_reaches(n, k, Fraction(x, 10_000), c):
            shown = x
        else:
            beyond = x
    return low, four(floor(low * 10_000)), four(ceil(high * 10_000)), four(shown)


def by_the_page(case, plan, trials, invariants, judgments, repeats, control):
    declarations = {}
    for one in case["perturbations"]:
        declarations.setdefault(one["id"], one)
    entries = {}
    for one in plan["accounting"]:
        entries.setdefault(one["declaration"], one)
    applies = {key for key in declarations if "not_applicable" not in entries.get(key, {})}

    planned, owner = {}, {}
    for one in plan["perturbations"]:
        place = (one["declaration"], one["index"])
        if one["declaration"] in applies and place not in planned:
            planned[place] = one["perturbation"]
            owner.setdefault(one["perturbation"], one["declaration"])

    rows, seen = [], set()
    for row in trials["rows"]:
        place = (row.get("declaration"), row.get("index"))
        arm = row["arm"]
        fits = ("output" in row) != ("failure" in row) and row["repeat"] < repeats
        if arm == "perturbation":
            fits = fits and place in planned and row.get("perturbation") == planned[place]
        else:
            fits = fits and "declaration" not in row and "perturbation" not in row
            fits = fits and ("index" in row) == (arm == "control")
            fits = fits and (arm == "baseline" or row["index"] < control)
        key = (arm, *place, row["repeat"])
        if fits and key not in seen:
            seen.add(key)
            rows.append(row)

    roles = [rule["role"] for rule in case["invariants"]]
    severity = [one["severity"] for one in invariants]
    checks = [i for i, role in enumerate(roles) if role == "check"]
    deciding = [i for i in checks if severity[i] != "low"]
    critical = [i for i in checks if severity[i] == "critical"]
    expected = [i for i, role in enumerate(roles) if role == "expected"]

    def said(row, i):
        found = judgments.get(row["judgments"][i]) if i < len(row["judgments"]) else None
        if (
            found is None
            or found["subject"] != row["output"]
            or found["invariant"] != case["invariants"][i]["invariant"]
        ):
            return "unjudged", ""
        return found["result"], found.get("reason", "")

    def end(row):
        if "failure" in row:
            return "refused" if row["failure"] == "filtered" else "errored"
        results = [said(row, i) for i in deciding]
        if any(result == "fail" for result, _ in results):
            return "fail"
        for result, reason in results:
            if result == "unjudged":
                if reason == "truncated":
                    return "truncated"
                return "refused" if reason in ("filtered", "refused") else "unjudged"
        return "pass"

    ends = {}
    for row in rows:
        if row["arm"] == "perturbation":
            ends.setdefault(row["perturbation"], []).append(end(row))
    fates = {}
    for one in owner:
        found = ends.get(one, [])
        if "fail" in found:
            fates[one] = "fail"
        elif "pass" in found:
            fates[one] = "pass"
        else:
            fates[one] = found[0] if found else "missing"

    def total(field, keys):
        return min(MAX_INT, sum(entries[key][field] for key in keys if key in entries))

    def requested(keys):
        return sum(
            entries.get(key, {}).get("requested", declarations[key]["count"]) for key in keys
        )

    tally = {
        "requested": min(MAX_INT, requested(declarations)),
        "not_applicable": min(MAX_INT, requested(set(declarations) - applies)),
        **{field: total(field, applies) for field in ("no_op", "duplicate", "invalid")},
        **{
            fate: sum(1 for found in fates.values() if found == fate)
            for fate in ("errored", "truncated", "refused", "unjudged", "missing")
        },
        "judged": sum(1 for found in fates.values() if found in ("pass", "fail")),
        "passed": sum(1 for found in fates.values() if found == "pass"),
    }

    families, lows = [], {}
    names = sorted({one["family"] for one in declarations.values()})
    for name in names:
        mine = [key for key, one in declarations.items() if one["family"] == name]
        here = [key for key in mine if key in applies]
        own = [fates[one] for one, key in owner.items() if key in here]
        n = sum(1 for fate in own if fate in ("pass", "fail"))
        row = {"family": name, "n": n, "passed": own.count("pass")}
        exhaustive = bool(here) and all("possible" in entries.get(key, {}) for key in here)
        if not here:
            reasons = [entries[key]["not_applicable"] for key in mine]
            row["not_applicable"] = next((one for one in reasons if one), "")
        if exhaustive:
            row["possible"] = total("possible", here)
        if n:
            lows[name], row["low"], row["high"], shown = figures(n, row["passed"])
            if not exhaustive:
                row["shown"] = shown
        families.append(row)
    worst = min(
        (row for row in families if row["n"]),
        key=lambda row: (lows[row["family"]], row["n"], row["family"]),
        default=None,
    )

    claim = None
    claiming = [row for row in families if "not_applicable" not in row and "possible" not in row]
    if "claim" in case["policy"]:
        s, c = (Fraction(case["policy"]["claim"][key]) for key in ("stability", "confidence"))
        needed = 1
        while s**needed > 1 - c and needed < 1000:
            needed += 1
        claim = {
            "holds": bool(claiming)
            and all(row["n"] and bound_reaches(row["n"], row["passed"], s, c) for row in claiming),
            "needed": needed if s**needed <= 1 - c else 0,
        }

    answers = [row for row in rows if "output" in row]
    baseline = [row for row in rows if row["arm"] == "baseline"]
    at_rest = [row for row in rows if row["arm"] != "perturbation"]
    rest_ends = [end(row) for row in at_rest]
    judged = ("pass", "fail")

    def everywhere(i, result):
        return all(said(row, i)[0] == result for row in answers)

    def never_ran(i):
        found = [said(row, i) for row in answers]
        return all(result == "unjudged" for result, _ in found) and any(
            reason not in OF_ANSWER for _, reason in found
        )

    clauses = [
        ("R1", "no-invariant", not checks),
        ("R1", "only-low-severity", not deciding),
        ("R1", "invariant-never-ran", any(never_ran(i) for i in deciding)),
        (
            "R1",
            "contradicts-expected",
            expected
            and all(everywhere(i, "pass") for i in expected)
            and any("output" in row for row in baseline)
            and any(everywhere(i, "fail") for i in deciding),
        ),
        (
            "R1",
            "mostly-invalid",
            2 * sum(entries[key]["invalid"] for key in applies if key in entries)
            > requested(declarations),
        ),
        ("R2", "baseline-missing", not baseline),
        ("R2", "baseline-failed", not any("output" in row for row in baseline)),
        ("R2", "baseline-unjudged", not any(end(row) in judged for row in baseline)),
        ("R2", "too-few-judged", tally["judged"] < case["policy"]["min_perturbations"]),
        (
            "R2",
            "family-unjudged",
            any(not row["n"] and "not_applicable" not in row for row in families),
        ),
        (
            "R3",
            "expected-violated",
            expected and all(any(said(row, i)[0] == "fail" for i in expected) for row in answers),
        ),
        (
            "R4",
            "critical-failed",
            any(said(row, i)[0] == "fail" for row in answers for i in critical),
        ),
        ("R4", "failed-at-rest", "fail" in rest_ends),
        ("R4", "broke-at-rest", any("failure" in row for row in at_rest)),
        (
            "R4",
            "below-threshold",
            worst and lows[worst["family"]] < Fraction(case["policy"]["stable_threshold"]),
        ),
        (
            "R5",
            "critical-unjudged",
            any(said(row, i)[0] == "unjudged" for row in answers for i in critical),
        ),
        ("R5", "claim-not-reached", claim and not claim["holds"] and claiming),
        ("R5", "claim-without-family", claim and not claim["holds"]),
        ("R6", "held", True),
    ]
    rule, reason = next((rule, reason) for rule, reason, holds in clauses if holds)

    all_ends = [end(row) for row in rows]
    failing = sum(1 for row in families if row["passed"] < row["n"])
    counted = sum(1 for row in families if row["n"])
    failed_at_rest = "fail" in rest_ends or any("failure" in row for row in at_rest)
    traits = {
        "breaking": "errored" in all_ends,
        "fails-at-rest": failed_at_rest,
        "failure-diffuse": failing >= 2 and 2 * failing > counted,
        "failure-targeted": failing == 1 and counted >= 2,
        "flaky-at-rest": failed_at_rest and "pass" in rest_ends,
        "flaky-under-pressure": any({"pass", "fail"} <= set(found) for found in ends.values()),
        "refusing": "refused" in all_ends,
        "truncating": "truncated" in all_ends,
    }
    return {
        "verdict": dict([*RULES, ("R6", "STABLE")])[rule],
        "rule": rule,
        "reason": reason,
        "families": families,
        "tally": tally,
        "at_rest": {
            "n": sum(1 for one in rest_ends if one in judged),
            "passed": rest_ends.count("pass"),
            "answers": len({row["output"] for row in at_rest if "output" in row}),
        },
        "traits": sorted(trait for trait, holds in traits.items() if holds),
        **({"worst": worst["family"]} if worst else {}),
        **({"claim": claim} if claim else {}),
    }


# --- random records ------------------------------------------------------------------------


def hexes(letter, count):
    return [f"{letter}{at}" * 32 for at in range(count)]


OUTPUTS, INVARIANTS, PERTURBATIONS = hexes("a", 3), hexes("b", 4), hexes("c", 4)
DECLARATIONS, FAMILIES = ["d0", "d1", "d2"], ["typo", "casing", "ünicode"]
counts = st.sampled_from([0, 0, 1, 2, 5, MAX_INT])
small = st.integers(0, 3)


def rarely(value):
    return st.one_of(st.none(), st.none(), st.none(), value)


def present(**fields):
    """A dict without the fields that are None."""
    return st.fixed_dictionaries(fields).map(
        lambda found: {key: value for key, value in found.items() if value is not None}
    )


cases = st.builds(
    lambda severities, roles, policy, declared: {
        "severities": severities,
        "case": {
            "kind": "case",
            "v": 1,
            "id": "case",
            "tags": [],
            "input": {"messages": [{"role": "user", "content": "?"}]},
            "policy": policy,
            "perturbations": declared,
            "invariants": [
                {"invariant": INVARIANTS[at], "role": role} for at, role in enumerate(roles)
            ],
        },
    },
    severities=st.lists(st.sampled_from(["critical", "high", "medium", "low"]), min_size=4),
    roles=st.lists(st.sampled_from(["check", "check", "expected"]), max_size=4),
    policy=present(
        stable_threshold=st.sampled_from(["0", "0.4", "0.95", "1"]),
        min_perturbations=st.sampled_from([0, 1, 2, 3]),
        claim=rarely(
            st.fixed_dictionaries(
                {
                    "stability": st.sampled_from(["0", "0.1", "0.5", "0.95", "1"]),
                    "confidence": st.sampled_from(["0", "0.5", "0.95", "1"]),
                }
            )
        ),
    ),
    declared=st.lists(
        st.fixed_dictionaries(
            {
                "id": st.sampled_from(DECLARATIONS),
                "family": st.sampled_from(FAMILIES),
                "version": st.just(1),
                "count": counts,
                "params": st.just("{}"),
            }
        ),
        max_size=4,
    ),
)

plans = st.fixed_dictionaries(
    {
        "kind": st.just("plan-case"),
        "v": st.just(1),
        "case": st.just("0" * 64),
        "perturbations": st.lists(
            st.fixed_dictionaries(
                {
                    "declaration": st.sampled_from(DECLARATIONS),
                    "index": st.integers(0, 2),
                    "perturbation": st.sampled_from(PERTURBATIONS),
                }
            ),
            max_size=8,
        ),
        "accounting": st.lists(
            present(
                declaration=st.sampled_from(DECLARATIONS),
                family=st.sampled_from(FAMILIES),
                requested=counts,
                no_op=counts,
                duplicate=counts,
                invalid=counts,
                possible=rarely(counts),
                not_applicable=rarely(st.sampled_from(["", "no-letters"])),
            ),
            max_size=4,
        ),
    }
)

judgments = st.dictionaries(
    st.sampled_from(hexes("e", 12)),
    present(
        kind=st.just("judgment"),
        v=st.just(1),
        invariant=st.sampled_from(INVARIANTS),
        subject=st.sampled_from(OUTPUTS),
        result=st.sampled_from(["pass", "fail", "unjudged"]),
        evidence=st.just([]),
        reason=rarely(st.sampled_from([*sorted(OF_ANSWER), "timeout"])),
    ),
)


@st.composite
def strange_worlds(draw):
    """Records of one case that have next to nothing to do with each other."""
    world = draw(cases)
    plan = draw(plans)
    rows = draw(
        st.lists(
            present(
                arm=st.sampled_from(["baseline", "control", "perturbation"]),
                repeat=small,
                judgments=st.lists(st.sampled_from(hexes("e", 12)), max_size=5),
                declaration=rarely(st.sampled_from(DECLARATIONS)),
                index=rarely(small),
                perturbation=rarely(st.sampled_from(PERTURBATIONS)),
                output=rarely(st.sampled_from(OUTPUTS)),
                failure=rarely(st.sampled_from(FAILURES)),
            ),
            max_size=8,
        )
    )
    invariants = [
        invariant(at, world["severities"][at]) for at in range(len(world["case"]["invariants"]))
    ]
    return {
        "case": world["case"],
        "plan": plan,
        "trials": {"kind": "trials", "v": 1, "rows": rows},
        "invariants": invariants,
        "judgments": draw(judgments),
        "repeats": draw(st.sampled_from([1, 2])),
        "control": draw(small),
    }


def invariant(at, severity):
    return {
        "kind": "invariant",
        "v": 1,
        "name": "contains",
        "version": 1,
        "params": f'{{"at":{at}}}',
        "severity": severity,
        "normalize": [],
    }


def likely_world(rng):
    """Records as a run leaves them, with a flaw here and there."""
    repeats, control = rng.choice([1, 1, 2]), rng.choice([0, 0, 1, 3])
    severities, roles = ["high"], ["check"]
    for _ in range(rng.randrange(4)):
        severities.append(rng.choice(["critical", "high", "medium", "low"]))
        roles.append(rng.choice(["check", "expected", "expected"]))
    health = rng.choice([0.0, 0.1, 0.1, 0.5, 1.0])
    declared, entries, planned = [], [], []
    for at in range(rng.randrange(1, 4)):
        name, members = f"d{at}", rng.choice([1, 2, 3, 5, 20])
        declared.append(
            {"id": name, "family": rng.choice(FAMILIES), "version": 1, "count": 5, "params": "{}"}
        )
        entry = {"declaration": name, "family": declared[-1]["family"], "requested": members}
        entry |= {
            field: rng.choice([0] * 9 + [members // 2, members + 1])
            for field in ("no_op", "duplicate", "invalid")
        }
        if rng.random() < 0.3:
            entry["possible"] = members
        if rng.random() < 0.1:
            entry["not_applicable"] = rng.choice(["", "no-letters"])
        entries += [entry] * (rng.random() < 0.95)
        planned += [
            {"declaration": name, "index": index, "perturbation": f"{at}{index:03d}" * 16}
            for index in range(members)
        ]
    arms = [{"arm": "baseline"}]
    arms += [{"arm": "control", "index": index} for index in range(control)]
    arms += [{"arm": "perturbation"} | place for place in planned]
    told, rows = {}, []
    for arm in arms:
        for repeat in range(repeats):
            if rng.random() < 0.02:
                continue
            row = {**arm, "repeat": repeat, "judgments": []}
            if rng.random() < 0.03:
                rows.append(row | {"failure": rng.choice(FAILURES)})
                continue
            row["output"] = f"{rng.randrange(6):04x}" * 16
            blank = rng.choice(sorted(OF_ANSWER)) if rng.random() < 0.02 else None
            for at in range(len(roles)):
                key = f"{len(told):08x}" * 8
                told[key] = verdict_of(rng, at, row["output"], health, blank)
                row["judgments"].append(key)
            rows.append(bent(rng, row) if rng.random() < 0.05 else row)
    policy = {
        "stable_threshold": rng.choice(["0.95", "0.95", "0.4", "0"]),
        "min_perturbations": rng.choice([2, 2, 2, 0]),
    }
    if rng.random() < 0.3:
        policy["claim"] = {
            "stability": rng.choice(["0.3", "0.95"]),
            "confidence": rng.choice(["0.5", "0.95"]),
        }
    return {
        "case": {
            "kind": "case",
            "v": 1,
            "id": "case",
            "tags": [],
            "input": {"messages": [{"role": "user", "content": "?"}]},
            "policy": policy,
            "perturbations": declared,
            "invariants": [
                {"invariant": INVARIANTS[at], "role": role} for at, role in enumerate(roles)
            ],
        },
        "plan": {
            "kind": "plan-case",
            "v": 1,
            "case": "0" * 64,
            "perturbations": planned,
            "accounting": entries,
        },
        "trials": {"kind": "trials", "v": 1, "rows": rows},
        "invariants": [invariant(at, severity) for at, severity in enumerate(severities)],
        "judgments": told,
        "repeats": repeats,
        "control": control,
    }


def verdict_of(rng, at, output, health, blank):
    judgment = {
        "kind": "judgment",
        "v": 1,
        "invariant": INVARIANTS[at],
        "subject": output,
        "result": "fail" if rng.random() < health else "pass",
        "evidence": [],
    }
    if blank or rng.random() < 0.01:
        judgment |= {"result": "unjudged", "reason": blank or "timeout"}
    return judgment


def bent(rng, row):
    return row | rng.choice(
        [
            {"index": 7},
            {"repeat": 5},
            {"declaration": "d0"},
            {"perturbation": "c" * 64},
            {"failure": "raised"},
            {"judgments": row["judgments"][1:]},
            {"output": "f" * 64},
        ]
    )


def read(kind, value):
    return codec.decode(kind, msgspec.json.encode(value, order="sorted"))


def resolved(world):
    return resolve(
        case_id="1" * 64,
        trials_id="2" * 64,
        case=read("case", world["case"]),
        plan_case=read("plan-case", world["plan"]),
        trials=read("trials", world["trials"]),
        invariants=[read("invariant", one) for one in world["invariants"]],
        judgments={key: read("judgment", one) for key, one in world["judgments"].items()},
        repeats=world["repeats"],
        control=world["control"],
    )


seeds = st.integers(0, 2**32)


def agree(world):
    stored = json.loads(codec.encode(resolved(world)))
    for field in ("kind", "v", "case", "trials"):
        del stored[field]
    parts = ("case", "plan", "trials", "invariants", "judgments", "repeats", "control")
    assert stored == by_the_page(*(world[part] for part in parts))


@settings(max_examples=120, deadline=None)
@given(strange_worlds())
def test_records_that_do_not_fit_get_the_verdict_that_the_page_says(world):
    agree(world)


@settings(max_examples=600, deadline=None)
@given(seeds)
def test_records_of_a_run_get_the_verdict_that_the_page_says(seed):
    agree(likely_world(Random(seed)))


def test_the_random_records_reach_every_clause():
    """A comparison on records that all end in R1 would prove little."""
    seen, traits = Counter(), set()
    for seed in range(1500):
        verdict = resolved(likely_world(Random(seed)))
        seen[verdict.reason] += 1
        traits.update(verdict.traits)
    rare = {"no-invariant", "only-low-severity"}
    assert {code for codes in REASONS.values() for code in codes} - set(seen) <= rare
    assert traits == set(TRAITS)


@settings(max_examples=60, deadline=None)
@given(strange_worlds())
def test_a_verdict_can_be_stored_read_and_summed_up(world):
    verdict = resolved(world)
    assert codec.decode("verdict", codec.encode(verdict)) == verdict
    summary = summary_of(verdict)
    assert msgspec.json.decode(msgspec.json.encode(summary), type=type(summary)) == summary
    assert session_verdict([verdict.verdict]) == verdict.verdict


@settings(max_examples=150, deadline=None)
@given(seeds)
def test_what_low_invariants_say_changes_nothing(seed):
    rng = Random(seed)
    world = likely_world(rng)
    low = {
        rule["invariant"]
        for rule, one in zip(world["case"]["invariants"], world["invariants"], strict=True)
        if one["severity"] == "low" and rule["role"] == "check"
    }
    told = {
        key: one | {"result": rng.choice(["pass", "fail", "unjudged"])}
        if one["invariant"] in low
        else one
        for key, one in world["judgments"].items()
    }
    assert resolved(world | {"judgments": told}) == resolved(world)
