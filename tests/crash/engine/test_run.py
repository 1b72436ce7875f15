"""A run that is killed at any step can be finished, and nothing that was kept is asked again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("way", ["whole", "torn"])
def test_a_kill_at_every_write_leaves_the_old_or_the_new_state(way: str, tmp_path: Path) -> None:
    here = Path(__file__)
    source = here.parents[3] / "src"
    done = subprocess.run(
        [sys.executable, here.with_name("driver.py"), tmp_path, way],
        env={**os.environ, "PYTHONPATH": str(source), "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 0, done.stderr
    steps = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(steps) > 20
    assert [step["died"] for step in steps] == [True] * (len(steps) - 1) + [False]
    for step in steps:
        assert step["before"] in (1, 2), step
        assert step["clean_before"], step
        assert step["clean_after"], step
        assert step["after"] == 2, step
        assert step["same"], step
        assert step["left"] == 0, step
        assert step.get("latest", True), step
        assert step.get("calls_as_needed", True), step
    assert {step["before"] for step in steps} == {1, 2}
    assert any(step["journals"] for step in steps)
