"""Verdicts: what the trials of a case amount to, as a pure function of records.

Nothing here reads a store, a clock or a random number, so that a run, a
verification and a third party reach the same verdict from the same records.
``docs/format/verdict-rules.md`` is the normative description.
"""

from probatum.verdicts.falsifiability import case_declared, mean_declared
from probatum.verdicts.resolve import resolve
from probatum.verdicts.runs import deciding_rules
from probatum.verdicts.session import (
    ClassCounts,
    Downgrade,
    class_counts,
    downgrade,
    exit_code_of,
    exit_code_of_downgrades,
    session_verdict,
)
from probatum.verdicts.statistics import (
    bootstrap_interval,
    needed,
    reaches,
    shown_bound,
)
from probatum.verdicts.summary import summary_of
from probatum.verdicts.table import REASONS
from probatum.verdicts.traits import TRAITS

__all__ = [
    "REASONS",
    "TRAITS",
    "ClassCounts",
    "Downgrade",
    "bootstrap_interval",
    "case_declared",
    "class_counts",
    "deciding_rules",
    "downgrade",
    "exit_code_of",
    "exit_code_of_downgrades",
    "mean_declared",
    "needed",
    "reaches",
    "resolve",
    "session_verdict",
    "shown_bound",
    "summary_of",
]
