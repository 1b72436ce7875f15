"""Everything that checking can find, each with a stable id, an axis and a severity.

``docs/findings.md`` has a line for every id here, with its meaning and the
next step; a test fails when the two differ. The words that people read are
made by ``render``; a finding carries ids and the particulars.
"""

from typing import Final, Literal, NamedTuple

import msgspec

Axis = Literal[
    "bytes",
    "canonical",
    "closure",
    "inventory",
    "signature",
    "trust",
    "time",
    "chain",
    "verdicts",
]
Severity = Literal["error", "warning", "note"]

AXES: Final[tuple[Axis, ...]] = (
    "bytes",
    "canonical",
    "closure",
    "inventory",
    "signature",
    "trust",
    "time",
    "chain",
    "verdicts",
)


class Known(NamedTuple):
    """Where a finding belongs and how much it weighs.

    An ``error`` means that the evidence is not what it claims to be (exit 7);
    a ``warning`` that something deserves a look; a ``note`` that something was
    not, or could not be, checked.
    """

    axis: Axis
    severity: Severity


FINDINGS: Final[dict[str, Known]] = {
    "object-corrupt": Known("bytes", "error"),
    "object-header": Known("bytes", "error"),
    "pack-header": Known("bytes", "error"),
    "pack-truncated": Known("bytes", "error"),
    "pack-index": Known("bytes", "error"),
    "pack-block": Known("bytes", "error"),
    "pack-checksum": Known("bytes", "error"),
    "pack-gone": Known("bytes", "error"),
    "file-empty": Known("bytes", "error"),
    "lfs-pointer": Known("bytes", "error"),
    "not-a-file": Known("bytes", "error"),
    "not-a-folder": Known("bytes", "error"),
    "ref-corrupt": Known("bytes", "error"),
    "dangling-ref": Known("closure", "error"),
    "too-large": Known("bytes", "error"),
    "unreadable": Known("bytes", "error"),
    "stray-file": Known("bytes", "warning"),
    "bytes-quick": Known("bytes", "note"),
    "bad-record": Known("canonical", "error"),
    "non-canonical": Known("canonical", "error"),
    "unknown-kind": Known("canonical", "error"),
    "object-missing": Known("closure", "error"),
    "bad-reference": Known("closure", "error"),
    "wrong-kind": Known("closure", "error"),
    "unreferenced-object": Known("closure", "warning"),
    "inventory-mismatch": Known("inventory", "error"),
    "object-counts-mismatch": Known("inventory", "error"),
    "merkle-root-mismatch": Known("inventory", "error"),
    "signature-invalid": Known("signature", "error"),
    "unsigned": Known("signature", "note"),
    "trust-not-given": Known("trust", "note"),
    "key-not-trusted": Known("trust", "warning"),
    "key-retired": Known("trust", "note"),
    "key-out-of-time": Known("trust", "warning"),
    "threshold-not-met": Known("trust", "warning"),
    "time-order": Known("time", "error"),
    "time-outside-session": Known("time", "warning"),
    "time-in-future": Known("time", "warning"),
    "time-claimed": Known("time", "note"),
    "session-dropped": Known("chain", "warning"),
    "sequence-mismatch": Known("chain", "error"),
    "foreign-origin": Known("chain", "note"),
    "session-removed": Known("chain", "note"),
    "statement-mismatch": Known("verdicts", "error"),
    "table-mismatch": Known("verdicts", "error"),
    "session-mismatch": Known("verdicts", "error"),
    "case-mismatch": Known("verdicts", "error"),
    "plan-mismatch": Known("verdicts", "error"),
    "input-mismatch": Known("verdicts", "error"),
    "edits-mismatch": Known("verdicts", "error"),
    "vacuous-perturbation": Known("verdicts", "error"),
    "trials-mismatch": Known("verdicts", "error"),
    "output-mismatch": Known("verdicts", "error"),
    "judgments-mismatch": Known("verdicts", "error"),
    "executions-mismatch": Known("verdicts", "error"),
    "verdict-mismatch": Known("verdicts", "error"),
    "summary-mismatch": Known("verdicts", "error"),
    "totals-mismatch": Known("verdicts", "error"),
    "completeness-mismatch": Known("verdicts", "error"),
    "spec-not-rederived": Known("verdicts", "error"),
    "perturbation-not-rederived": Known("verdicts", "error"),
    "judgment-not-rederived": Known("verdicts", "error"),
    "falsifiability-not-rederived": Known("verdicts", "error"),
    "incomplete": Known("verdicts", "note"),
}


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that checking found.

    Empty text stands for what does not apply.

    Attributes:
        id: A key of `FINDINGS`.
        detail: The particulars, in plain words; may quote the evidence, so
            it is escaped before it is shown.
        object: Id of the object that it is about.
        kind: Kind of that object.
        place: File and offset, where known.
        case: The case, as authored.
    """

    id: str
    axis: Axis
    severity: Severity
    detail: str = ""
    object: str = ""
    kind: str = ""
    place: str = ""
    case: str = ""


def found(
    id: str,  # noqa: A002 - it is the finding's own word
    detail: str = "",
    *,
    object: str = "",  # noqa: A002
    kind: str = "",
    place: str = "",
    case: str = "",
) -> Finding:
    """Return a finding with the axis and severity of its id."""
    axis, severity = FINDINGS[id]
    return Finding(
        id=id,
        axis=axis,
        severity=severity,
        detail=detail,
        object=object,
        kind=kind,
        place=place,
        case=case,
    )
