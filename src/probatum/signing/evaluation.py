"""From signatures to a state: what a statement's signatures are worth today.

One pure function. It knows no file, no clock and no network: the statement,
the signatures, the trust file's content and the present time are arguments.
What a statement claims about its own time is never looked at.

A signature is ``invalid`` only when bytes do not verify. A key that is
unknown, revoked or out of scope makes an intact signature not trusted. The
overall state is the best that a threshold of distinct keys supports, and
``invalid`` only when no signature verifies; the invalid ones are listed
whatever the overall state is, for a caller to report as damage.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

import msgspec

from probatum.errors import LimitError
from probatum.signing.keys import KEY_TYPE, PublicKey, is_signature
from probatum.signing.signatures import MAX_SIGNATURES, Signature, hinted_key, pae
from probatum.signing.trust import KeyState, TrustedKey, TrustRule, TrustStore

CLOCK_SKEW: Final = timedelta(minutes=5)
"""How far the verifier's clock may be off at the edges of a key's window."""


class State(StrEnum):
    """What one signature, or a statement's signatures together, are worth."""

    TRUSTED = "trusted"
    TRUSTED_RETIRED = "trusted-retired"
    SIGNED_UNTRUSTED = "signed-untrusted"
    EXPIRED_TIME_UNPROVEN = "expired-time-unproven"
    UNSIGNED = "unsigned"
    INVALID = "invalid"


class TimeProof(msgspec.Struct, frozen=True, kw_only=True):
    """Evidence, checked by whoever gives it, that a signature existed by then.

    Attributes:
        signature: `Signature.digest` of what is proven.
        time: The latest time at which it can have been made.
        source: Where the proof comes from, for people.
    """

    signature: str
    time: datetime
    source: str = ""


class SignatureCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What one signature is worth.

    Attributes:
        reason: A stable word for why; empty for a plain `trusted`.
        key: The key it verifies under, or the one it was to verify under.
        name: What the trust file calls that key.
        proven: The time proof that counted.
        detail: For people, where the reason alone says too little.
    """

    state: State
    reason: str = ""
    key: PublicKey | None = None
    name: str = ""
    proven: datetime | None = None
    detail: str = ""


class SignatureReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a statement's signatures are worth together.

    Attributes:
        state: One of the six.
        checks: One a signature, in the order given.
        threshold: Distinct keys that the rule asks for.
        counted: Distinct keys, trusted or trusted-retired, that it got.
        trust: Digest of the trust file, or nothing.
    """

    state: State
    checks: tuple[SignatureCheck, ...]
    threshold: int
    counted: int
    trust: str

    @property
    def trusted(self) -> bool:
        """Whether the rule is met."""
        return self.state in (State.TRUSTED, State.TRUSTED_RETIRED)

    @property
    def invalid(self) -> tuple[SignatureCheck, ...]:
        """The signatures that do not verify; any of them is damage."""
        return tuple(check for check in self.checks if check.state is State.INVALID)

    def __bool__(self) -> bool:
        return self.trusted and not self.invalid


def evaluate(
    statement: bytes,
    signatures: Sequence[Signature],
    trust: TrustStore | None,
    *,
    statement_type: str,
    now: datetime,
    proofs: Sequence[TimeProof] = (),
) -> SignatureReport:
    """Say what the signatures over a statement are worth.

    Args:
        statement: The very bytes that were, or will be, parsed.
        signatures: What was found for it, intact or not.
        trust: Whose signatures count; None if no trust file is at hand.
        statement_type: ``session``, ``plan``, ``removal`` or ``note``.
        now: The present time, with a time zone.
        proofs: Proofs of the signatures' ages.

    Raises:
        LimitError: If there are more than 16 signatures.
    """
    if len(signatures) > MAX_SIGNATURES:
        raise LimitError(f"{len(signatures)} signatures are over the limit of {MAX_SIGNATURES}")
    known = trust or TrustStore()
    rule = known.rule(statement_type)
    message = pae(statement)
    checks: list[SignatureCheck] = []
    for signature in signatures:
        key = _verifying_key(signature, message, known)
        if key is None:
            checks.append(_unverified(signature, known))
            continue
        times = [proof.time for proof in proofs if proof.signature == signature.digest]
        checks.append(_judge(key, known.owner(key), rule, now, times))
    state, counted = _together(checks, rule.threshold)
    return SignatureReport(
        state=state,
        checks=tuple(checks),
        threshold=rule.threshold,
        counted=counted,
        trust=trust.digest if trust else "",
    )


def _verifying_key(signature: Signature, message: bytes, trust: TrustStore) -> PublicKey | None:
    """Return the key that a signature verifies under, hints tried first."""
    if signature.problem:
        return None
    if signature.key is not None:
        return signature.key if signature.key.verify(signature.sig, message) else None
    hint = _hinted(signature, trust)
    candidates = [entry.key for entry in trust.keys if entry.key != hint]
    if hint is not None:
        candidates.insert(0, hint)
    return next((key for key in candidates if key.verify(signature.sig, message)), None)


def _hinted(signature: Signature, trust: TrustStore) -> PublicKey | None:
    """Return the key that an envelope's key id spells in full or by fingerprint."""
    named = (entry.key for entry in trust.keys if entry.key.fingerprint == signature.keyid)
    return hinted_key(signature.keyid) or next(named, None)


def _unverified(signature: Signature, trust: TrustStore) -> SignatureCheck:
    """Tell a broken signature from one whose key is nowhere to be had."""
    if signature.problem:
        return SignatureCheck(
            state=State.INVALID, reason="bad-signature-file", detail=signature.problem
        )
    key = signature.key or _hinted(signature, trust)
    claims_key = signature.keyid.startswith(KEY_TYPE)
    if key is None and is_signature(signature.sig) and not claims_key:
        return SignatureCheck(state=State.SIGNED_UNTRUSTED, reason="key-unknown")
    owner = trust.owner(key) if key else None
    return SignatureCheck(
        state=State.INVALID,
        reason="does-not-verify",
        key=key,
        name=owner.name if owner else "",
    )


def _judge(
    key: PublicKey,
    entry: TrustedKey | None,
    rule: TrustRule,
    now: datetime,
    times: Sequence[datetime],
) -> SignatureCheck:
    """Say what an intact signature is worth, given who made it and when."""
    if entry is None:
        return SignatureCheck(state=State.SIGNED_UNTRUSTED, reason="key-not-trusted", key=key)
    proven = _proven(entry, now, times)
    state, reason = _standing(entry, now, proven)
    if rule.keys and entry.name not in rule.keys:
        state, reason = State.SIGNED_UNTRUSTED, "key-not-in-rule"
    elif entry.scopes and rule.type not in entry.scopes:
        state, reason = State.SIGNED_UNTRUSTED, "key-out-of-scope"
    return SignatureCheck(state=state, reason=reason, key=key, name=entry.name, proven=proven)


def _standing(entry: TrustedKey, now: datetime, proven: datetime | None) -> tuple[State, str]:
    """Return state and reason that a key's life gives its signatures now."""
    if entry.state is KeyState.REVOKED:
        if proven is not None:
            return State.TRUSTED_RETIRED, "revoked-later"
        return State.SIGNED_UNTRUSTED, "key-revoked"
    start, end = entry.valid_after, entry.valid_before
    expired = end is not None and now - CLOCK_SKEW >= end
    if entry.state is KeyState.RETIRED or expired:
        word = "key-expired" if expired else "key-retired"
        if proven is not None:
            return State.TRUSTED_RETIRED, word
        return State.EXPIRED_TIME_UNPROVEN, word
    if start is not None and now + CLOCK_SKEW < start:
        return State.SIGNED_UNTRUSTED, "key-not-yet-valid"
    inside = (start is None or now >= start) and (end is None or now < end)
    return State.TRUSTED, "" if inside else "clock-skew"


def _proven(entry: TrustedKey, now: datetime, times: Sequence[datetime]) -> datetime | None:
    """Return the earliest proof that lies in a key's window and not in the future."""
    if entry.state is KeyState.REVOKED and entry.revoked_from is None:
        return None
    start, end, revoked = entry.valid_after, entry.valid_before, entry.revoked_from
    good = [
        time
        for time in times
        if time <= now + CLOCK_SKEW
        and (start is None or time >= start)
        and (end is None or time < end)
        and (revoked is None or time < revoked)
    ]
    return min(good, default=None)


def _together(checks: Sequence[SignatureCheck], threshold: int) -> tuple[State, int]:
    """Return the overall state, and how many distinct keys count for it."""
    if not checks:
        return State.UNSIGNED, 0

    def keys(*states: State) -> int:
        return len({check.key for check in checks if check.state in states})

    active = keys(State.TRUSTED)
    counted = keys(State.TRUSTED, State.TRUSTED_RETIRED)
    lapsed = keys(State.TRUSTED, State.TRUSTED_RETIRED, State.EXPIRED_TIME_UNPROVEN)
    if active >= threshold:
        return State.TRUSTED, counted
    if counted >= threshold:
        return State.TRUSTED_RETIRED, counted
    if lapsed >= threshold:
        return State.EXPIRED_TIME_UNPROVEN, counted
    if all(check.state is State.INVALID for check in checks):
        return State.INVALID, counted
    return State.SIGNED_UNTRUSTED, counted
