"""Every command's `--json`: one document, on standard output alone, as docs/json.md lists it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from desk import Desk

COMMANDS = [
    ("run spec.yaml", "run"),
    ("log", "log"),
    ("replay", "replay"),
    ("inspect", "inspect"),
    ("history a", "history"),
    ("diff latest~1 latest", "diff"),
    ("verify", "verify"),
    ("verify --deep", "verify"),
    ("verify --all", "verify-all"),
    ("init --store other", "init"),
    ("cat {statement}", "object"),
    ("cat {blob}", "object"),
    ("manifest -o m.json", "manifest"),
    ("tag", "tags"),
    ("tag v2", "tag"),
    ("tag -d v1", "tag"),
    ("baseline", "baselines"),
    ("baseline main", "baseline"),
    ("rm latest", "removal"),
    ("key new ci", "key"),
    ("key show", "key"),
    ("key list", "keys"),
    ("trust list", "trust"),
    ("trust add x other", "trust"),
    ("trust remove local", "trust"),
    ("trust retire local", "trust"),
    ("trust revoke local", "trust"),
    ("trust import signers", "trust-import"),
]


def documented(repository: Path) -> dict[str, set[str]]:
    """Return the top-level fields of every document in docs/json.md."""
    found: dict[str, set[str]] = {}
    name = ""
    for line in (repository / "docs" / "json.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if heading := re.fullmatch(r"## `probatum-([a-z-]+)/1`", line):
            name = heading[1]
            found[name] = set()
        elif line.startswith("## "):
            name = ""
        elif name and line.startswith("| `"):
            found[name] |= {field.partition(".")[0] for field in re.findall(r"`([^`]+)`", cells[0])}
        elif line.startswith("| `probatum-"):
            for short in re.findall(r"`probatum-([a-z-]+)/1`", cells[0]):
                found[short] = set(re.findall(r"`([a-z_]+)`", cells[1]))
    return found


@pytest.mark.parametrize(("words", "document"), COMMANDS, ids=[words for words, _ in COMMANDS])
def test_one_document_with_the_fields_of_the_page(
    desk: Desk, repository: Path, words: str, document: str
) -> None:
    first = desk.session()
    desk.session("brittle")
    desk.call("tag", "v1")
    key = desk.call("key", "new", "other").out.split()
    desk.write("signers", f"bob {key[0]} {key[1]}\n")
    blob = json.loads(
        desk.call("cat", json.loads(desk.call("cat", first).out)["predicate"]["root"]).out
    )
    args = words.format(statement=first, blob=blob["sources"][0]["content"]).split()

    done = desk.call(*args, "--json")
    assert done.code in {0, 1, 5}, done
    assert done.err == ""
    assert done.out.isascii()
    assert done.out.endswith("}\n")
    value = json.loads(done.out, parse_float=pytest.fail, parse_constant=pytest.fail)
    assert value["document"] == f"probatum-{document}/1"
    page = documented(repository)
    if document == "object":
        page["object"] |= {"value", "base64"}
    elif document == "trust":
        page["trust"] |= {"version", "digest", "keys", "rules"}
    assert set(value) - {"document"} <= page[document]


def test_every_document_of_the_page_is_printed_by_a_command(repository: Path) -> None:
    assert set(documented(repository)) == {document for _, document in COMMANDS}


def test_an_error_prints_no_document(desk: Desk) -> None:
    desk.session()
    for words in (
        "replay nope",
        "inspect --case nope",
        "verify nope",
        "run nope.yaml",
        "cat 01234567",
    ):
        assert desk.call(*words.split(), "--json").out == ""
