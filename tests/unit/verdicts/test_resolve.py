"""The whole function: what it stores, and that it depends on nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec

from probatum.records import codec
from probatum.records.base import UNSET

SRC = Path(__file__).parents[3] / "src"


def test_a_verdict_names_its_case_and_trials(scene, fam):
    made = scene((fam("typo", 5, 5),))
    parts = made.parts()
    verdict = made.verdict()
    assert verdict.case == parts["case_id"]
    assert verdict.trials == parts["trials_id"]
    assert verdict.claim is UNSET
    assert codec.decode("verdict", codec.encode(verdict)) == verdict


def test_the_system_at_rest(scene, fam):
    verdict = scene(
        (fam("typo", 5, 5),),
        baseline=("pass", "fail"),
        control=(("pass", "empty"), ("raised", "pass")),
        repeats=2,
    ).verdict()
    assert msgspec.to_builtins(verdict.at_rest) == {"n": 4, "passed": 3, "answers": 3}


def test_the_order_of_declarations_does_not_matter(scene, fam):
    families = (fam("b", 5, 4), fam("a", 3, 3, possible=3), fam("c", 2, 2))
    one, other = scene(families).verdict(), scene(families[::-1]).verdict()
    assert one == msgspec.structs.replace(other, case=one.case, trials=one.trials)


def test_a_verdict_does_not_know_the_hash_seed(tmp_path):
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from builder import Scene, fam\n"
        "from probatum.records import codec\n"
        "scene = Scene((fam('typo', 5, 4), fam('casing', 3, 3)), control=('raised', 'pass'))\n"
        "print(codec.identify(scene.verdict()))\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program, str(Path(__file__).parent)],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(SRC)},
            capture_output=True,
            check=True,
            text=True,
            cwd=tmp_path,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(found) == 1


def test_only_msgspec_is_loaded():
    """Verification resolves verdicts again and must stay light."""
    program = (
        "import sys, probatum.verdicts\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & set(sys.argv[1:])))\n"
    )
    heavy = ["numpy", "scipy", "pydantic_core", "yaml", "httpx", "rich", "click", "jsonschema"]
    done = subprocess.run(
        [sys.executable, "-c", program, *heavy],
        env=os.environ | {"PYTHONPATH": str(SRC)},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.strip() == "[]"
