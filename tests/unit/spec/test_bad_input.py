# ruff: noqa: E501  # tables of exact messages read better a row a line
"""What a person sees for each kind of wrong spec: message, code and hint."""

from __future__ import annotations

from pathlib import Path

import pytest

from probatum.errors import ExitCode, SpecError
from probatum.plugins.registry import Registry
from probatum.spec.load import load_spec

HEAD = (
    'falsify: {version: "1.0", name: n}\nmodel: {provider: python, model: "m:f"}\nrun: {seed: 1}\n'
)
CASE = "- {id: a, input: {text: x}, perturbations: [{type: casing}], invariants: [{type: json_valid}]}\n"


@pytest.mark.parametrize(
    ("data", "message", "code", "hint"),
    [
        (None, "s.yaml: no such file", "no-such-file", "check the path"),
        ("", "s.yaml:1:1: the file is empty", "empty", ""),
        ("a: b: c\n", "s.yaml:1:5: not valid YAML: mapping values are not allowed in this context", "not-yaml", ""),
        (b"a: \xff\n", "s.yaml:1:4: not UTF-8: byte 0xff at offset 3", "not-utf8", "save the file as UTF-8"),
        ("a:\n\tb: c\n", "s.yaml:2:1: a tab where YAML wants spaces", "tab", "indent with spaces"),
        (HEAD + "cases:\n" + CASE + "run: {seed: 2}\n", "s.yaml:6:1: duplicate key 'run' (first at line 3)", "duplicate-key", ""),
        (HEAD + "cases:\n" + CASE + CASE, "s.yaml:6:8: duplicate case id 'a' (first at line 5)", "duplicate-case", ""),
        (HEAD + "cases: []\n", "s.yaml:4:8: cases: there is none; a spec has at least one", "no-cases", ""),
        (HEAD + "cases:\n" + CASE.replace("casing", "cashing"), "s.yaml:5:52: unknown perturbation 'cashing' (did you mean 'casing'?)", "unknown-perturbation", ""),
        (HEAD + "cases:\n" + CASE.replace("casing", "paraphrase"), "s.yaml:5:52: perturbation 'paraphrase' is not available in this release (it will need the extra 'semantic')", "not-available", ""),
    ],
)  # fmt: skip
def test_bad_input(
    data: str | bytes | None,
    message: str,
    code: str,
    hint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    if data is not None:
        Path("s.yaml").write_bytes(data.encode() if isinstance(data, str) else data)
    with pytest.raises(SpecError) as caught:
        load_spec(Path("s.yaml"), Registry())
    error = caught.value
    assert (str(error), error.code, error.hint) == (message, code, hint)
    assert "\n" not in str(error)
    assert error.exit_code is ExitCode.ERROR
