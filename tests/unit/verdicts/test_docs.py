"""Every table and every number of the user page is what the code says."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from probatum.invariants.contains import Contains
from probatum.records.base import UNSET
from probatum.spec.authored import VerdictConfig
from probatum.verdicts import (
    REASONS,
    TRAITS,
    case_declared,
    downgrade,
    exit_code_of,
    exit_code_of_downgrades,
    mean_declared,
    needed,
    statistics,
)
from probatum.verdicts.session import ORDER
from probatum.verdicts.table import RULES

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "verdicts.md").read_text()
FORMAT = (DOCS / "format" / "verdict-rules.md").read_text()


def table(page, first_header):
    """Return the rows below a header, as lists of cells."""
    lines = page.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"| {first_header} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def codes(cell):
    return re.findall(r"`([^`]+)`", cell)


def test_the_five_verdicts():
    assert {codes(row[0])[0] for row in table(PAGE, "verdict")} == set(ORDER)


def test_the_table_of_rules_on_the_user_page():
    found: dict[str, list[str]] = {}
    verdicts = dict([*((rule, verdict) for rule, verdict, _ in RULES), ("R6", "STABLE")])
    for row in table(PAGE, "rule"):
        assert codes(row[2]) == [verdicts[row[0]]]
        found.setdefault(row[0], []).extend(codes(row[3]))
    assert {rule: tuple(reasons) for rule, reasons in found.items()} == REASONS


def test_the_table_of_rules_on_the_format_page():
    found: dict[str, list[str]] = {}
    verdicts = dict([*((rule, verdict) for rule, verdict, _ in RULES), ("R6", "STABLE")])
    for row in table(FORMAT, "rule"):
        assert codes(row[1]) == [verdicts[row[0]]]
        found.setdefault(row[0], []).extend(codes(row[2]))
    assert {rule: tuple(reasons) for rule, reasons in found.items()} == REASONS


def test_the_bounds(scene, fam):
    rows = table(PAGE, "passed")
    assert len(rows) == 14
    for passed, n, bootstrap, shown, verdict in rows:
        found = scene((fam("typo_noise", int(n), int(passed)),)).verdict()
        (row,) = found.families
        assert (f"{row.low}–{row.high}", row.shown) == (bootstrap, shown)
        said = f"`{found.verdict}`" + ("" if found.rule == "R6" else f" ({found.rule})")
        assert said == verdict


def test_the_passes_that_claims_need():
    confidences = [Fraction(c) for c in ("0.9", "0.95", "0.99")]
    rows = table(PAGE, "stability")
    assert [row[0] for row in rows] == ["0.8", "0.9", "0.95", "0.99"]
    for stability, *counts in rows:
        assert [int(n) for n in counts] == [needed(Fraction(stability), c) for c in confidences]


def test_the_worked_rows(scene, fam, runs_of):
    claim = ("0.95", "0.95")
    kinds = (("check", "high"), ("expected", "high"))
    wrong = {0: "fail", 1: "fail"}
    scenes = [
        scene((fam("typo_noise", 14, 14),), claim=claim),
        scene((fam("typo_noise", 59, 59), fam("casing", 3, 3, possible=3)), claim=claim),
        scene((fam("typo_noise", 59, 59), fam("casing", 3, 2, possible=3))),
        scene((fam("typo_noise", 5, 5), runs_of("unicode", *["timeout"] * 3))),
        scene((runs_of("typo_noise", *[wrong] * 5),), baseline=wrong, kinds=kinds),
        scene((runs_of("typo_noise", *[wrong] * 5),), baseline="pass", kinds=kinds),
        scene((fam("typo_noise", 3, 3),), control=("pass", "fail", "pass")),
        scene((runs_of("typo_noise", *["pass"] * 3, "raised", "raised"),)),
    ]
    rows = table(PAGE, "case")
    for (words, said), made in zip(rows, scenes, strict=True):
        verdict = made.verdict()
        reason = [] if verdict.rule == "R6" else [verdict.reason]
        rest = [code for code in codes(said) if code not in TRAITS]
        assert rest == [verdict.verdict, *reason], words
        if verdict.rule != "R6":
            assert f"({verdict.rule}, " in said
        assert set(codes(said)) & set(TRAITS) <= set(verdict.traits)
        for row in verdict.families:
            of = f"{row.passed} of {row.n}" if row.n else "0 of 3 judged"
            assert f"{row.family} {of}" in words
            assert (row.possible is UNSET) or f"{row.passed} of {row.possible} possible" in words
        assert "needed" not in said or f"{verdict.claim.needed} needed" in said
    assert scenes[2].verdict().worst == "casing"


@pytest.mark.parametrize("page", [PAGE, FORMAT])
def test_the_traits_on_each_page(page):
    assert [codes(row[0])[0] for row in table(page, "trait")] == list(TRAITS)


def test_what_the_traits_say():
    assert {codes(code)[0]: words for code, words in table(PAGE, "trait")} == TRAITS


def test_the_exit_codes():
    lines = PAGE[PAGE.index("## Sessions and exit codes") :]
    rows = [(codes(verdict)[0], int(code)) for verdict, code in table(lines, "verdict")]
    assert rows == [(verdict, exit_code_of(verdict)) for verdict in ORDER]


def test_the_numbers_in_the_prose(scene, fam):
    """A number outside the tables stands here with what it must be."""
    prose = "\n".join(line for line in PAGE.splitlines() if not line.startswith("|"))
    prose = re.sub(r"```.*?```|\[[^]]*\]\([^)]*\)|`[^`]*`", "", prose, flags=re.DOTALL)
    prose = re.sub(r"\bR[1-6]\b|1\.0 format", "", prose)
    low, _ = statistics.bootstrap_interval(60, 59)
    contribution = Contains().contribution(Contains.params(values=("x" * 19,)), None)
    facts = [
        ("3 of 3 and 299 of 299", Fraction(3, 3) == Fraction(299, 299)),
        ("with no failure it is 1", statistics.bootstrap_interval(3, 3)[0] == 1),
        ("one-sided 95 %", Fraction(95, 100) == statistics.CONFIDENCE),
        ("at most one test in twenty", 1 - Fraction(1, 20) == statistics.CONFIDENCE),
        ("59\nof 60 has a lower end of 57/60, which is 0.95", low == Fraction(57, 60)),
        ('"3 of 3 possible"', scene((fam("c", 3, 3, possible=3),)).verdict().families[0].n == 3),
        ("19\ncharacters contributes min(1, 19/50) = 0.3800", contribution == Fraction(19, 50)),
        (
            "A regression (exit 5)",
            exit_code_of_downgrades([downgrade("STABLE", "FRAGILE")]) == 5,
        ),
        (
            "(exit 4) when a case vanished",
            exit_code_of_downgrades([downgrade("FRAGILE", None)]) == 4,
        ),
        ("Both: 5.", exit_code_of_downgrades(["evidence-lost", "regression"]) == 5),
    ]
    assert mean_declared([case_declared([contribution])]) == "0.3800"
    for words, holds in facts:
        assert words in prose
        assert holds, words
        prose = prose.replace(words, "")
    assert re.findall(r"\d[\d./]*", prose) == []


def test_the_defaults_that_the_table_of_rules_names():
    defaults = VerdictConfig()
    assert f"`min_perturbations` (default {defaults.min_perturbations})" in PAGE
    assert f"`stable_threshold` (default {defaults.stable_threshold})" in PAGE
