"""`probatum verify` of whole evidence; damaged evidence is in `test_damage.py`."""

from __future__ import annotations

import pytest
from desk import Desk, case, snapshot

AXES = ["bytes", "canonical", "closure", "inventory", "signature", "trust", "time", "chain",
        "verdicts"]  # fmt: skip


@pytest.mark.parametrize("function", ["ok", "brittle", "raises", "surrogate", "none"])
def test_whatever_the_verdict_good_evidence_verifies(desk: Desk, function: str) -> None:
    session = desk.session(function)
    before = snapshot(desk.store)
    for extra in (
        [],
        ["--quick"],
        ["--deep"],
        ["--all"],
        ["--all", "--deep"],
        ["--all", "--quick"],
    ):
        done = desk.call("verify", *extra)
        assert (done.code, done.err) == (0, ""), done
        assert session[:12] in done.out
        assert "verified" in done.out
        assert "error[" not in done.out
    assert snapshot(desk.store) == before


def test_a_real_process(desk: Desk) -> None:
    desk.session()
    done = desk.run("verify")
    assert (done.code, done.err) == (0, "")
    first = done.out.splitlines()[0]
    assert first.startswith(f"session {desk.sessions()[0][:12]} · verified · desk · STABLE · ")
    assert first.rpartition(" · ")[2].startswith("signed by local key ")
    for axis in AXES:
        assert f"\n   {axis} " in done.out


def test_its_document(desk: Desk) -> None:
    session = desk.session()
    value = desk.json("verify")
    assert value["document"] == "probatum-verify/1"
    assert (value["session"], value["verified"], value["trusted"]) == (session, True, True)
    assert list(value["axes"]) == AXES
    assert value["exit_codes"] == [0]
    assert value["signatures"]["state"] == "trusted"
    assert value["runs"] == 7
    assert value["objects"]["perturbation"] == 3


def test_the_document_of_all(desk: Desk) -> None:
    ids = [desk.session(), desk.session("brittle")][::-1]
    value = desk.json("verify", "--all")
    assert value["document"] == "probatum-verify-all/1"
    assert [session["session"] for session in value["sessions"]] == ids
    assert (value["verified"], value["trusted"], value["findings"]) == (True, True, [])


def test_deep_says_what_can_never_be_derived(desk: Desk) -> None:
    desk.session()
    shallow = {item["what"] for item in desk.json("verify")["not_rederived"]}
    deep = {item["what"] for item in desk.json("verify", "--deep")["not_rederived"]}
    assert shallow == {"answers", "spec", "perturbations", "judgments", "falsifiability"}
    assert deep == {"answers"}
    assert desk.json("verify", "--deep")["deep"] is True
    assert desk.json("verify", "--quick")["quick"] is True


def test_nothing_is_called_or_read_beside_the_store(desk: Desk) -> None:
    desk.session("counted")
    calls = desk.calls()
    for name in ("spec.yaml", "system.py"):
        (desk.folder / name).unlink()
    assert desk.call("verify", "--all", "--deep").code == 0
    assert desk.calls() == calls


class TestTrust:
    def test_unsigned(self, desk: Desk) -> None:
        desk.call("run", desk.spec(), "--no-sign", "-q")
        assert desk.call("verify").code == 0
        done = desk.call("verify", "--require-trust")
        assert done.code == 8
        assert "no trust file" in done.err
        assert "not trusted, as --require-trust demands" in done.err
        assert desk.call("verify", "--all", "--require-trust").code == 8
        assert desk.json("verify")["signatures"]["state"] == "unsigned"

    def test_by_somebody_unknown(self, desk: Desk) -> None:
        desk.session()
        stranger = {"XDG_CONFIG_HOME": str(desk.root / "stranger")}
        done = desk.call("verify", env=stranger)
        assert done.code == 0
        assert desk.call("verify", "--require-trust", env=stranger).code == 8
        assert desk.json("verify", env=stranger)["signatures"]["state"] == "signed-untrusted"

        trust = ("--trust", desk.config / "trust.json")
        assert desk.call("verify", "--require-trust", *trust, env=stranger).code == 0
        named = {**stranger, "PROBATUM_TRUST": str(desk.config / "trust.json")}
        assert desk.call("verify", "--require-trust", env=named).code == 0
        assert not (desk.root / "stranger").exists()

    def test_a_trust_file_that_is_named_must_be_there(self, desk: Desk) -> None:
        desk.session()
        desk.call("verify", "--trust", "nope.json").error(3, "trust-missing")
        desk.call("verify", env={"PROBATUM_TRUST": "nope.json"}).error(3, "trust-missing")

    def test_one_of_two_sessions(self, desk: Desk) -> None:
        desk.session()
        desk.call("run", "spec.yaml", "--no-sign", "-q")
        assert desk.call("verify", "--require-trust").code == 8
        assert desk.call("verify", "latest~1", "--require-trust").code == 0
        assert desk.call("verify", "--all", "--require-trust").code == 8
        assert desk.call("verify", "--all").code == 0

    def test_damage_comes_before_trust(self, desk: Desk) -> None:
        desk.call("run", desk.spec(), "--no-sign", "-q")
        [pack] = (desk.store / "pack").iterdir()
        data = bytearray(pack.read_bytes())
        data[len(data) // 2] ^= 1
        pack.write_bytes(data)
        assert desk.call("verify", "--all", "--require-trust").code == 7
        assert desk.json("verify", "--all")["exit_codes"][0] == 7


def test_an_incomplete_session_verifies_with_a_note(desk: Desk) -> None:
    desk.write("recorded.jsonl", "")
    spec = desk.spec(model={"provider": "fixtures", "model": "recorded.jsonl"})
    assert desk.call("run", spec).code == 3
    done = desk.call("verify")
    assert done.code == 0, done
    assert "note[" in done.out
    assert desk.json("verify")["complete"] is False
    assert "incomplete" in desk.call("log").out
    assert "INCOMPLETE" in desk.call("replay").out


def test_many_cases(desk: Desk) -> None:
    desk.session("ok", *[case(f"c{number}") for number in range(40)])
    value = desk.json("verify", "--deep")
    assert (value["verified"], value["cases"], value["runs"]) == (True, 40, 280)
