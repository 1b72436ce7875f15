"""What verification shows: nine axes, what was found, what was taken as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from probatum.render import words
from probatum.render.escape import shortened, visible
from probatum.render.findings import MEANINGS
from probatum.render.layout import Style, plain, table
from probatum.render.summary import NAME, brief, count_words
from probatum.signing import SignatureCheck, SignatureReport, State

if TYPE_CHECKING:
    from probatum.evidence.findings import Finding
    from probatum.evidence.report import StoreReport, VerifyReport


_STATES = {"ok": ("ok", "good"), "failed": ("FAILED", "bad"), "not-checked": ("not checked", "dim")}
_SEVERITY = {"error": "bad", "warning": "warn", "note": "dim"}
_SHOWN = 50
"""Findings of a session that are listed; the rest is counted."""


def signer_words(report: SignatureReport) -> str:
    """Return who signed and what that is worth, in a few words."""
    if report.state is State.TRUSTED or report.state is State.TRUSTED_RETIRED:
        good = (State.TRUSTED, State.TRUSTED_RETIRED)
        names = _signers([check for check in report.checks if check.state in good])
        retired = "" if report.state is State.TRUSTED else ", retired since"
        return f"signed by {names}{retired}"
    if report.state is State.SIGNED_UNTRUSTED or report.state is State.EXPIRED_TIME_UNPROVEN:
        names = _signers(report.checks)
        why = (
            "not trusted" if report.state is State.SIGNED_UNTRUSTED else "expired, time not proven"
        )
        return f"signed by {names}, {why}"
    return words.say(words.STATES, report.state.value)


def _signers(checks: Sequence[SignatureCheck]) -> str:
    names = []
    for check in checks:
        digits = "unknown" if check.key is None else check.key.short()
        name = check.name
        names.append(f"{shortened(name, NAME)} key {digits}" if name else f"key {digits}")
    return ", ".join(names)


def verify(report: VerifyReport, *, style: Style = plain) -> str:
    """Return the outcome of verifying one session."""
    lines = [_head(report, style)]
    states = [_STATES[item.state] for item in report.axes]
    rows = [
        (item.axis, word, _about(report, item.axis))
        for item, (word, _) in zip(report.axes, states, strict=True)
    ]
    lines += table(
        [("", *row) for row in rows], [("", "", role, "dim") for _, role in states], style
    )
    lines += _findings(report.findings, style)
    lines += _limits(report)
    return "\n".join(lines)


def verify_all(report: StoreReport, *, style: Style = plain) -> str:
    """Return the outcome of verifying a whole store: a line a session, and the rest."""
    lines = []
    for session in report.sessions:
        lines.append(_head(session, style))
        lines += _findings([item for item in session.findings if item.severity != "note"], style)
    lines += _findings(report.findings, style)
    good = sum(bool(session) for session in report.sessions)
    lines.append(
        f"{count_words(len(report.sessions), 'session')}, {good} intact · "
        f"{count_words(report.objects, 'object')} read · "
        + (style("store is intact", "good") if report else style("STORE IS DAMAGED", "bad"))
    )
    return "\n".join(lines)


def _head(report: VerifyReport, style: Style) -> str:
    state = style("verified", "good") if report else style("NOT VERIFIED", "bad")
    if report and report.quick:
        state = style("checksums and signatures verified", "good")
    signed = "" if report.signatures is None else signer_words(report.signatures)
    parts = [
        f"session {brief(report.statement)}",
        state,
        shortened(report.name, NAME),
        shortened(report.verdict, NAME),
        signed,
    ]
    return " · ".join(part for part in parts if part)


def _about(report: VerifyReport, axis: str) -> str:
    """Return what an axis rests on, in a few words."""
    objects = sum(count for _, count in report.objects)
    if axis == "bytes" and objects:
        return f"{count_words(objects, 'object')}, {report.total_bytes} bytes, each hashed again"
    if axis == "closure" and objects:
        return ", ".join(f"{count} {kind}" for kind, count in report.objects)
    if axis == "signature" and report.signatures is not None:
        return signer_words(report.signatures)
    if axis == "trust" and report.signatures is not None and report.signatures.trust:
        return f"trust file {brief(report.signatures.trust)}"
    if axis == "time" and report.start:
        return f"claimed {visible(report.start)} to {visible(report.end)}"
    if axis == "chain" and report.seq:
        return f"number {report.seq}"
    if axis == "verdicts" and report.cases:
        runs = count_words(report.runs, "run")
        return f"{count_words(report.cases, 'case')}, {runs}, resolved again"
    return ""


def _findings(findings: Sequence[Finding], style: Style) -> list[str]:
    lines = []
    for item in findings[:_SHOWN]:
        meaning, step = MEANINGS.get(item.id, (item.id.replace("-", " "), ""))
        where = " ".join(
            part
            for part in (
                f"case {shortened(item.case, NAME)}" if item.case else "",
                f"{shortened(item.kind, NAME)} {brief(item.object)}" if item.object else "",
                visible(item.place),
            )
            if part
        )
        detail = f": {shortened(item.detail, 400)}" if item.detail else ""
        head = style(f"{item.severity}[{item.id}]", _SEVERITY[item.severity])
        lines.append(f"{head} {meaning}{detail}" + (f" ({where})" if where else ""))
        if step and item.severity != "note":
            lines.append(f"    {step}")
    if len(findings) > _SHOWN:
        lines.append(f"… and {len(findings) - _SHOWN} more; --json lists them all")
    return lines


def _taken(what: str, count: int) -> str:
    one = words.ONE_NOT_REDERIVED.get(what) if count == 1 else None
    return one or words.say(words.NOT_REDERIVED, what)


def _limits(report: VerifyReport) -> list[str]:
    lines = [
        f"not derived again: {item.count} {_taken(item.what, item.count)} "
        f"({words.say(words.WHY_NOT, item.why)})"
        for item in report.not_rederived
    ]
    if report.signatures is not None and report.signatures.trusted:
        names = [check.name for check in report.signatures.checks if check.name]
        who = visible(", ".join(names))
        lines.append(f"Signed by {who}: " + words.LIMIT_SIGNED.format(who=who))
    return lines
