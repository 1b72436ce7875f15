"""The examples of the format page are what the code writes and accepts."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from probatum.digest import object_id
from probatum.records import codec
from probatum.signing import (
    State,
    build_envelope,
    encode_signature,
    evaluate,
    parse_envelope,
    read_signature,
    sign,
)
from probatum.signing.keyfiles import PrivateKey
from probatum.signing.trust import STATEMENT_TYPES
from probatum.signing.trustfile import encode_trust, parse_trust

PAGE = Path(__file__).parents[3] / "docs" / "format" / "signatures.md"
SOURCE = Path(evaluate.__code__.co_filename)

# RFC 8032, section 7.1, TEST 1.
SECRET = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")


def block(tag: str) -> bytes:
    found = re.findall(rf"^```json {tag}\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(found) == 1
    return str(found[0]).encode()


def test_the_examples_belong_together() -> None:
    statement = block("statement").removesuffix(b"\n")
    sid = object_id("statement", statement)
    codec.decode("statement", statement)
    key = PrivateKey(Ed25519PrivateKey.from_private_bytes(SECRET))
    signature = sign(statement, key)
    file = block("signature").removesuffix(b"\n")
    assert encode_signature(sid, signature) == file
    assert read_signature(file, sid) == signature
    envelope = block("envelope").removesuffix(b"\n")
    assert build_envelope(statement, [signature]) == envelope
    trust = parse_trust(block("trust"))
    assert encode_trust(trust) == block("trust")
    report = evaluate(
        statement,
        parse_envelope(envelope).signatures,
        trust,
        statement_type="removal",
        now=datetime(2026, 6, 1, tzinfo=UTC),
    )
    assert (report.state, report.checks[0].name) == (State.TRUSTED, "local")


def test_the_page_names_every_state_reason_and_type() -> None:
    page = PAGE.read_text()
    for state in State:
        assert f"| `{state}` |" in page
    for kind in STATEMENT_TYPES:
        assert f"`{kind}`" in page
    reasons = set(re.findall(r'"((?:key|clock|does|bad|revoked)-[a-z-]+)"', SOURCE.read_text()))
    assert len(reasons) == 12
    for reason in reasons:
        assert f"`{reason}`" in page
