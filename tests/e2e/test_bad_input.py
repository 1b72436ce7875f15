"""What goes wrong around a run: systems, stores, keys. One line, the right code, nothing lost.

Wrong specs are in `test_bad_spec.py`, damaged evidence is in `test_damage.py`.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from desk import Desk, case, is_gone, snapshot


def command(*argv: str, mode: str = "call") -> dict[str, Any]:
    return {"provider": "command", "command": list(argv), "mode": mode}


class TestSystems:
    """A system that fails by itself is a result: the session is complete and says why."""

    @pytest.mark.parametrize(
        ("function", "failure", "words"),
        [
            ("raises", "raised", "RuntimeError: boom"),
            ("none", "malformed", "returned NoneType, not str"),
            ("number", "malformed", "returned int, not str"),
            ("leaves", "raised", "SystemExit: 3"),
        ],
    )
    def test_a_callable_that_fails(
        self, desk: Desk, function: str, failure: str, words: str
    ) -> None:
        done = desk.call("run", desk.spec(function), "--no-sign", "--json")
        self._failed(desk, done, failure, words)

    def test_a_callable_that_hangs(self, desk: Desk) -> None:
        spec = desk.spec("hangs", timeout_seconds=0.2)
        done = desk.run("run", spec, "--no-sign", "--json", timeout=20)
        self._failed(desk, done, "timeout", "no answer in 0.2 s")

    @pytest.mark.parametrize(
        ("model", "failure", "words"),
        [
            (command("sh", "-c", "echo oops >&2; exit 1"), "exited", "oops"),
            (command("sh", "-c", "exit 1", mode="lines"), "exited", "1"),
            (command("sh", "-c", "kill -9 $$"), "exited", "9"),
            (command("head", "-c", "50000000", "/dev/zero"), "too-large", "16 MiB"),
            (command("head", "-c", "50000000", "/dev/zero", mode="lines"), "too-large", "MiB"),
            (command("echo", "hello", mode="lines"), "malformed", "JSON"),
            (command("printf", "\\377\\n", mode="lines"), "malformed", ""),
        ],
        ids=["exit", "exit lines", "killed", "50 MB", "50 MB lines", "no JSON", "not UTF-8 lines"],
    )
    def test_a_command_that_fails(
        self, desk: Desk, model: dict[str, Any], failure: str, words: str
    ) -> None:
        few = case(perturbations=[{"type": "typo_noise", "count": 2}])
        done = desk.call("run", desk.spec("", few, model=model), "--no-sign", "--json")
        self._failed(desk, done, failure, words)

    def test_a_command_that_hangs(self, desk: Desk) -> None:
        desk.write("bot", "echo $$ >> pids\nexec sleep 20\n")
        spec = desk.spec(model=command("sh", "bot"), timeout_seconds=0.3)
        done = desk.call("run", spec, "--no-sign", "--json")
        self._failed(desk, done, "timeout", "no answer in 0.3 s")
        pids = (desk.folder / "pids").read_text().split()
        assert pids
        assert all(is_gone(int(pid)) for pid in pids)

    def _failed(self, desk: Desk, done: Any, failure: str, words: str) -> None:
        assert done.code == 4, done
        assert done.json["verdict"] == "INSUFFICIENT"
        assert done.json["complete"] is True
        assert "Traceback" not in done.err
        assert done.err.startswith("failed: ")
        assert words in done.err
        runs = [run for arm in desk.json("inspect")["arms"] for run in arm["runs"]]
        assert {run["failure"] for run in runs} == {failure}
        assert desk.call("verify").code == 0

    @pytest.mark.parametrize(
        ("function", "model"),
        [("surrogate", None), ("", command("printf", "yes \\377"))],
        ids=["a lone surrogate", "a command's invalid UTF-8"],
    )
    def test_an_answer_that_is_no_text_is_kept_and_not_judged(
        self, desk: Desk, function: str, model: Any
    ) -> None:
        done = desk.call("run", desk.spec(function, model=model), "--no-sign", "--json")
        assert done.code == 4, done
        assert done.json["complete"] is True
        [first, *_] = desk.json("inspect")["arms"]
        [run] = first["runs"]
        assert (run["text"], run["bytes"]) == ("", 5 if model else 7)
        assert [item["record"]["reason"] for item in run["judgments"]] == ["not-text"]
        assert desk.call("inspect").code == 0
        assert desk.call("verify", "--deep").code == 0

    @pytest.mark.parametrize(
        ("model", "code"),
        [
            ({"provider": "python", "name": "system.py:nothere"}, "no-such-function"),
            ({"provider": "python", "name": "system.py:HERE"}, "not-callable"),
            ({"provider": "python", "name": "nope.py:f"}, "no-such-file"),
            ({"provider": "python", "name": "no_such_module:f"}, "no-such-module"),
            ({"provider": "python", "name": "system.py"}, "bad-target"),
            ({"provider": "python", "name": "broken.py:f"}, "import-error"),
            ({"provider": "python", "name": "leaves.py:f"}, "import-error"),
            ({"provider": "python", "name": "none.py:f"}, "bad-signature"),
            (command("no-such-program"), "no-such-program"),
            (command("./no-such-program"), "no-such-program"),
            (command("./system.py"), "no-such-program"),
            ({"provider": "fixtures", "model": "nope.jsonl"}, "no-such-file"),
            ({"provider": "fixtures", "model": "system.py"}, "bad-recording"),
        ],
    )
    def test_a_system_that_cannot_be_set_up(
        self, desk: Desk, model: dict[str, Any], code: str
    ) -> None:
        desk.write("broken.py", "x = 1\ndef f(:\n")
        desk.write("leaves.py", "raise SystemExit(0)\n")
        desk.write("none.py", "def f():\n    return ''\n")
        desk.call("run", desk.spec(model=model), "--no-sign").error(3, code)
        assert desk.nothing_kept()

    def test_a_file_that_prints_while_it_is_imported(self, desk: Desk) -> None:
        desk.write("loud.py", "print('loud')\ndef f(text):\n    return 'yes'\n")
        model = {"provider": "python", "name": "loud.py:f"}
        done = desk.run("run", desk.spec(model=model), "--json", "--no-sign")
        assert done.json["verdict"] == "STABLE"
        assert done.err == "loud\n"


@contextlib.contextmanager
def mounted(place: Path, *options: str) -> Iterator[Path]:
    """Mount a small file system, which only root may."""
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", ",".join(options), "none", str(place)], capture_output=True
    )
    if done.returncode:
        pytest.skip(f"mounting is not permitted here: {done.stderr.decode().strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


class TestStores:
    """A store that cannot be used, or not any more."""

    @pytest.mark.parametrize("verb", ["run", "log", "verify", "replay", "tag", "init"])
    def test_a_file(self, desk: Desk, verb: str) -> None:
        desk.write("afile", "hello")
        args = ["run", desk.spec("counted")] if verb == "run" else [verb]
        desk.call(*args, "--store", "afile").error(3, "not-a-folder")
        desk.call(*args, "--store", "afile/below").error(3)
        assert (desk.folder / "afile").read_text() == "hello"
        assert desk.calls() == 0

    def test_a_folder_with_other_things_in_it(self, desk: Desk) -> None:
        desk.write("photos/cat.jpg", "meow")
        desk.call("run", desk.spec("counted"), "--store", "photos").error(3, "not-a-store")
        desk.call("log", "--store", "photos").error(3, "no-store")
        assert sorted(path.name for path in (desk.folder / "photos").iterdir()) == ["cat.jpg"]
        assert desk.calls() == 0

    @pytest.mark.parametrize(
        "verb", ["log", "verify", "replay", "inspect", "history a", "cat 01234567", "manifest",
                 "tag", "baseline", "tag x", "rm latest", "diff latest~1 latest", "run --resume"],
    )  # fmt: skip
    def test_none(self, desk: Desk, verb: str) -> None:
        words = desk.call(*verb.split()).error(3, "no-store")
        assert "probatum run" in words
        assert not desk.store.exists()

    def test_of_a_newer_format(self, desk: Desk) -> None:
        desk.session("counted")
        calls = desk.calls()
        marker = desk.store / "store.json"
        marker.write_text(marker.read_text().replace("probatum-store/1", "probatum-store/2"))
        before = snapshot(desk.store)
        for args in (["run", "spec.yaml"], ["log"], ["verify", "--all"], ["init"], ["tag", "x"]):
            words = desk.call(*args).error(3, "newer-format")
            assert "newer probatum" in words
        assert snapshot(desk.store) == before
        assert desk.calls() == calls

    @pytest.mark.parametrize("data", [b"", b"{}", b"hello", b'{"format":"other/1"}'])
    def test_with_a_damaged_description(self, desk: Desk, data: bytes) -> None:
        desk.session()
        (desk.store / "store.json").write_bytes(data)
        before = snapshot(desk.store)
        for args in (["run", "spec.yaml"], ["log"], ["verify", "--all"]):
            desk.call(*args).error(7, "store-damaged")
        assert snapshot(desk.store) == before

    def test_on_a_read_only_mount(self, desk: Desk) -> None:
        with mounted(desk.folder / "disk") as disk:
            place = disk / "store"
            desk.call("run", desk.spec("counted"), "--store", place, "-q")
            calls = desk.calls()
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
            before = snapshot(place)
            for args in (
                ["run", "spec.yaml"],
                ["tag", "x"],
                ["tag", "-d", "x"],
                ["rm", "latest"],
                ["baseline", "main"],
            ):
                code = "unknown-name" if "-d" in args else "read-only"
                desk.call(*args, "--store", place).error(3, code)
            desk.call("run", "spec.yaml", "--store", disk / "other").error(3, "read-only")
            desk.call("manifest", "--store", place, "-o", disk / "m").error(3, "unwritable")
            assert desk.calls() == calls
            for verb in ("log", "verify", "replay", "inspect", "manifest", "tag", "init"):
                assert desk.call(verb, "--store", place).code == 0
            assert desk.call("verify", "--all", "--deep", "--store", place).code == 0
            assert snapshot(place) == before

    def test_full(self, desk: Desk) -> None:
        """Nothing that was there is lost, and what was answered can be gone on from."""
        desk.write(
            "big.py",
            "import random\n"
            "def big(text):\n"
            "    with open(__file__ + '.calls', 'a') as file:\n"
            "        file.write('x')\n"
            "    letters = random.Random(text).choices('abcdefghijklmnop', k=60000)\n"
            "    return 'yes ' + ''.join(letters)\n",
        )
        big = case("big", perturbations=[{"type": "typo_noise", "count": 60}])
        desk.spec("", big, model={"provider": "python", "name": "big.py:big"}, name="big.yaml")
        with mounted(desk.folder / "disk", "size=1m") as disk:
            place = disk / "store"
            desk.call("run", desk.spec(), "--store", place, "-q")
            before = snapshot(place)

            words = desk.call("run", "big.yaml", "--store", place).error(3, "no-space")
            assert "--resume" in words
            after = snapshot(place)
            assert before.items() <= after.items()
            new = [name for name in after if name not in before]
            assert [Path(name).suffix for name in new] == [".pbj"]
            assert len(desk.sessions(place)) == 1
            assert desk.call("verify", "--all", "--store", place).code == 0

            with (disk / "pad").open("wb", buffering=0) as file, contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * 4096)
            desk.call("tag", "x", "--store", place).error(3, "no-space")
            desk.call("run", "spec.yaml", "--store", place).error(3, "no-space")
            desk.call("run", "spec.yaml", "--store", disk / "other").error(3, "no-space")

            subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
            calls = (desk.folder / "big.py.calls").stat().st_size
            assert desk.call("run", "--resume", "--store", place).code == 0
            runs = desk.json("replay", "--store", place)["totals"]["runs"]
            again = (desk.folder / "big.py.calls").stat().st_size - calls
            assert 0 < again < runs
            assert len(desk.sessions(place)) == 2
            assert desk.call("verify", "--all", "--deep", "--store", place).code == 0

    def test_a_key_folder_that_cannot_be_written(self, desk: Desk) -> None:
        desk.write("afile", "")
        env = {"XDG_CONFIG_HOME": str(desk.folder / "afile")}
        desk.call("run", desk.spec("counted"), env=env).error(3)
        desk.call("key", "new", "x", env=env).error(3)
        desk.call("trust", "add", "x", "x", env=env).error(3)
        assert desk.calls() == 0
        assert not desk.store.exists()


class TestKeys:
    """A key that must not, or cannot, sign: told before anything is called."""

    @pytest.fixture(autouse=True)
    def _ready(self, desk: Desk) -> None:
        desk.session("ok")
        desk.spec("counted")
        self.before = snapshot(desk.store)

    def _refused(self, desk: Desk, code: str, *args: str, env: Any = None) -> str:
        for verb in (["run", "spec.yaml"], ["rm", "latest"]):
            words = desk.call(*verb, *args, env=env).error(3, code)
        assert desk.calls() == 0
        assert snapshot(desk.store) == self.before
        return words

    @pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o620])
    def test_that_others_may_read(self, desk: Desk, mode: int) -> None:
        path = desk.config / "keys" / "local"
        path.chmod(mode)
        assert f"chmod 600 {path}" in self._refused(desk, "key-exposed")
        desk.call("key", "show").error(3, "key-exposed")
        assert "may be read by others" in desk.call("key", "list").out

    def test_that_is_sealed(self, desk: Desk) -> None:
        secret = {"PROBATUM_PASSPHRASE": "open sesame"}
        assert desk.call("key", "new", "safe", "--passphrase", env=secret).code == 0
        key = ("--key", "safe")
        assert "PROBATUM_PASSPHRASE" in self._refused(desk, "passphrase-missing", *key)
        self._refused(desk, "passphrase-missing", *key, env={"PROBATUM_PASSPHRASE": ""})
        self._refused(desk, "passphrase-wrong", *key, env={"PROBATUM_PASSPHRASE": "wrong"})
        done = desk.call("run", "spec.yaml", *key, env=secret)
        assert done.code == 0
        assert "open sesame" not in done.out + done.err

    def test_that_is_not_there(self, desk: Desk) -> None:
        assert "local" in self._refused(desk, "key-missing", "--key", "locla")
        self._refused(desk, "key-missing", env={"PROBATUM_KEY": "nope"})
        self._refused(desk, "key-missing", "--key", "./nope")

    def test_that_is_no_key(self, desk: Desk) -> None:
        path = desk.config / "keys" / "local"
        whole = path.read_bytes()
        for data in (b"", b"hello", whole[: len(whole) // 2], whole.replace(b"OPENSSH", b"RSA")):
            path.write_bytes(data)
            self._refused(desk, "")
        path.unlink()
        path.mkdir()
        self._refused(desk, "")

    def test_that_is_a_link(self, desk: Desk) -> None:
        path = desk.config / "keys" / "local"
        path.rename(desk.root / "elsewhere")
        path.symlink_to(desk.root / "elsewhere")
        self._refused(desk, "key-symlink")

    def test_in_a_git_work_tree(self, desk: Desk) -> None:
        (desk.root / ".git").mkdir()
        self._refused(desk, "key-in-git")


class TestStreams:
    """Standard streams that are closed, full, or that nobody reads."""

    @pytest.mark.parametrize("closed", [0, 1, 2])
    @pytest.mark.parametrize("verb", ["run spec.yaml", "log", "nope"])
    def test_closed(self, desk: Desk, closed: int, verb: str) -> None:
        desk.session()
        code = {"run spec.yaml": 0, "log": 0, "nope": 64}[verb]
        shell = f'exec "$@" {closed}>&-'
        done = subprocess.run(
            ["sh", "-c", shell, "sh", *desk.argv(*verb.split())],
            cwd=desk.folder,
            env=desk.env,
            capture_output=True,
            timeout=30,
        )
        assert done.returncode == code, done
        assert b"Traceback" not in done.stderr
        assert len(desk.sessions()) == (2 if verb.startswith("run") else 1)
        assert desk.call("verify", "--all").code == 0

    def test_full(self, desk: Desk) -> None:
        desk.session()
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                desk.argv("log"), cwd=desk.folder, env=desk.env, stdout=full, stderr=-1, timeout=30
            )
        assert done.returncode == 3
        lines = done.stderr.decode().splitlines()
        assert len(lines) == 1
        assert lines[0].startswith("probatum: error[unwritable]: standard output")

    def test_nobody_reads(self, desk: Desk) -> None:
        desk.session()
        reader, writer = os.pipe()
        os.close(reader)
        for verb, code in (("log", 0), ("verify", 0), ("--help", 0), ("run spec.yaml", 1)):
            desk.spec("brittle")
            done = subprocess.run(
                desk.argv(*verb.split()),
                cwd=desk.folder,
                env=desk.env,
                stdout=writer,
                stderr=-1,
                timeout=30,
            )
            said = b"see why: probatum inspect --case a --failing\n" if code else b""
            assert (done.returncode, done.stderr) == (code, said), verb
        os.close(writer)

    def test_another_locale(self, desk: Desk) -> None:
        desk.write("echo.py", "def f(text):\n    return 'yes \\u00e9\\u4e2d\\U0001f600'\n")
        spec = desk.spec(model={"provider": "python", "name": "echo.py:f"})
        env = {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
        assert desk.run("run", spec, env=env).code == 0
        done = desk.run("inspect", env=env)
        assert done.code == 0
        assert "é中😀" in done.out
        assert json.loads(desk.run("inspect", "--json", env=env).out)


def test_the_folder_is_gone(desk: Desk) -> None:
    gone = desk.folder / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["sh", "-c", 'rmdir ../gone; exec "$@"', "sh", *desk.argv("log")],
        cwd=gone,
        env=desk.env,
        capture_output=True,
        timeout=30,
    )
    assert done.returncode == 3
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("probatum: error[environment]: ")
