"""Manifest files that somebody wrote by hand."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from desk import Desk


def unsigned(desk: Desk, change: Callable[[Any], Any]) -> str:
    """Write an edited manifest without signatures; return its name."""
    desk.call("manifest", "-o", "m.json")
    envelope = json.loads((desk.folder / "m.json").read_text())
    statement = json.loads(base64.b64decode(envelope["payload"]))
    change(statement["predicate"])
    text = json.dumps(statement, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    envelope["payload"] = base64.b64encode(text.encode()).decode()
    envelope["signatures"] = []
    return desk.write("edited.json", json.dumps(envelope) + "\n")


def test_one_without_signatures_is_told_of(desk: Desk) -> None:
    desk.session()
    name = unsigned(desk, lambda it: it.update(invocation="{}"))
    done = desk.call("diff", "m.json", name)
    assert done.code == 0
    assert done.err == "warning: edited.json is not signed: anybody can have changed it\n"
    assert desk.call("diff", "m.json", "m.json").err == ""


def test_one_verdict_is_not_summed_up_in_two_ways(desk: Desk) -> None:
    desk.session("brittle")
    name = unsigned(desk, lambda it: it["cases"][0]["summary"].update(verdict="STABLE", rule="R6"))
    done = desk.call("diff", "m.json", name)
    assert done.code == 7
    assert "error[summary-mismatch]: the verdict of case 'a' is summed up in two ways" in done.err


CHANGES: dict[str, Callable[[Any], Any]] = {
    "case": lambda it: it["cases"][0].update(case="\x1b[31m\u202ex"),
    "verdict": lambda it: it["cases"][0]["summary"].update(verdict="\x1b[2J"),
    "rule": lambda it: it["cases"][0]["summary"].update(rule="\x1b[2J"),
    "worst": lambda it: it["cases"][0]["summary"].update(worst="\x07\u202e"),
    "name": lambda it: it.update(name="\x1b]0;x\x07", verdict="\x9b2J"),
    "twice": lambda it: it["cases"].append(it["cases"][0]),
    "none": lambda it: it.pop("cases"),
    "bare": lambda it: it["cases"][0].pop("summary"),
    "ids": lambda it: it["cases"][0].update(ids=["../../etc/passwd", "\x1b[1m"]),
    "numbers": lambda it: it["cases"][0]["summary"].update(judged=2**53 - 1, passed=2**53 - 1),
}


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_nothing_in_one_reaches_the_terminal(desk: Desk, name: str) -> None:
    desk.session()
    edited = unsigned(desk, CHANGES[name])
    for pair in (("m.json", edited), (edited, "m.json"), (edited, edited)):
        for options in ((), ("--json",)):
            done = desk.call("diff", *pair, *options)
            assert done.code in (0, 4, 5, 7)
            assert "Traceback" not in done.err
            assert not set("\x1b\x07\x9b\u202e") & set(done.out + done.err)
