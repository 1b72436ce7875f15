"""What a fresh process loads: checking evidence must stay light, and safe to do anywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import probatum
from probatum.cli.app import VERBS

PROBE = """
import json, sys
before = set(sys.modules)
from probatum.cli.app import invoke
sys.stdout.flush()
code = invoke(sys.argv[1:])
loaded = {
    name: getattr(module, "__file__", None)
    for name, module in list(sys.modules.items())
    if name not in before
}
print(json.dumps({"code": code, "loaded": loaded}), file=sys.stderr)
"""

VERIFIER = {"click", "cryptography", "msgspec", "zstandard"}
"""Third parties that checking evidence may load."""

BACKENDS = {"_cffi_backend", "cffi", "typing_extensions"}
"""What those bring along, where it is installed."""

AUTHORS = ("engine", "invariants", "perturbations", "plugins.registry", "providers", "spec")
"""Modules that make evidence; reading it needs none of them."""

SPEC = """\
probatum: {version: "1", name: light}
model: {provider: python, name: "system.py:answer"}
run: {seed: 1}
cases:
  - id: a
    input: {text: hello world out there}
    perturbations: [{type: typo_noise, count: 3}]
    invariants: [{type: contains, values: ["yes"]}]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished, signed session."""
    place = tmp_path_factory.mktemp("light")
    (place / "spec.yaml").write_text(SPEC)
    (place / "system.py").write_text("def answer(text):\n    return 'yes ' + text\n")
    assert third_parties(loaded(place, "run", "spec.yaml")) >= {"yaml"}
    return place


def loaded(place: Path, *args: str) -> dict[str, str | None]:
    """Return the modules, with their files, that a command loads in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *args],
        cwd=place,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(Path(probatum.__file__).parents[1]),
            "HOME": str(place),
            "XDG_CONFIG_HOME": str(place / "config"),
        },
        capture_output=True,
        timeout=60,
    )
    value = json.loads(done.stderr.decode().splitlines()[-1])
    assert value["code"] == 0, done
    modules: dict[str, str | None] = value["loaded"]
    return modules


def third_parties(modules: dict[str, str | None]) -> set[str]:
    """Return the packages among them that are neither ours nor the standard library's."""
    names = {name.partition(".")[0] for name, file in modules.items() if file is not None}
    return {
        name
        for name in names
        if name not in sys.stdlib_module_names and name not in {"probatum", "__main__"}
    }


@pytest.mark.parametrize(
    "words", ["verify", "verify --all", "verify --quick", "log", "replay", "inspect", "manifest"]
)
def test_reading_loads_four_packages(folder: Path, words: str) -> None:
    modules = loaded(folder, *words.split())
    assert third_parties(modules) - BACKENDS <= VERIFIER
    assert not set(modules) & {f"probatum.{name}" for name in AUTHORS}


def test_verify_loads_these_and_no_others(folder: Path) -> None:
    assert third_parties(loaded(folder, "verify")) - BACKENDS == VERIFIER


def test_verify_loads_no_private_key_code(folder: Path) -> None:
    assert "probatum.signing.keyfiles" not in loaded(folder, "verify")


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_load_click_alone(folder: Path, option: str) -> None:
    modules = loaded(folder, option)
    assert third_parties(modules) == {"click"}
    assert not {f"probatum.cli.{verb}" for verb in VERBS} & set(modules)


def test_a_run_loads_nothing_heavy(folder: Path) -> None:
    modules = third_parties(loaded(folder, "run", "spec.yaml"))
    assert not modules & {"httpx", "jsonschema", "numpy", "pydantic", "re2", "rich"}
