"""Whatever a spec file holds, loading it gives a spec or one of our own errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from probatum.errors import ProbatumError, SpecError
from probatum.plugins.registry import Registry
from probatum.spec import tree
from probatum.spec.load import load_spec

REGISTRY = Registry()
BASE = b"""\
falsify: {version: "1.0", name: n}
model: {provider: python, model: "m:f"}
run: {seed: 1}
cases:
  - id: a
    tags: [x]
    input: {text: hello there}
    expected: {contains: [x], reference: y}
    perturbations: [{type: typo_noise, rate: 0.5}, &c {type: casing}]
    invariants:
      - {type: contains, values: [x], severity: low}
      - {type: schema_match, schema: {type: object}}
    verdict_config: {stable_threshold: 0.9, claim: {stability: 0.9}}
"""


def refusal(data: bytes) -> ProbatumError | None:
    try:
        load_spec(Path("s.yaml"), REGISTRY, files={"s.yaml": data})
    except ProbatumError as error:
        return error
    return None


def load(data: bytes) -> None:
    error = refusal(data)
    if error is not None:
        assert str(error).startswith("s.yaml")
    if isinstance(error, SpecError):
        assert error.problems
        assert all(problem.startswith("s.yaml:") for problem in error.problems)


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    load(data)


@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    load(text.encode("utf-8", "surrogatepass"))


FRAGMENTS = st.sampled_from(
    [
        b"\t",
        b"\n",
        b"  ",
        b": ",
        b"- ",
        b"{",
        b"}",
        b"[",
        b"]",
        b"&a ",
        b"*a",
        b"*c",
        b"<<: *c",
        b"!x ",
        b"'",
        b'"',
        b"|\n",
        b"---\n",
        b"...\n",
        b"? ",
        b"# ",
        b"%YAML 1.2\n",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\x00",
        b"~",
        b"null",
        b".nan",
        b"-.inf",
        b"1e99",
        b"9" * 70,
        b"0x1",
        b"true",
        b"yes",
        b"@",
        b"`",
        b"\xc2\x85",
        b"\xe2\x80\xa8",
        b"cases",
        b"type: plugin",
        b"${A}",
        b"\\ud800",
        b"sk-0123456789abcdefghij",
    ]
)


@given(st.lists(st.tuples(st.integers(0, len(BASE)), FRAGMENTS, st.integers(0, 12)), max_size=3))
def test_broken_specs(breaks: list[tuple[int, bytes, int]]) -> None:
    data = BASE
    for at, fragment, length in breaks:
        data = data[:at] + fragment + data[at + length :]
    load(data)


KEYS = st.sampled_from(
    [
        "falsify",
        "probatum",
        "version",
        "name",
        "model",
        "provider",
        "run",
        "seed",
        "cases",
        "id",
        "input",
        "text",
        "messages",
        "role",
        "content",
        "tools",
        "expected",
        "contains",
        "type",
        "perturbations",
        "invariants",
        "values",
        "schema",
        "params",
        "count",
        "rate",
        "claim",
        "x",
    ]
)
SCALARS = st.sampled_from(
    [
        "",
        "~",
        "1",
        "0.5",
        "true",
        "python",
        "command",
        "typo_noise",
        "casing",
        "contains",
        "regex",
        "length",
        "schema_match",
        "paraphrase",
        "plugin",
        "user",
        "'1.0'",
        "'1'",
        "'x'",
        "[]",
        "{}",
        "1e64",
    ]
)


def flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return str(value)


TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4)
)
SKELETON = "falsify: {{version: '1.0', name: n}}\nmodel: {}\nrun: {}\ncases: {}\n"
CASE = "[{{id: a, input: {}, perturbations: [{}], invariants: [{}], expected: {}}}]"


@given(st.lists(TREES, min_size=6, max_size=6))
def test_any_tree_in_any_place(parts: list[Any]) -> None:
    model, run, *of_case = map(flow, parts)
    load(SKELETON.format(model, run, CASE.format(*of_case)).encode())
    load(SKELETON.format(model, run, flow(parts[2])).encode())


TEXTS = st.text(
    st.characters(
        exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029\ufeff\ufffe\uffff"
    ),
    min_size=1,
    max_size=30,
)


@settings(max_examples=50)
@given(TEXTS)
@pytest.mark.parametrize("pure", [False, True])
def test_quoted_text_stays_as_typed(pure: bool, text: str) -> None:
    document = yaml.safe_dump({"a": text}, default_style='"', allow_unicode=True, width=1_000)
    assert tree.parse("s.yaml", document, pure=pure).value == {"a": text}
