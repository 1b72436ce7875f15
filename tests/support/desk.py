"""A person at a desk: a folder, a home, and the real command.

`Desk.run` starts a real process. `Desk.call` does the same through
`probatum.cli.app.invoke` in this one, which is many times faster.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import probatum
from probatum.cli.app import invoke

SOURCE = Path(probatum.__file__).parents[1]
ERROR = re.compile(r"probatum: error\[([a-z0-9-]+)\]: (.+)")

SYSTEM = '''\
import time
from pathlib import Path

HERE = Path(__file__).parent

def ok(text):
    return "yes: " + text

def wrong(text):
    return "no"

def brittle(text):
    """Right as long as nothing was changed."""
    return "yes" if text == "hello world out there" else "no"

def counted(text):
    with open(HERE / "calls", "a") as file:
        file.write("x")
    return "yes: " + text

def slow(text):
    counted(text)
    time.sleep(0.15)
    return "yes: " + text

def raises(text):
    raise RuntimeError("boom\\nline two")

def none(text):
    return None

def number(text):
    return 3

def surrogate(text):
    return "yes \\ud800"

def hangs(text):
    time.sleep(5)
    return "yes"

def prints(text):
    print("a printed line")
    return "yes: " + text

def leaves(text):
    raise SystemExit(3)
'''

TEXT = "hello world out there"


class Done(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output."""
        return json.loads(self.out)

    def error(self, code: int, word: str = "") -> str:
        """Assert that one error line, with a code and a hint, is all there is; return it."""
        assert self.code == code, self
        assert self.out == "", self
        lines = self.err.splitlines()
        assert "Traceback" not in self.err, self
        assert lines, self
        found = ERROR.fullmatch(lines[-1])
        assert found is not None, self
        assert not any(ERROR.match(line) for line in lines[:-1]), self
        assert lines[-1].endswith(")"), f"no hint: {lines[-1]}"
        assert lines[-1].count("\\n") == 0, self
        if word:
            assert found[1] == word, self
        return lines[-1]


def case(name: str = "a", **changes: Any) -> dict[str, Any]:
    """Return a case with three typos that wants a `yes`."""
    value: dict[str, Any] = {
        "id": name,
        "input": {"text": TEXT},
        "perturbations": [{"type": "typo_noise", "count": 3}],
        "invariants": [{"type": "contains", "values": ["yes"]}],
    }
    return {**value, **changes}


class Desk:
    """A folder to work in, with an environment that has nothing else in it."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
        self.root = root
        self.folder = root / "work"
        self.config = root / "config" / "probatum"
        self.store = self.folder / ".probatum"
        self._monkeypatch = monkeypatch
        self._capfd = capfd
        self.folder.mkdir()
        (root / "home").mkdir()
        self.env = {
            "HOME": str(root / "home"),
            "XDG_CONFIG_HOME": str(root / "config"),
            "PATH": os.environ["PATH"],
            **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")},
            "PYTHONPATH": str(SOURCE),
            "LANG": "C.UTF-8",
        }

    # Running

    def run(self, *args: object, env: Mapping[str, str] | None = None, **kwargs: Any) -> Done:
        """Run the command as a process."""
        kwargs = {"timeout": 60, "stdin": subprocess.DEVNULL, "cwd": self.folder, **kwargs}
        done = subprocess.run(
            self.argv(*args), env={**self.env, **(env or {})}, capture_output=True, **kwargs
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *args: object, **kwargs: Any) -> subprocess.Popen[bytes]:
        """Start the command as a process."""
        return subprocess.Popen(
            self.argv(*args),
            env=self.env,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **kwargs,
        )

    def argv(self, *args: object) -> list[str]:
        """Return the command's whole argument list."""
        return [sys.executable, "-m", "probatum", *map(str, args)]

    def call(
        self, *args: object, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> Done:
        """Run the command in this process."""
        self._capfd.readouterr()
        with self._monkeypatch.context() as patch:
            for name in [name for name in os.environ if name.startswith("PROBATUM_")]:
                patch.delenv(name)
            for name, value in {**self.env, **(env or {})}.items():
                patch.setenv(name, value)
            patch.chdir(cwd or self.folder)
            code = invoke([str(arg) for arg in args])
        out, err = self._capfd.readouterr()
        return Done(code, out, err)

    def json(self, *args: object, **kwargs: Any) -> Any:
        """Run the command with ``--json`` and return its document."""
        return self.call(*args, "--json", **kwargs).json

    # Writing

    def write(self, name: str, text: str | bytes) -> str:
        """Write a file in the folder and return its name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def spec(
        self,
        function: str = "ok",
        *cases: dict[str, Any],
        name: str = "spec.yaml",
        model: Any = None,
        **run: Any,
    ) -> str:
        """Write a spec, and the system beside it; return the spec's name."""
        self.write("system.py", SYSTEM)
        value = {
            "probatum": {"version": "1", "name": "desk"},
            "model": model or {"provider": "python", "name": f"system.py:{function}"},
            "run": {"seed": 7, **run},
            "cases": list(cases) or [case()],
        }
        # JSON is YAML, so no second way of writing specs is needed here.
        return self.write(name, json.dumps(value, indent=1, ensure_ascii=False))

    def session(self, function: str = "ok", *cases: dict[str, Any], **run: Any) -> str:
        """Make a session and return its id."""
        done = self.call("run", self.spec(function, *cases, **run), "--json", "--exit-zero")
        assert done.code == 0, done
        found: str = done.json["session"]
        return found

    # Looking

    def sessions(self, store: Path | None = None) -> list[str]:
        """Return the ids of all sessions, newest first."""
        found = self.json("log", "--store", store or self.store)
        return [entry["session"] for entry in found["sessions"]]

    def journals(self) -> list[Path]:
        """Return the journals in the store."""
        return sorted((self.store / "tmp").glob("*.pbj"))

    def nothing_kept(self, store: Path | None = None) -> bool:
        """Tell whether there is no store, or one without a session or a trace of one."""
        place = store or self.store
        if not (place / "store.json").exists():
            return not list(place.rglob("*")) if place.exists() else True
        return not self.sessions(place) and not list((place / "tmp").iterdir())

    def calls(self) -> int:
        """Return how often the systems that count were called."""
        path = self.folder / "calls"
        return len(path.read_text()) if path.exists() else 0


def is_gone(pid: int) -> bool:
    """Tell whether a process has ended, or does so within a second."""
    for _ in range(50):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def snapshot(folder: Path) -> dict[str, str]:
    """Return every file of a store with the hash of its bytes, but for locks and caches."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "lock" and "cache" not in path.parts
    }
