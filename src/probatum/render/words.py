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
    "schema-recursion": "the schema refers to itself without end on this answer",
    "schema-work": "checking it against the schema takes too long",
}

CLUES: Final[dict[str, str]] = {
    "differs": "the answer differs",
    "duplicate-key": "a JSON object has a key twice",
    "found": "found",
    "match": "the pattern matches",
    "missing": "missing",
    "no-match": "the pattern matches nowhere",
    "not-json": "not JSON",
    "not-listed": "the answer is none of the values",
    "out-of-range": "a number is out of range",
    "schema": "against the schema",
    "too-deep": "it nests too deeply",
    "too-long": "too long",
    "too-short": "too short",
}

NOT_APPLICABLE: Final[dict[str, str]] = {
    "all-protected": "everything it could change is protected",
    "blank": "there is no text",
    "no-case": "its letters have no case",
    "no-letters": "there are no letters",
    "no-lookalikes": "no letter of it has a lookalike",
    "no-method": "none of its methods has anything to change",
    "no-spaces": "there are no spaces",
    "no-user-text": "there is no user text",
    "too-short": "it has one character",
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
    "spec": "spec from its authored files",
    "perturbations": "perturbations from their seeds",
    "judgments": "judgments of the stored answers",
    "falsifiability": "declared falsifiability",
    "everything": "contents of the session",
}

ONE_NOT_REDERIVED: Final[dict[str, str]] = {
    "answers": "answer of the system",
    "verdicts": "verdict",
    "perturbations": "perturbation from its seed",
    "judgments": "judgment of a stored answer",
    "everything": "session's contents",
}
"""The words for a count of one, where they differ."""

WHY_NOT: Final[dict[str, str]] = {
    "never": "only running the system again can show them",
    "needs-deep": "verify --deep makes them again",
    "quick": "--quick reads checksums only",
    "damaged": "what they follow from is damaged",
    "unknown-family": "a family that is not of this release",
    "unknown-rule": "a rule that is not of this release",
    "other-version": "made by another version of its family or rule",
    "other-release": "another release compiled them",
    "no-sources": "no authored files are kept",
    "limit": "beyond the limit of a deep check",
}


def say(table: dict[str, str], code: str) -> str:
    """Return the words for a code."""
    return table.get(code) or code.replace("-", " ")
