"""Manifest files travel without a store, and are read strictly."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sessions import NOW, Built, build, trusting

from probatum.errors import IntegrityError, LimitError, NotFoundError
from probatum.evidence import manifest as module
from probatum.evidence.manifest import build_manifest, check_manifest, read_manifest
from probatum.records.base import UNSET, StatementId
from probatum.signing import State
from probatum.store import Store


@pytest.fixture(scope="module")
def built() -> Built:
    return build(seeds=(7, 8))


@pytest.fixture(scope="module")
def many() -> Built:
    cases: dict[str, set[int]] = {f"case-{number:04d}": set() for number in range(1_001)}
    return build(cases=cases, typos=0)


def test_what_is_written_is_read(built: Built) -> None:
    data = build_manifest(built.store, built.statement)
    assert data == build_manifest(built.store, built.statement)
    assert data.count(b"\n") == 1
    found = read_manifest(data)
    assert found.statement_id == built.statement
    assert found.payload == built.store.get(built.statement).payload
    assert [row.case for row in found.rows] == ["alpha", "beta"]
    assert (len(found.signatures), found.tables) == (2, ())
    report = check_manifest(found, trusting(7, 8), now=NOW)
    assert report.state is State.TRUSTED
    assert report.counted == 2


def test_unsigned(built: Built) -> None:
    bare = build(seeds=())
    found = read_manifest(build_manifest(bare.store, bare.statement))
    assert check_manifest(found, trusting(7), now=NOW).state is State.UNSIGNED


def test_many_cases_travel_as_tables(many: Built) -> None:
    data = build_manifest(many.store, many.statement)
    found = read_manifest(data)
    assert len(found.rows) == 1_001
    assert data.count(b"\n") == 1 + len(found.tables) > 2
    names = [json.loads(line)["id"] for line in data.splitlines()[1:]]
    assert tuple(names) == found.statement.predicate.tables


def test_line_ends_and_layout_do_not_matter(built: Built, many: Built) -> None:
    for session in (built, many):
        data = build_manifest(session.store, session.statement)
        whole = read_manifest(data)
        assert read_manifest(data.replace(b"\n", b"\r\n")) == whole
        assert read_manifest(data.rstrip(b"\n")) == whole
        assert read_manifest(data + b"\n") == whole
    pretty = json.dumps(json.loads(build_manifest(built.store, built.statement)), indent=2)
    assert read_manifest(pretty.encode()).statement_id == built.statement


def test_changed_statement_no_longer_verifies(built: Built) -> None:
    envelope = json.loads(build_manifest(built.store, built.statement))
    statement = json.loads(base64.b64decode(envelope["payload"]))
    statement["predicate"]["verdict"] = "STABLE"
    text = msgspec.json.encode(statement, order="sorted")
    envelope["payload"] = base64.b64encode(text).decode()
    found = read_manifest(json.dumps(envelope).encode())
    assert found.statement_id != built.statement
    assert check_manifest(found, trusting(7), now=NOW).state is State.INVALID


def broken_lines(data: bytes) -> dict[str, bytes]:
    """Return manifests of many cases that are not whole."""
    first, second, *rest = data.splitlines(keepends=True)
    value = json.loads(second)
    return {
        "one gone": b"".join([first, *rest]),
        "order": b"".join([first, *rest, second]),
        "one more": data + second,
        "changed": data.replace(b'"STABLE"', b'"FRAGILE"', 1)
        if b'"STABLE"' in data
        else data.replace(b"INSUFFICIENT", b"INVALID_EVAL", 1),
        "id": b"".join([first, second.replace(value["id"].encode(), b"0" * 64), *rest]),
        "kind": b"".join([first, second.replace(b'"kind":"table"', b'"kind":"spec"', 1), *rest]),
        "more fields": b"".join([first, second.replace(b'{"id"', b'{"a":1,"id"', 1), *rest]),
        "cut": data[:-20],
        "deep": b"".join([first, b"[" * 100_000 + b"]" * 100_000 + b"\n"]),
        "not UTF-8": b"".join([first, second[:-3] + b'\xff"\n', *rest]),
    }


@pytest.mark.parametrize("name", sorted(broken_lines(b"{}\n" + b'{"id":"x"}\n' + b"{}\n")))
def test_tables_must_be_those_that_are_named(many: Built, name: str) -> None:
    data = broken_lines(build_manifest(many.store, many.statement))[name]
    with pytest.raises(IntegrityError) as caught:
        read_manifest(data)
    assert caught.value.code in ("bad-manifest", "bad-record")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "bad-manifest"),
        (b" \n\n", "bad-manifest"),
        (b"nonsense", "bad-envelope"),
        (b"{}", "bad-envelope"),
        (b"[]\n{}", "bad-envelope"),
    ],
)
def test_no_manifest_at_all(data: bytes, code: str) -> None:
    with pytest.raises(IntegrityError) as caught:
        read_manifest(data)
    assert caught.value.code == code


def test_a_table_that_is_none(many: Built) -> None:
    """Its id is right, but it is not what a results table is."""

    def other(record: Any) -> Any:
        return msgspec.structs.replace(record, kinds=("verdict", "trials"))

    cases: dict[str, set[int]] = {f"case-{number:04d}": set() for number in range(1_001)}
    built = build(cases=cases, typos=0, hooks={"results:0": other})
    with pytest.raises(IntegrityError, match="verdict and executions"):
        read_manifest(build_manifest(built.store, built.statement))


def test_limits(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    data = build_manifest(built.store, built.statement)
    monkeypatch.setattr(module, "MAX_LINE", 100)
    with pytest.raises(LimitError, match="line"):
        read_manifest(data)
    monkeypatch.setattr(module, "MAX_FILE", 100)
    with pytest.raises(LimitError, match="over the limit of 100"):
        read_manifest(data)


def test_what_cannot_be_written(built: Built, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        build_manifest(built.store, StatementId("0" * 64))
    with pytest.raises(IntegrityError, match="not a session"):
        build_manifest(built.store, built.ids["spec"])
    store = Store.open(tmp_path / "store", create=True)
    damaged = build(store=store)
    (file,) = (tmp_path / "store" / "sig").iterdir()
    file.chmod(0o600)
    file.write_bytes(b"{}")
    with pytest.raises(IntegrityError, match=r"signature of .* is damaged"):
        build_manifest(store, damaged.statement)


def test_statement_with_neither_cases_nor_tables() -> None:
    def neither(record: Any) -> Any:
        predicate = msgspec.structs.replace(record.predicate, cases=UNSET)
        return msgspec.structs.replace(record, predicate=predicate)

    built = build(hooks={"statement": neither})
    assert read_manifest(build_manifest(built.store, built.statement)).rows == ()
