"""The words for every code that evidence stores or checking finds.

A code that is not known here, from a newer release or a plugin, is shown as
it is, with its hyphens as spaces.
"""

from __future__ import annotations

from typing import Final

LIMIT_SIGNED: Final = (
    "{who} vouches for this record. It does not prove that the model gave these answers."
)

VERDICTS: Final[dict[str, str]] = {
    "STABLE": "good",
    "FRAGILE": "warn",
    "CONSISTENTLY_WRONG": "bad",
    "INSUFFICIENT": "dim",
    "INVALID_EVAL": "bad",
}
"""Each verdict class with the style it is shown in."""

CLASS_NAMES: Final[dict[str, str]] = {
    "INVALID_EVAL": "invalid",
    "CONSISTENTLY_WRONG": "consistently wrong",
    "FRAGILE": "fragile",
    "INSUFFICIENT": "insufficient",
    "STABLE": "stable",
}
"""The classes in words, the worst first."""

RULES: Final[dict[str, str]] = {
    "R1": "the evaluation itself is not valid",
    "R2": "too little was judged",
    "R3": "what is known to be right is violated by every answer",
    "R4": "it breaks",
    "R5": "what was asked to be shown is not shown",
    "R6": "it held",
}

REASONS: Final[dict[str, str]] = {
    "no-invariant": "no invariant to judge by",
    "only-low-severity": "every invariant is of low severity",
    "invariant-never-ran": "an invariant could judge no answer",
    "contradicts-expected": "an invariant rejects every answer that is known to be right",
    "mostly-invalid": "more than half of the perturbations were invalid",
    "baseline-missing": "the unperturbed input was never run",
    "baseline-failed": "the system failed on the unperturbed input",
    "baseline-unjudged": "the answer to the unperturbed input could not be judged",
    "too-few-judged": "too few perturbations were judged",
    "family-unjudged": "a family has no judged perturbation",
    "expected-violated": "every answer violates what is known to be right",
    "critical-failed": "a critical invariant failed",
    "failed-at-rest": "it fails without any perturbation",
    "broke-at-rest": "the system breaks without any perturbation",
    "below-threshold": "the worst family's lower bound is below the threshold",
    "critical-unjudged": "a critical invariant could not be judged",
    "claim-not-reached": "more passing perturbations are needed for the claim",
    "claim-without-family": "no family can show the claim",
    "held": "every family holds",
}

RESULTS: Final[dict[str, str]] = {"pass": "pass", "fail": "FAIL", "unjudged": "unjudged"}

UNJUDGED: Final[dict[str, str]] = {
    "filtered": "the system's filter took the answer",
    "not-text": "the answer is no text",
    "truncated": "the answer was cut off",
    "empty": "the answer is empty",
    "timeout": "judging it took too long",
    "too-deep": "the answer nests too deeply",
    "too-large": "the answer is too large to judge",
}

CLUES: Final[dict[str, str]] = {
    "missing": "not in the answer",
    "found": "in the answer",
    "not-equal": "the answer is not it",
    "equal": "the answer is it",
    "no-match": "the pattern matches nowhere",
    "match": "the pattern matches",
    "not-one-of": "the answer is none of the values",
    "one-of": "the answer is one of the values",
    "too-short": "too short",
    "too-long": "too long",
    "length": "length",
    "not-json": "not JSON",
    "no-json": "no JSON in it",
    "schema": "against the schema",
}

FAILURES: Final[dict[str, str]] = {
    "raised": "the system raised an error",
    "timeout": "the system did not answer in time",
    "malformed": "the system's answer is malformed",
    "exited": "the system's process ended",
    "too-large": "the system's answer is too large",
    "filtered": "the system's filter refused",
}

CHANGES: Final[dict[str, str]] = {
    "same": "same",
    "changed": "same verdict, other evidence",
    "improved": "improved",
    "regression": "REGRESSION",
    "evidence-lost": "EVIDENCE LOST",
    "vanished": "VANISHED",
    "added": "added",
}

ROW_CHANGES: Final[dict[str, str]] = {
    "same": "same",
    "inputs-differ": "inputs differ",
    "output-differs": "same input, output differs",
    "judgment-differs": "same output, judgment differs",
    "only-old": "only in the old session",
    "only-new": "only in the new session",
}

STATES: Final[dict[str, str]] = {
    "trusted": "trusted",
    "trusted-retired": "trusted, key retired since",
    "signed-untrusted": "signed, not trusted",
    "expired-time-unproven": "signed, key expired, time not proven",
    "unsigned": "unsigned",
    "invalid": "SIGNATURE INVALID",
}

NOT_REDERIVED: Final[dict[str, str]] = {
    "answers": "answers of the system",
    "verdicts": "verdicts",
    "perturbations": "perturbations from their seeds",
    "judgments": "judgments of the stored answers",
    "falsifiability": "declared falsifiability",
    "everything": "contents of the session",
}

WHY_NOT: Final[dict[str, str]] = {
    "never": "only running the system again can show them",
    "needs-deep": "verify --deep makes them again",
    "quick": "--quick reads checksums only",
    "damaged": "what they follow from is damaged",
}


def say(table: dict[str, str], code: str) -> str:
    """Return the words for a code."""
    return table.get(code) or code.replace("-", " ")
