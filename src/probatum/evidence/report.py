"""What verification answers: axes apart, findings, and what was not re-derived."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal, Protocol

import msgspec

from probatum.errors import ExitCode
from probatum.evidence.findings import AXES, Axis, Finding
from probatum.signing import SignatureReport

AxisState = Literal["ok", "failed", "not-checked"]


class AxisReport(msgspec.Struct, frozen=True, kw_only=True):
    """One axis, on its own."""

    axis: Axis
    state: AxisState


class NotRederived(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the evidence says and that this verification took as it stands.

    Attributes:
        what: A code: ``answers``, ``spec``, ``judgments``, ``perturbations``,
            ``falsifiability``, ``verdicts``, ``times`` or what a deep check names.
        count: How many of them.
        why: A code: ``never`` (no reader can), ``needs-deep``, ``quick``,
            ``damaged``, or what a deep check names.
    """

    what: str
    count: int
    why: str


class Deep(Protocol):
    """What a deep check adds: things made again, and what they came out as.

    Attributes:
        findings: ``perturbation-not-rederived`` and its like.
        not_rederived: What even a deep check could not make again.
    """

    @property
    def findings(self) -> Iterable[Finding]:
        """What came out differently."""
        ...

    @property
    def not_rederived(self) -> Iterable[NotRederived]:
        """What could not be made again, and why."""
        ...


class VerifyReport(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of verifying one session; truthy when nothing is wrong with it.

    Whether the signer is trusted is `trusted`, apart from truth: an intact
    session of an unknown signer is intact.

    Attributes:
        statement: The session id that people see.
        root: The session record; empty if the statement cannot be read, and
            so are `name`, `verdict`, `store`, `start` and `end`.
        axes: All nine, in a fixed order.
        findings: In the order in which they were found.
        objects: Kinds with their counts, sorted; empty if not read.
        total_bytes: Payload bytes read.
        signatures: What the signatures are worth.
        not_rederived: What was taken as it stands.
        deep: Whether a deep check was made.
    """

    statement: str
    root: str = ""
    name: str = ""
    verdict: str = ""
    store: str = ""
    start: str = ""
    end: str = ""
    seq: int = 0
    cases: int = 0
    runs: int = 0
    complete: bool = False
    quick: bool = False
    deep: bool = False
    axes: tuple[AxisReport, ...]
    findings: tuple[Finding, ...]
    objects: tuple[tuple[str, int], ...] = ()
    total_bytes: int = 0
    signatures: SignatureReport | None = None
    not_rederived: tuple[NotRederived, ...] = ()

    def __bool__(self) -> bool:
        return not any(finding.severity == "error" for finding in self.findings)

    @property
    def trusted(self) -> bool:
        """Whether the signatures meet the trust file's rule."""
        return self.signatures is not None and bool(self.signatures)

    def state(self, axis: Axis) -> AxisState:
        """Return the state of one axis."""
        return next(item.state for item in self.axes if item.axis == axis)


class StoreReport(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of verifying a whole store; truthy when nothing is wrong with it.

    Attributes:
        sessions: One report a session, newest first.
        findings: What is wrong or odd outside of any session.
        objects: Distinct stored objects read, those of no session included; 0
            if `quick`.
    """

    sessions: tuple[VerifyReport, ...]
    findings: tuple[Finding, ...]
    objects: int
    quick: bool

    def __bool__(self) -> bool:
        whole = not any(finding.severity == "error" for finding in self.findings)
        return whole and all(self.sessions)

    @property
    def trusted(self) -> bool:
        """Whether every session's signatures meet the trust file's rule."""
        return all(session.trusted for session in self.sessions)


def exit_codes(
    report: VerifyReport | StoreReport, *, require_trust: bool = False
) -> tuple[ExitCode, ...]:
    """Return every code that applies, the one that a process answers first.

    3 means that the machine refused to read a file.
    """
    errors = {finding.id for finding in _all(report) if finding.severity == "error"}
    applied = (
        (ExitCode.INTEGRITY, bool(errors - {"unreadable"})),
        (ExitCode.ERROR, "unreadable" in errors),
        (ExitCode.NOT_TRUSTED, require_trust and not report.trusted),
    )
    return tuple(code for code, applies in applied if applies) or (ExitCode.OK,)


def exit_code(report: VerifyReport | StoreReport, *, require_trust: bool = False) -> ExitCode:
    """Return what a process answers: 7 before 3 before 8 before 0."""
    return exit_codes(report, require_trust=require_trust)[0]


def _all(report: VerifyReport | StoreReport) -> Iterable[Finding]:
    yield from report.findings
    if isinstance(report, StoreReport):
        for session in report.sessions:
            yield from session.findings


def axes_of(findings: Iterable[Finding], checked: set[Axis]) -> tuple[AxisReport, ...]:
    """Return the state of every axis.

    An axis fails by an error; trust also by a warning, since a warning there
    means exactly that the signer is not trusted.
    """
    weights = Counter((finding.axis, finding.severity) for finding in findings)

    def state(axis: Axis) -> AxisState:
        if weights[axis, "error"] or (axis == "trust" and weights[axis, "warning"]):
            return "failed"
        return "ok" if axis in checked else "not-checked"

    return tuple(AxisReport(axis=axis, state=state(axis)) for axis in AXES)
