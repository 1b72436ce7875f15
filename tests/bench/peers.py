"""Compare probatum with its peer falsifyai on equal work: rate, bytes stored and memory.

Both run the same spec with a callable that does nothing, in processes of their own, taking turns so
that a slow moment of the machine hits both. The report is numbers only; what fails the command is
a wrong result: an execution that was skipped, an error, or a session that does not verify.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import texts
from processes import Run, measure

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
PEER_VERSION = "0.6.5"
PYTHON = (3, 13)  # the only one the peer supports; both sides run on it
VERDICT_CODES = {0, 1, 2, 4}

HEADER = """\
falsify:
  version: "1.0"
  name: "bench"
model:
  provider: "python"
  model: "bench_callable.py:answer"
run:
  seed: 7
cases:
"""
CASE = """\
  - id: "case-{number}"
    input:
      text: {text}
    perturbations:
      - type: "typo_noise"
        count: 5
      - type: "casing"
        variants: ["upper", "lower", "title"]
    invariants:
      - type: "contains"
        values: ["42"]
"""
EXECUTIONS_PER_CASE = 1 + 5 + 3

TEXTS: dict[str, Callable[[int], list[str]]] = {
    "repetitive": texts.repetitive,
    "diverse": texts.diverse,
}


@dataclass(frozen=True)
class Side:
    """One of the two: how it is called, in a folder that holds spec.yaml and store/."""

    name: str
    version: str
    run: tuple[str | Path, ...]
    verify: tuple[str | Path, ...]


@dataclass(frozen=True)
class Sample:
    """What one run cost."""

    wall_s: float
    cpu_s: float
    executions_per_s: float
    peak_rss_bytes: int
    store_bytes: int
    disk_bytes: int


@dataclass(frozen=True)
class Row:
    """One line of the report: a measure, how it is shown, and what we aim for."""

    field: str
    label: str
    scale: float
    form: str
    aim: str


ROWS = (
    Row("executions_per_s", "executions/s", 1, ",.0f", "at least 4"),
    Row("wall_s", "wall, s", 1, ".2f", ""),
    Row("cpu_s", "cpu, s", 1, ".2f", ""),
    Row("store_bytes", "bytes stored, MB", 1e6, ".2f", "at most 0.25"),
    Row("disk_bytes", "disk blocks used, MB", 1e6, ".2f", ""),
    Row("peak_rss_bytes", "peak memory, MB", 1e6, ".1f", "at most 0.5"),
)


def main() -> int:
    """Run the comparison, print the table and write the JSON."""
    options = _options()
    environments = _outside_checkout(options.venvs)
    python = _python(options.python)
    makers = {"peer": _peer, "ours": _ours}
    chosen = [options.only] if options.only else list(makers)
    sides = [makers[key](environments, python) for key in chosen]
    results = {
        name: _compare(sides, make(options.cases), options.rounds, environments / "home")
        for name, make in TEXTS.items()
    }
    report = {
        "executions": options.cases * EXECUTIONS_PER_CASE,
        "rounds": options.rounds,
        "machine": _machine(),
        "versions": {side.name: side.version for side in sides},
        "python": _ask(python, "import platform; print(platform.python_version())"),
        "texts": {name: _summary(samples) for name, samples in results.items()},
    }
    print(_table(report, sides))
    if options.out:
        options.out.write_text(json.dumps(report, indent=2) + "\n", "utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="write the numbers to this JSON file")
    parser.add_argument("--only", choices=("peer", "ours"), help="measure one side")
    parser.add_argument("--rounds", type=int, default=9, help="measured runs of each side and text")
    parser.add_argument("--cases", type=int, default=1_000, help="cases in the spec")
    parser.add_argument("--python", help="a Python 3.13; found on PATH if left out")
    parser.add_argument(
        "--venvs",
        type=Path,
        default=Path(tempfile.gettempdir(), "probatum-bench"),
        help="keep the two environments here; must be outside of the checkout",
    )
    return parser.parse_args()


def _outside_checkout(folder: Path) -> Path:
    folder = folder.resolve()
    if folder.is_relative_to(CHECKOUT):
        sys.exit("--venvs must be outside of the checkout")
    # A home of their own: a side may keep keys or settings there, and must not touch the user's.
    (folder / "home").mkdir(parents=True, exist_ok=True)
    return folder


def _python(given: str | None) -> Path:
    """Find the interpreter, seeing through shims by asking each for what it really is."""
    code = f"import sys; assert sys.version_info[:2] == {PYTHON}; print(sys.executable)"
    for candidate in filter(None, (given, sys.executable, shutil.which("python3.13"))):
        try:
            return Path(_ask(candidate, code))
        except subprocess.CalledProcessError:
            continue
    sys.exit("no Python 3.13 found; name one with --python")


def _ask(python: str | Path, code: str) -> str:
    done = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _environment(folder: Path, python: Path, requirement: str | Path) -> Path:
    """Make a virtual environment if it is missing, and install into it; return its bin folder."""
    binaries = folder / "bin"
    if not (binaries / "python").exists():
        subprocess.run([python, "-m", "venv", folder], check=True)
    pip = ("-m", "pip", "--disable-pip-version-check", "install", "--quiet", requirement)
    subprocess.run((binaries / "python", *pip), check=True)
    return binaries


def _version(binaries: Path, distribution: str) -> str:
    code = f"from importlib.metadata import version; print(version({distribution!r}))"
    return _ask(binaries / "python", code)


def _peer(environments: Path, python: Path) -> Side:
    binaries = _environment(environments / "peer", python, f"falsifyai=={PEER_VERSION}")
    store = ("--store-path", "store/replays.db")
    return Side(
        name="falsifyai",
        version=_version(binaries, "falsifyai"),
        run=(binaries / "python", HERE / "peer_driver.py", "run", "spec.yaml", *store),
        verify=(binaries / "falsifyai", "verify", "--all", *store),
    )


def _ours(environments: Path, python: Path) -> Side:
    binaries = _environment(environments / "ours", python, CHECKOUT)
    command = binaries / "probatum"
    return Side(
        name="probatum",
        version=_version(binaries, "probatum"),
        run=(command, "run", "spec.yaml", "--store", "store", "-q"),
        verify=(command, "verify", "latest", "--store", "store"),
    )


def _compare(
    sides: Sequence[Side], inputs: list[str], rounds: int, home: Path
) -> dict[str, list[Sample]]:
    """Let the sides take turns; a first round that is not counted fills the caches of both."""
    samples: dict[str, list[Sample]] = {side.name: [] for side in sides}
    for number in range(rounds + 1):
        for side in sides:
            sample = _once(side, inputs, home)
            if number:
                samples[side.name].append(sample)
    return samples


def _once(side: Side, inputs: list[str], home: Path) -> Sample:
    env = {**os.environ, "HOME": str(home)}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        work = Path(folder)
        (work / "store").mkdir()
        write_spec(work / "spec.yaml", inputs)
        shutil.copy(HERE / "bench_callable.py", work)
        run = measure(side.run, work, env)
        sizes = [path.stat() for path in _files(work / "store")]
        _check(side, run, VERDICT_CODES, "run")
        _check_count(side, work / "calls", len(inputs) * EXECUTIONS_PER_CASE)
        _check(side, measure(side.verify, work, env), {0}, "verify")
    return Sample(
        wall_s=run.wall_s,
        cpu_s=run.cpu_s,
        executions_per_s=len(inputs) * EXECUTIONS_PER_CASE / run.wall_s,
        peak_rss_bytes=run.peak_rss_bytes,
        store_bytes=sum(size.st_size for size in sizes),
        disk_bytes=sum(size.st_blocks * 512 for size in sizes),
    )


def write_spec(path: Path, inputs: list[str]) -> None:
    """Write one spec with a case for each input, in the format that both sides read."""
    # A JSON string is a YAML string, and quoting it so leaves nothing to either parser's guess.
    cases = (CASE.format(number=i, text=json.dumps(text)) for i, text in enumerate(inputs))
    path.write_text(HEADER + "".join(cases), "utf-8")


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _check(side: Side, run: Run, codes: set[int], what: str) -> None:
    if run.code not in codes:
        sys.exit(f"{side.name} {what} ended with code {run.code}\n{run.errors[-2_000:]}")


def _check_count(side: Side, calls: Path, expected: int) -> None:
    done = calls.stat().st_size if calls.exists() else 0
    if done != expected:
        sys.exit(f"{side.name} made {done} executions, not {expected}")


def _machine() -> dict[str, str | int | None]:
    return {"system": platform.system(), "machine": platform.machine(), "cpus": os.cpu_count()}


def _summary(samples: dict[str, list[Sample]]) -> dict[str, Any]:
    medians = {
        name: {row.field: median(getattr(s, row.field) for s in runs) for row in ROWS}
        for name, runs in samples.items()
    }
    summary: dict[str, Any] = {"median": medians}
    if len(medians) == 2:
        # Round by round: a machine whose speed drifts is as fast for both sides of a round.
        rounds = list(zip(*samples.values(), strict=True))
        summary["ours_to_peer"] = {
            row.field: round(
                median(
                    getattr(ours, row.field) / getattr(peer, row.field) for peer, ours in rounds
                ),
                4,
            )
            for row in ROWS
        }
    summary["samples"] = {name: [asdict(s) for s in runs] for name, runs in samples.items()}
    return summary


def _table(report: dict[str, Any], sides: Sequence[Side]) -> str:
    names = [f"{side.name} {side.version}" for side in sides]
    rounds = f"medians of {report['rounds']} interleaved rounds, ratios round by round"
    work = f"{report['executions']:,} executions, {rounds}"
    lines = [
        f"{work}, Python {report['python']}",
        "",
        f"| text | measure | {' | '.join(names)} | ours/peer | aim |",
        "|---|---|" + "---:|" * (len(names) + 1) + "---|",
    ]
    for text, summary in report["texts"].items():
        medians = summary["median"].values()
        ratios = summary.get("ours_to_peer", {})
        for row in ROWS:
            values = [format(side[row.field] / row.scale, row.form) for side in medians]
            ratio = f"{ratios[row.field]:.2f}" if ratios else ""
            lines.append(f"| {text} | {row.label} | {' | '.join(values)} | {ratio} | {row.aim} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
