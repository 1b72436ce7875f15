"""`probatum run`."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from desk import TEXT, Desk, case, is_gone

LONG = "How many days do I have to return a purchase and get all of my money back, please?"
RUNS = 44
"""Of `long_case` below: a baseline, 3 controls, 40 typos."""


def long_case(count: int = 40) -> dict[str, Any]:
    typos = {"type": "typo_noise", "count": count, "rate": 0.1}
    return case(input={"text": LONG}, perturbations=[typos])


def test_a_real_process_says_what_happened(desk: Desk) -> None:
    done = desk.run("run", desk.spec())
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].split()[:3] == ["case", "verdict", "passed"]
    assert lines[1].split()[:3] == ["a", "STABLE", "3/3"]
    assert lines[2].startswith("1 case · STABLE · ")
    assert "signed by local key" in lines[2]
    assert desk.sessions()[0].startswith(lines[2].rpartition(" ")[2])


def test_the_first_run_makes_a_key_and_says_so(desk: Desk) -> None:
    first = desk.call("run", desk.spec())
    assert first.err.count("\n") == 1
    assert f"made a signing key: {desk.config}/keys/local" in first.err
    assert (desk.config / "keys" / "local").stat().st_mode & 0o777 == 0o600
    assert desk.json("trust", "list")["keys"][0]["name"] == "local"
    assert desk.call("run", "spec.yaml").err == ""


def test_the_document(desk: Desk) -> None:
    done = desk.call("run", desk.spec(), "--json")
    assert done.code == 0
    value = done.json
    assert value["document"] == "probatum-run/1"
    assert value["session"] == desk.sessions()[0]
    assert value["store"] == str(desk.store)
    assert value["verdict"] == "STABLE"
    assert value["complete"] is True
    assert value["signed"].startswith("local key ")
    assert value["totals"]["runs"] == 7
    [row] = value["cases"]
    assert (row["case"], row["verdict"], row["passed"]) == ("a", "STABLE", 3)


@pytest.mark.parametrize(
    ("function", "changes", "code", "verdict"),
    [
        ("ok", {}, 0, "STABLE"),
        ("brittle", {}, 1, "FRAGILE"),
        ("wrong", {"expected": {"contains": ["yes"]}}, 2, "CONSISTENTLY_WRONG"),
        ("ok", {"invariants": []}, 2, "INVALID_EVAL"),
        ("ok", {"perturbations": [{"type": "typo_noise", "count": 1}]}, 4, "INSUFFICIENT"),
        ("raises", {}, 4, "INSUFFICIENT"),
    ],
)
def test_the_exit_code_is_the_verdict(
    desk: Desk, function: str, changes: dict[str, Any], code: int, verdict: str
) -> None:
    spec = desk.spec(function, case(**changes))
    done = desk.call("run", spec, "--json")
    assert (done.code, done.json["verdict"]) == (code, verdict)
    assert desk.call("run", spec, "--exit-zero").code == 0


def test_quiet_prints_nothing(desk: Desk) -> None:
    done = desk.call("run", desk.spec("raises"), "-q")
    assert (done.code, done.out, done.err) == (4, "", "")
    assert len(desk.sessions()) == 1


def test_no_sign_leaves_it_unsigned_and_makes_no_key(desk: Desk) -> None:
    done = desk.call("run", desk.spec(), "--no-sign")
    assert done.code == 0
    assert " · unsigned · " in done.out
    assert not desk.config.exists()
    assert not list((desk.store / "sig").iterdir())


def test_tag_names_the_session(desk: Desk) -> None:
    desk.call("run", desk.spec(), "--tag", "release-1")
    assert desk.json("tag")["names"] == {"release-1": desk.sessions()[0]}


def test_a_tag_that_is_no_name_costs_no_call(desk: Desk) -> None:
    desk.call("run", desk.spec("counted"), "--tag", "A B").error(64, "bad-name")
    assert desk.calls() == 0
    assert not desk.store.exists()


def test_a_key_can_be_chosen(desk: Desk) -> None:
    desk.call("key", "new", "ci")
    assert ", not trusted · " in desk.call("run", desk.spec(), "--key", "ci").out
    desk.call("trust", "add", "ci", "ci")
    assert "signed by ci key" in desk.call("run", "spec.yaml", env={"PROBATUM_KEY": "ci"}).out


def test_parallel_calls_overlap(desk: Desk) -> None:
    desk.write(
        "gate.py",
        "import threading, time\n"
        "first, gate = threading.Lock(), threading.Barrier(6)\n"
        "def meet(text):\n"
        "    if first.acquire(blocking=False):\n"
        "        time.sleep(0.02)  # one call tells whether threads are of use\n"
        "    else:\n"
        "        gate.wait(10)\n"
        "    return 'yes: ' + text\n",
    )
    model = {"provider": "python", "name": "gate.py:meet"}
    assert desk.call("run", desk.spec(model=model), "--parallel", "6").code == 0


def test_one_at_a_time_gives_the_same_evidence(desk: Desk) -> None:
    spec = desk.spec()
    verdicts = {
        desk.json("run", spec, "--parallel", parallel)["cases"][0]["verdict_id"]
        for parallel in (1, 8)
    }
    assert len(verdicts) == 1


def test_what_the_system_prints_goes_to_standard_error(desk: Desk) -> None:
    done = desk.run("run", desk.spec("prints"), "--json", "--no-sign")
    assert json.loads(done.out)["verdict"] == "STABLE"
    assert done.err.count("a printed line") == 7


def test_a_failure_is_told_in_the_words_of_the_system(desk: Desk) -> None:
    done = desk.call("run", desk.spec("raises"), "--no-sign")
    assert "7 runs failed" in done.out
    assert done.err == (
        "failed: RuntimeError: boom line two (in case a; probatum inspect --case a)\n"
    )


def test_warnings_go_to_standard_error(desk: Desk) -> None:
    spec = desk.spec("ok", case(verdict_config={"fragile_threshold": 0.5}))
    done = desk.call("run", spec, "--no-sign", "--json")
    assert done.code == 0
    assert done.err.startswith("warning: spec.yaml:")
    assert "fragile_threshold" in done.err
    assert done.json["verdict"] == "STABLE"


def test_a_store_in_memory_leaves_nothing(desk: Desk) -> None:
    done = desk.call("run", desk.spec(), "--store", ":memory:", "--json")
    assert done.code == 0
    assert done.json["store"] == ":memory:"
    assert sorted(path.name for path in desk.folder.iterdir()) == ["spec.yaml", "system.py"]


def test_a_spec_of_version_1_0(desk: Desk) -> None:
    desk.write("faq.py", "def answer(text):\n    return 'Paris.'\n")
    desk.write(
        "old.yaml",
        """\
falsify:
  version: "1.0"
  name: capitals
model:
  provider: python
  model: faq.py:answer
run:
  seed: 42
cases:
  - id: capital
    input:
      text: What is the capital of France?
    expected:
      contains: [Paris]
    perturbations:
      - type: typo_noise
      - type: casing
    invariants:
      - type: contains
        values: [Paris]
        severity: critical
""",
    )
    done = desk.call("run", "old.yaml", "--json")
    assert (done.code, done.json["totals"]["runs"]) == (0, 9)


def test_a_command_is_asked_in_json_lines_or_once_a_process(desk: Desk) -> None:
    desk.write(
        "bot.py",
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    answer = {'id': asked['id'], 'text': 'yes ' + asked['text']}\n"
        "    print(json.dumps(answer), flush=True)\n",
    )
    lines = {"provider": "command", "command": ["python3", "bot.py"]}
    once = {"provider": "command", "mode": "call", "command": ["sed", "s/^/yes /"]}
    for model in (lines, once):
        done = desk.call("run", desk.spec(model=model), "--json")
        assert (done.code, done.json["verdict"]) == (0, "STABLE"), done


def test_recorded_answers(desk: Desk) -> None:
    recording = json.dumps({"text": TEXT, "output": "yes"})
    desk.write("recorded.jsonl", recording + "\n")
    model = {"provider": "fixtures", "model": "recorded.jsonl"}
    done = desk.call("run", desk.spec(model=model))
    assert done.code == 3
    assert "INCOMPLETE, 3 runs missing" in done.out
    assert "missing: no recorded answer for a, perturbation typo_noise" in done.err
    last = done.err.splitlines()[-1]
    assert last.startswith("probatum: error[incomplete]: 3 of the planned runs are missing")
    assert "record the answers" in last
    assert "--resume" not in last


@pytest.mark.parametrize("asked", [[], ["--store", "an other"]])
def test_what_broke_is_pointed_out(desk: Desk, asked: list[str]) -> None:
    broken = case("second one", invariants=[{"type": "contains", "values": ["nowhere"]}])
    spec = desk.spec("ok", case("first"), broken)
    done = desk.call("run", spec, *asked)
    assert done.code == 1
    last = done.err.splitlines()[-1]
    assert last.startswith("see why: probatum inspect --case 'second one'")
    shown = desk.call(*shlex.split(last.removeprefix("see why: probatum ")))
    assert "case second one · FRAGILE" in shown.out
    assert "\nbaseline\n  answer: " in shown.out
    for other in ("--json", "-q"):
        assert "see why" not in desk.call("run", spec, *asked, other).err


def test_missing_runs_are_made_later(desk: Desk) -> None:
    """A program that could not be started is no failure of the system."""
    interpreter = desk.folder / "interpreter"
    script = desk.folder / desk.write("bot", f"#!{interpreter}\necho yes\n")
    script.chmod(0o755)
    model = {"provider": "command", "command": ["./bot"], "mode": "call"}
    done = desk.call("run", desk.spec(model=model), "--exit-zero")
    assert done.code == 3
    assert "error[incomplete]: 7 of the planned runs are missing" in done.err
    [first] = desk.sessions()
    assert f"probatum run --resume {first[:12]})" in done.err
    assert desk.call("verify").code == 0

    interpreter.symlink_to("/bin/sh")
    done = desk.call("run", "--resume", first[:12], "--json")
    assert done.code == 0, done
    assert done.json["complete"] is True
    assert desk.sessions() == [done.json["session"], first]
    assert desk.call("verify", "--all", "--deep").code == 0
    desk.call("run", "--resume").error(3, "nothing-to-resume")


class TestInterrupted:
    """A signal in the middle of a slow system, and what `--resume` then does."""

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_politely(self, desk: Desk, number: signal.Signals) -> None:
        code, err, before = self._stop(desk, number)
        assert code == 130
        assert err.splitlines()[-1] == (
            "probatum: error[interrupted]: interrupted; every answer so far is kept "
            "(finish with: probatum run --resume)"
        )
        assert "Traceback" not in err
        made = self._resume(desk, before)
        # The four calls that were under way are lost, no other.
        assert before - 4 <= RUNS - made <= before

    def test_killed(self, desk: Desk) -> None:
        code, _, before = self._stop(desk, signal.SIGKILL)
        assert code == -signal.SIGKILL
        made = self._resume(desk, before)
        # Answers are made durable twice a second; the last second may be lost.
        assert 0 < RUNS - made <= before

    def test_a_changed_system_is_not_mixed_in(self, desk: Desk) -> None:
        self._stop(desk, signal.SIGINT)
        with (desk.folder / "system.py").open("a") as file:
            file.write("# changed\n")
        desk.call("run", "--resume").error(3, "target-changed")
        assert len(desk.journals()) == 1

    def test_the_spec_says_which_run_is_meant(self, desk: Desk) -> None:
        self._stop(desk, signal.SIGINT)
        whole = (desk.folder / "spec.yaml").read_bytes()
        desk.spec("slow", long_case(), name="other.yaml", parallel=4, seed=8)
        process = desk.start("run", "other.yaml")
        before = desk.calls()
        _wait(process, lambda: desk.calls() > before + 8)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        assert len(desk.journals()) == 2
        assert desk.call("log").err == "2 runs cut short; finish with: probatum run --resume\n"

        desk.write("spec.yaml", whole + b"\n# changed\n")
        desk.call("run", "spec.yaml", "--resume").error(3, "nothing-to-resume")
        desk.write("spec.yaml", whole)
        assert desk.call("run", "spec.yaml", "--resume").code == 0
        assert desk.json("replay")["settings"]
        assert len(desk.journals()) == 1
        desk.call("run", "spec.yaml", "--resume").error(3, "nothing-to-resume")
        assert desk.call("run", "--resume").code == 0
        assert not desk.journals()
        assert len({desk.json("replay", name)["plan"] for name in desk.sessions()}) == 2

    def test_the_newest_is_finished_first(self, desk: Desk) -> None:
        for seed in (1, 2, 3):
            desk.spec("slow", long_case(12), parallel=4, seed=seed)
            process = desk.start("run", "spec.yaml")
            before = desk.calls()
            _wait(process, lambda: desk.calls() > before + 2)  # noqa: B023
            process.kill()
            process.communicate(timeout=20)
        seeds = []
        for _ in range(3):
            assert desk.call("run", "--resume", "-q").code == 0
            plan = desk.json("replay")["plan"]
            seeds.append(json.loads(desk.call("cat", plan).out)["seed"])
        assert seeds == [3, 2, 1]

    def test_while_it_is_going_on_there_is_nothing_to_resume(self, desk: Desk) -> None:
        desk.spec("slow", long_case(), parallel=4)
        process = desk.start("run", "spec.yaml")
        _wait(process, lambda: desk.calls() > 4)
        desk.call("run", "--resume").error(3, "nothing-to-resume")
        [journal] = desk.journals()
        desk.call("run", "--resume", journal.stem).error(3)
        assert process.communicate(timeout=30)[1].count(b"error[") == 0
        assert process.returncode == 0
        assert len(desk.sessions()) == 1

    @pytest.mark.parametrize("mode", ["call", "lines"])
    def test_programs_end_with_the_run(self, desk: Desk, mode: str) -> None:
        desk.write("bot", "echo $$ >> pids\nexec sleep 30\n")
        model = {"provider": "command", "command": ["sh", "bot"], "mode": mode}
        desk.spec(model=model)
        process = desk.start("run", "spec.yaml")
        pids = desk.folder / "pids"
        _wait(process, lambda: pids.exists() and pids.read_text())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        assert process.returncode == 130
        assert all(is_gone(int(pid)) for pid in pids.read_text().split())

    def test_before_anything_began(self, desk: Desk) -> None:
        desk.write("late.py", "import time\nprint('here', flush=True)\ntime.sleep(20)\n")
        desk.spec(model={"provider": "python", "name": "late.py:f"})
        process = desk.start("run", "spec.yaml")
        assert process.stderr is not None
        while b"here" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert process.returncode == 130
        assert err.decode().startswith("probatum: error[interrupted]: interrupted")
        assert desk.nothing_kept()

    def _stop(self, desk: Desk, number: signal.Signals) -> tuple[int, str, int]:
        desk.spec("slow", long_case(), parallel=4)
        process = desk.start("run", "spec.yaml")
        _wait(process, lambda: desk.calls() >= RUNS // 2)
        process.send_signal(number)
        _, err = process.communicate(timeout=20)
        assert not desk.sessions()
        assert len(desk.journals()) == 1
        return process.returncode, err.decode(), desk.calls()

    def _resume(self, desk: Desk, before: int) -> int:
        done = desk.call("run", "--resume", "--json")
        assert done.code == 0, done
        assert done.json["totals"]["runs"] == RUNS
        assert not desk.journals()
        assert desk.sessions() == [done.json["session"]]
        assert desk.call("verify", "--all", "--deep").code == 0
        return desk.calls() - before


def _wait(process: subprocess.Popen[bytes], reached: Any) -> None:
    end = time.monotonic() + 30
    while not reached():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


def test_resume_finds_nothing(desk: Desk) -> None:
    desk.session()
    desk.call("run", "--resume").error(3, "nothing-to-resume")
    desk.call("run", "--resume", "latest").error(3, "nothing-to-resume")


def test_resume_without_a_store(desk: Desk) -> None:
    desk.call("run", "--resume").error(3, "no-store")
    assert not desk.store.exists()


def test_the_quickstart(desk: Desk, repository: Path) -> None:
    done = desk.call("run", repository / "examples" / "quickstart" / "spec.yaml")
    assert done.code == 1
    assert len(done.out.splitlines()) == 7
    assert " · FRAGILE · " in done.out.splitlines()[-1]


def test_several_first_runs_at_once(desk: Desk) -> None:
    """One store, one key and one trust file come of it, and every session."""
    desk.spec()
    processes = [desk.start("run", "spec.yaml", "--json") for _ in range(4)]
    done = [process.communicate(timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, done
    ids = {json.loads(out)["session"] for out, _ in done}
    assert len(ids) == 4
    assert set(desk.sessions()) == ids
    assert [key["name"] for key in desk.json("key", "list")["keys"]] == ["local"]
    assert desk.call("verify", "--all", "--deep", "--require-trust").code == 0
    assert not desk.journals()


def test_the_environment_lists_what_judged(desk: Desk) -> None:
    """In real processes: here other tests have loaded everything already."""

    def packages(spec: str) -> set[str]:
        assert desk.run("run", spec, "-q").code == 0
        return {name for name, _ in desk.json("replay")["environment"]["packages"]}

    plain = packages(desk.spec())
    assert {"msgspec", "pydantic-core", "pyyaml"} <= plain
    rules = [{"type": "regex", "pattern": "yes"}]
    assert packages(desk.spec("ok", case(invariants=rules))) - plain == {"google-re2"}
