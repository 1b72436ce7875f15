"""The committed JSON schemas are those of the code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from probatum.records import codec
from probatum.records.statement import RemovalPredicate, SessionPredicate

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def _document(title: str, types: dict[str, Any]) -> str:
    schemas, definitions = msgspec.json.schema_components(
        list(types.values()), ref_template="#/$defs/{name}"
    )
    named = dict(zip(types, schemas, strict=True))
    document = {"$schema": DRAFT, "title": title, "$defs": definitions}
    if len(named) == 1:
        document |= next(iter(named.values()))
    else:
        document["oneOf"] = list(named.values())
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


SCHEMAS = {
    "records.schema.json": _document("A probatum record of format 1", codec.RECORDS),
    "session-predicate.schema.json": _document(
        "Predicate urn:probatum:attestation:session:v1", {"session": SessionPredicate}
    ),
    "removal-predicate.schema.json": _document(
        "Predicate urn:probatum:attestation:removal:v1", {"removal": RemovalPredicate}
    ),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_fresh(name: str, repository: Path, update_goldens: bool) -> None:
    path = repository / "schemas" / name
    if update_goldens:
        path.write_text(SCHEMAS[name], "utf-8")
    assert path.read_text("utf-8") == SCHEMAS[name]
    jsonschema.Draft202012Validator.check_schema(json.loads(SCHEMAS[name]))


def test_schema_takes_the_golden_records(repository: Path) -> None:
    schema = json.loads((repository / "schemas" / "records.schema.json").read_text("utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    golden = json.loads((repository / "tests" / "golden" / "ids.json").read_text("utf-8"))
    payloads = [json.loads(row["payload"]) for row in golden["objects"] if row["kind"] != "blob"]
    assert len(payloads) >= len(codec.RECORDS)
    for payload in payloads:
        validator.validate(payload)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({**payloads[0], "surplus": 1})
