"""Measure one whole process: what a user waits for and pays, interpreter start included."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Run:
    """One finished process."""

    code: int
    wall_s: float
    cpu_s: float
    peak_rss_bytes: int
    errors: str


def measure(argv: Sequence[str | Path], cwd: Path, env: Mapping[str, str] | None = None) -> Run:
    """Run a command to its end and return its code and costs, those of its children included.

    Its output is thrown away, so that neither a terminal nor a pipe slows it. The kernel counts
    the memory of the process it was forked from into the peak, so callers must stay small.
    """
    log, nothing = cwd / "stderr.txt", subprocess.DEVNULL
    with log.open("wb") as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            argv, cwd=cwd, env=env, stdin=nothing, stdout=nothing, stderr=errors
        )
        # wait4 and not getrusage(RUSAGE_CHILDREN): that peak is over all children so far.
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    return Run(
        code=process.returncode,
        wall_s=wall,
        cpu_s=usage.ru_utime + usage.ru_stime,
        peak_rss_bytes=usage.ru_maxrss * _RSS_UNIT,
        errors=log.read_text("utf-8", "replace"),
    )
