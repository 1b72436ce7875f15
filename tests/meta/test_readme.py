"""What the README shows is what the command prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

VARIES = re.compile(r"\b[0-9a-f]{12}\b|key [0-9a-f]{4}\b|\d{4}-\d\d-\d\dT[0-9:.]+Z|\d+ bytes")


def shown(readme: str, command: str) -> list[str]:
    text = readme[readme.index(f"$ {command}\n") :].split("```", 1)[0]
    return [VARIES.sub("#", line) for line in text.splitlines()[1:]]


def test_the_transcripts_are_real(repository: Path, tmp_path: Path) -> None:
    readme = (repository / "README.md").read_text("utf-8")
    env = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "PROBATUM_STORE": str(tmp_path / "s")}

    def printed(*args: str) -> tuple[int, list[str]]:
        done = subprocess.run(
            [sys.executable, "-m", "probatum", *args],
            cwd=repository,
            env=env,
            capture_output=True,
            text=True,
        )
        return done.returncode, [VARIES.sub("#", line) for line in done.stdout.splitlines()]

    code, lines = printed("run", "examples/quickstart/spec.yaml")
    assert code == 1
    assert "The command answers 1" in readme
    assert lines == shown(readme, "pip install . && probatum run examples/quickstart/spec.yaml")
    code, lines = printed("verify")
    assert code == 0
    for line, said in zip(lines, shown(readme, "probatum verify"), strict=False):
        if said != "…":
            assert line.startswith(said.removesuffix(" …")), said
