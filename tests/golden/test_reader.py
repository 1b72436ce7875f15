"""The independent reader agrees with what the command writes, and imports nothing of it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

READER = Path(__file__).with_name("reader.py")


def read(store: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", READER, store]
    return subprocess.run(command, capture_output=True, text=True)


def test_it_verifies_the_quickstart(repository: Path, tmp_path: Path) -> None:
    spec = repository / "examples" / "quickstart" / "spec.yaml"
    store = tmp_path / "store"
    run = subprocess.run(
        [sys.executable, "-m", "probatum", "run", spec, "--store", store, "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")},
    )
    assert run.returncode == 1, run.stderr
    verdict, objects = read(store).stdout.split()
    assert verdict == json.loads(run.stdout)["verdict"] == "FRAGILE"
    assert int(objects) > 100
    pack = next((store / "pack").iterdir())
    data = bytearray(pack.read_bytes())
    data[len(data) // 2] ^= 1
    pack.write_bytes(data)
    assert read(store).returncode == 1


def test_it_is_short_and_independent() -> None:
    source = READER.read_text("utf-8")
    code = [
        line
        for line in source[source.index("import base64") :].splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    ]
    assert len(code) <= 60
    imports = {
        alias.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert not any(name.startswith("probatum") for name in imports)
    assert "probatum" not in {
        (node.module or "").split(".")[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom)
    }
