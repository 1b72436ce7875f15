"""Specs that are wrong: one line with a place, a code and a hint, before anything is called."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from desk import Desk, case

GOOD = """\
probatum: {version: "1", name: desk}
model: {provider: python, name: "system.py:counted"}
run: {seed: 1}
cases:
  - id: a
    input: {text: "hello world out there"}
    perturbations: [{type: typo_noise, count: 3}]
    invariants: [{type: contains, values: ["yes"]}]
"""

SECOND = GOOD[GOOD.index("  - id: a") :]

CHANGES = [
    # name, what is replaced, by what, code, line, what the message names
    ("duplicate key", "run: {seed: 1}", "run: {seed: 1}\nrun: {}", "duplicate-key", 4, "run"),
    ("duplicate case", SECOND, SECOND + SECOND, "duplicate-case", 9, "'a'"),
    ("zero cases", "cases:\n" + SECOND, "cases: []\n", "no-cases", 4, "cases"),
    ("no cases", "cases:\n" + SECOND, "", "missing-key", 1, "cases"),
    ("no seed", "{seed: 1}", "{}", "missing-key", 3, "seed"),
    ("unknown perturbation", "typo_noise", "typo_nois", "unknown-perturbation", 7, "typo_noise"),
    ("unknown invariant", "contains", "contain", "unknown-invariant", 8, "contains"),
    ("unknown provider", "provider: python", "provider: pyton", "unknown-provider", 2, "python"),
    ("unknown key", "seed: 1", "sed: 1, seed: 1", "unknown-key", 3, "seed"),
    ("unknown parameter", "count: 3", "cuont: 3", "unknown-key", 7, "count"),
    ("extra", "contains, values: [\"yes\"]", "semantic_equivalence, threshold: 0.8",
     "not-available", 8, "'semantic'"),
    ("later perturbation", "typo_noise, count: 3", "paraphrase", "not-available", 7, "paraphrase"),
    ("plugin", "typo_noise, count: 3", "plugin, name: x", "not-available", 7, "plugin"),
    ("later provider", "provider: python", "provider: openai", "not-available", 2, "openai"),
    ("wrong type", "count: 3", "count: three", "", 7, "count"),
    ("negative", "count: 3", "count: -3", "", 7, "count"),
    ("bad regex", "contains, values: [\"yes\"]", "regex, pattern: \"(\"", "", 8, "pattern"),
    ("no version", "version: \"1\", ", "", "missing-key", 1, "version"),
    ("other version", "version: \"1\"", "version: \"9\"", "", 1, "version"),
    ("credential", "name: \"system.py:counted\"",
     "name: \"system.py:counted\", api_key: sk-abcdefghijklmnopqrstuvwx", "", 2, "api_key"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "named"),
    [row[1:] for row in CHANGES],
    ids=[r[0] for r in CHANGES],
)
def test_one_mistake_is_one_line(
    desk: Desk, old: str, new: str, code: str, line: int, named: str
) -> None:
    desk.spec()
    assert GOOD.count(old) >= 1
    desk.write("spec.yaml", GOOD.replace(old, new, 1))
    done = desk.call("run", "spec.yaml")
    words = done.error(3, code)
    assert done.err.count("\n") == 1
    assert re.search(rf": spec\.yaml:{line}:\d+: ", words), words
    assert named in words
    assert "sk-abc" not in words
    assert desk.calls() == 0
    assert not desk.store.exists()
    assert not desk.config.exists()


WHOLE: list[tuple[str, bytes, str]] = [
    ("empty", b"", "empty"),
    ("blank", b"\n\n  \n", "empty"),
    ("only a comment", b"# nothing yet\n", "empty"),
    ("not YAML", b"a: [1, 2\n", "not-yaml"),
    ("not YAML either", b'a: "b\n', "not-yaml"),
    ("not UTF-8", GOOD.replace("desk", "d\u00e9sk").encode("latin-1"), "not-utf8"),
    ("UTF-16", GOOD.encode("utf-16"), "not-utf8"),
    ("binary", bytes(range(256)), "not-utf8"),
    ("NUL", GOOD.replace("desk", "de\\0sk").encode() + b"\0", "not-yaml"),
    ("tabs", GOOD.replace("    input", "\tinput").encode(), "tab"),
    ("a list", b"- 1\n- 2\n", ""),
    ("a word", b"hello\n", ""),
    ("two documents", (GOOD + "---\n" + GOOD).encode(), ""),
    ("too deep", b"a: " + b"[" * 500 + b"]" * 500 + b"\n", "limit"),
    (
        "a bomb",
        b"a: &a [x,x,x,x,x,x,x,x,x,x]\n"
        + b"".join(
            b"%c: &%c [%s]\n" % (97 + i, 97 + i, b",".join([b"*%c" % (96 + i)] * 10))
            for i in range(1, 10)
        ),
        "limit",
    ),
    ("a tag that runs", b"a: !!python/object/apply:os.system ['touch gotcha']\n", ""),
]


@pytest.mark.parametrize(("data", "code"), [row[1:] for row in WHOLE], ids=[r[0] for r in WHOLE])
def test_a_file_that_is_no_spec(desk: Desk, data: bytes, code: str) -> None:
    desk.write("spec.yaml", data)
    done = desk.call("run", "spec.yaml")
    words = done.error(3, code)
    assert done.err.count("\n") == 1
    assert "spec.yaml" in words
    assert not desk.store.exists()
    assert not (desk.folder / "gotcha").exists()


def test_no_such_file(desk: Desk) -> None:
    assert "nope.yaml" in desk.call("run", "nope.yaml").error(3, "no-such-file")
    assert "nope.yaml" in desk.call("run", "nope.yaml", "--resume").error(3, "no-such-file")
    assert not desk.store.exists()


def test_a_path_that_is_not_utf8(desk: Desk) -> None:
    desk.spec("counted")
    (desk.folder / "spec.yaml").rename(desk.folder / "sp\udce9c.yaml")
    desk.call("run", "sp\udce9c.yaml").error(3, "not-utf8")
    assert desk.calls() == 0
    assert not desk.config.exists()


def test_a_folder(desk: Desk) -> None:
    assert "a folder" in desk.call("run", ".").error(3, "unreadable")


def test_all_mistakes_at_once(desk: Desk) -> None:
    spec = desk.spec(
        "ok", case(perturbations=[{"type": "nope"}]), case("b", invariants=[{}]), case()
    )
    done = desk.call("run", spec)
    assert "3 problems" in done.error(3, "bad-spec")
    problems = done.err.splitlines()[:-1]
    places = [re.match(r"spec\.yaml:(\d+):(\d+): ", line) for line in problems]
    assert len(problems) == 3
    assert all(places)
    numbers = [int(place[1]) for place in places if place]
    assert numbers == sorted(numbers)


def test_escape_sequences_in_a_spec_are_shown_not_sent(desk: Desk) -> None:
    desk.write("spec.yaml", GOOD.replace("typo_noise", '"\\e[31mred"'))
    done = desk.call("run", "spec.yaml")
    done.error(3, "unknown-perturbation")
    assert "\x1b" not in done.err


def test_a_document_that_is_not_there(desk: Desk) -> None:
    rule = {"type": "schema_match", "schema": "nope.json"}
    words = desk.call("run", desk.spec("ok", case(invariants=[rule]))).error(3)
    assert "nope.json" in words
    assert not desk.store.exists()


def test_yaml_surprises_are_said_and_change_nothing(desk: Desk) -> None:
    """What YAML 1.1 would make a boolean, a time or a number stays what was typed."""
    desk.write("echo.py", "def echo(text):\n    return text\n")
    words = ["no", "12:30", "2024-01-01", "1e3", "017", "~"]
    cases = [
        f"  - id: c{number}\n    input: {{text: {word}}}\n"
        f"    invariants: [{{type: equals, value: {word}, severity: high}}]\n"
        "    perturbations: []\n"
        for number, word in enumerate(words)
    ]
    head = GOOD[: GOOD.index("  - id: a")].replace("system.py:counted", "echo.py:echo")
    desk.write("spec.yaml", head + "".join(cases))
    done = desk.call("run", "spec.yaml", "--exit-zero")
    assert done.code == 0, done
    for number, word in enumerate(words):
        view = desk.json("inspect", "--case", f"c{number}")
        [message] = view["case"]["record"]["input"]["messages"]
        assert message["content"] == word
        assert view["arms"][0]["runs"][0]["text"] == word


def test_the_quickstart_has_no_mistake(desk: Desk, repository: Path) -> None:
    spec = repository / "examples" / "quickstart" / "spec.yaml"
    assert json.loads(desk.call("run", spec, "--json").out)["complete"] is True
