"""What a person at a terminal sees, through a real pseudo-terminal."""

from __future__ import annotations

import os
import pty
import subprocess

from desk import Desk


def at_a_terminal(desk: Desk, *args: str) -> tuple[int, str]:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        desk.argv(*args), stdin=theirs, stdout=theirs, stderr=theirs, env=desk.env, cwd=desk.folder
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other end is closed: all is read
            break
        if not data:
            break
        seen += data
    os.close(ours)
    return process.wait(60), seen.decode()


def test_a_run_shows_how_far_it_is_and_colours(desk: Desk) -> None:
    code, seen = at_a_terminal(desk, "run", desk.spec())
    assert code == 0
    assert "\r\x1b[K" in seen
    assert "runs" in seen
    assert "\x1b[32mSTABLE" in seen
    code, seen = at_a_terminal(desk, "run", "spec.yaml", "-q")
    assert (code, seen.replace("\r\x1b[K", "")) == (0, "")


def test_a_passphrase_is_asked_for(desk: Desk) -> None:
    desk.spec()
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        desk.argv("key", "new", "sealed", "--passphrase"),
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=desk.env,
        cwd=desk.folder,
        text=True,
    )
    os.close(theirs)
    assert b"passphrase" in os.read(ours, 4096)
    os.write(ours, b"open sesame\n")
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 0
    assert out.startswith("ssh-ed25519 ")
    opened = desk.call(
        "run", "spec.yaml", "--key", "sealed", env={"PROBATUM_PASSPHRASE": "open sesame"}
    )
    assert opened.code == 0
