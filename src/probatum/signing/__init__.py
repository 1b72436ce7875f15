"""Signatures over statements: keys, envelopes, trust and what they amount to.

What checking needs is here and cheap to import. Private keys are in
:mod:`probatum.signing.keyfiles`, the trust file on disk in
:mod:`probatum.signing.trustfile`.
"""

from __future__ import annotations

from probatum.signing.envelope import Envelope, build_envelope, parse_envelope
from probatum.signing.evaluation import (
    SignatureCheck,
    SignatureReport,
    State,
    TimeProof,
    evaluate,
)
from probatum.signing.keys import PublicKey, parse_public_key
from probatum.signing.signatures import (
    Signature,
    Signer,
    encode_signature,
    pae,
    read_signature,
    sign,
)
from probatum.signing.trust import KeyState, TrustedKey, TrustRule, TrustStore

__all__ = [
    "Envelope",
    "KeyState",
    "PublicKey",
    "Signature",
    "SignatureCheck",
    "SignatureReport",
    "Signer",
    "State",
    "TimeProof",
    "TrustRule",
    "TrustStore",
    "TrustedKey",
    "build_envelope",
    "encode_signature",
    "evaluate",
    "pae",
    "parse_envelope",
    "parse_public_key",
    "read_signature",
    "sign",
]
