"""Measure what a user feels at every call: `--version`, and `verify` of a small signed session.

Whole processes of the `probatum` installed beside the Python that runs this script, next to the
same Python doing nothing, which is the floor. Also shows which heavy dependencies each call loads.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import texts
from peers import HERE, VERDICT_CODES, write_spec
from processes import measure

ROUNDS = 15
CASES = 75  # about 13 objects each, so about 1,000
HEAVY = ("numpy", "httpx", "pydantic_core", "yaml", "rich", "jsonschema")
COMMAND = Path(sys.executable).with_name("probatum")

# Runs the installed script as it is, and says afterwards what it left in sys.modules.
SPY = """
import json, runpy, sys
heavy, sys.argv = json.loads(sys.argv[1]), sys.argv[2:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit:
    pass
print("\\n" + json.dumps([name for name in heavy if name in sys.modules]))
"""


def main() -> int:
    """Print medians in milliseconds and the modules that were loaded."""
    with tempfile.TemporaryDirectory(prefix="bench-startup-") as folder:
        work = Path(folder)
        report("python -c pass", (sys.executable, "-c", "pass"), work)
        report("probatum --version", (COMMAND, "--version"), work, spy=True)
        make_session(work)
        verify = (COMMAND, "verify", "latest", "--store", "store")
        report("probatum verify", verify, work, spy=True)
    return 0


def report(label: str, argv: Sequence[str | Path], work: Path, *, spy: bool = False) -> None:
    """Run one command `ROUNDS` times and print its median."""
    runs = [measure(argv, work, home(work)) for _ in range(ROUNDS)]
    failed = next((run for run in runs if run.code), None)
    if failed:
        sys.exit(f"{label} ended with code {failed.code}\n{failed.errors[-2_000:]}")
    line = f"{label}: {median(run.wall_s for run in runs) * 1e3:.0f} ms"
    if spy:
        line += f", loads {', '.join(loaded(argv, work)) or 'none'} of {', '.join(HEAVY)}"
    print(line, flush=True)


def loaded(argv: Sequence[str | Path], work: Path) -> list[str]:
    """Return which of `HEAVY` a call of our command imports."""
    spy = (sys.executable, "-c", SPY, json.dumps(HEAVY), *argv)
    done = subprocess.run(spy, cwd=work, env=home(work), check=True, capture_output=True, text=True)
    names: list[str] = json.loads(done.stdout.splitlines()[-1])
    return names


def home(work: Path) -> dict[str, str]:
    """Return an environment whose home is `work`, so that no key or setting reaches the user's."""
    kept = {name: value for name, value in os.environ.items() if name != "XDG_CONFIG_HOME"}
    return {**kept, "HOME": str(work)}


def make_session(work: Path) -> None:
    """Store one signed session of about a thousand objects."""
    write_spec(work / "spec.yaml", texts.diverse(CASES))
    shutil.copy(HERE / "bench_callable.py", work)
    run = measure((COMMAND, "run", "spec.yaml", "--store", "store", "-q"), work, home(work))
    if run.code not in VERDICT_CODES:
        sys.exit(f"run ended with code {run.code}\n{run.errors[-2_000:]}")


if __name__ == "__main__":
    sys.exit(main())
