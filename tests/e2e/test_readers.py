"""`log`, `replay`, `inspect`, `history` and `cat`: looking at what was kept."""

from __future__ import annotations

import base64
import hashlib
import json

from desk import TEXT, Desk, case


class TestLog:
    def test_lists_sessions_newest_first(self, desk: Desk) -> None:
        ids = [desk.session("ok"), desk.session("brittle"), desk.session("raises")]
        done = desk.call("log")
        lines = done.out.splitlines()
        assert (done.code, done.err) == (0, "")
        assert [line.split()[0] for line in lines] == [name[:12] for name in reversed(ids)]
        assert ["INSUFFICIENT" in lines[0], "FRAGILE" in lines[1], "STABLE" in lines[2]] == [
            True
        ] * 3
        assert len(desk.call("log", "-n", "2").out.splitlines()) == 2
        assert len(desk.json("log", "--limit", "1")["sessions"]) == 1

    def test_its_document(self, desk: Desk) -> None:
        session = desk.session("ok", case(), case("b"))
        value = desk.json("log")
        assert value["document"] == "probatum-log/1"
        [entry] = value["sessions"]
        assert entry["session"] == session
        assert (entry["seq"], entry["cases"], entry["signatures"]) == (1, 2, 1)
        assert entry["classes"] == {"STABLE": 2}
        assert (entry["complete"], entry["imported"]) == (True, False)
        assert value["damaged"] == []


class TestReplay:
    def test_shows_verdicts_as_they_were_and_calls_nothing(self, desk: Desk) -> None:
        first = desk.session("counted")
        desk.session("wrong")
        calls = desk.calls()
        (desk.folder / "system.py").unlink()
        (desk.folder / "spec.yaml").unlink()
        done = desk.call("replay", first[:8])
        assert (done.code, done.err) == (0, "")
        assert done.out.splitlines()[1].split()[:3] == ["a", "STABLE", "3/3"]
        assert done.out.splitlines()[-1].endswith(
            f"signed by {_signer(desk)} · session {first[:12]}"
        )
        assert desk.call("replay").out == desk.call("replay", "--latest").out
        assert "FRAGILE" in desk.call("replay").out
        assert desk.calls() == calls

    def test_answers_zero_whatever_the_verdict(self, desk: Desk) -> None:
        for function in ("ok", "brittle", "wrong", "raises"):
            desk.session(function)
            assert desk.call("replay").code == 0

    def test_its_document(self, desk: Desk) -> None:
        session = desk.session("brittle")
        value = desk.json("replay")
        assert value["document"] == "probatum-replay/1"
        assert (value["session"], value["verdict"]) == (session, "FRAGILE")
        assert value["target"]["record"]["model"] == "system.py:brittle"
        assert value["signatures"]["state"] == "trusted"
        [row] = value["cases"]
        assert (row["case"], row["passed"], row["judged"]) == ("a", 0, 3)
        assert row["detail"]["reason"] in {"below-threshold", "critical-failed"}


def _signer(desk: Desk) -> str:
    [key] = desk.json("key", "list")["keys"]
    return f"local key {key['fingerprint'][:4]}"


class TestInspect:
    def test_shows_every_edit_answer_and_judgment(self, desk: Desk) -> None:
        desk.session("brittle")
        done = desk.call("inspect")
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("case a · FRAGILE · R4")
        assert done.out.count("edits: ") == 3
        assert done.out.count("answer: yes") == 4
        assert done.out.count("answer: no") == 3
        assert done.out.count("FAIL contains") == 3

    def test_the_case_is_named_where_there_are_several(self, desk: Desk) -> None:
        desk.session("ok", case("one"), case("two"))
        words = desk.call("inspect").error(64, "which-case")
        assert "one" in words
        assert "two" in words
        assert desk.call("inspect", "--case", "two").out.startswith("case two · STABLE")
        words = desk.call("inspect", "--case", "tow").error(3, "unknown-case")
        assert "two" in words

    def test_whole_texts_on_demand(self, desk: Desk) -> None:
        text = "A long question. " * 60
        desk.session("ok", case(input={"text": text}))
        short, full = desk.call("inspect").out, desk.call("inspect", "--full").out
        assert "characters)" in short
        assert len(full) > len(short)
        assert f"yes: {text}".strip() in " ".join(full.split())

    def test_its_document(self, desk: Desk) -> None:
        desk.session("ok")
        value = desk.json("inspect", "latest", "--case", "a")
        assert value["document"] == "probatum-inspect/1"
        assert [arm["arm"] for arm in value["arms"]] == ["baseline"] + ["control"] * 3 + [
            "perturbation"
        ] * 3
        first = value["arms"][0]["runs"][0]
        assert first["text"] == f"yes: {TEXT}"
        assert first["judgments"][0]["record"]["result"] == "pass"
        assert value["arms"][4]["perturbation"]["edits"]

    def test_control_characters_are_shown_not_sent(self, desk: Desk) -> None:
        desk.write("evil.py", "def f(text):\n    return 'yes \\x1b[2J\\x07\\u202e ' + text\n")
        desk.call("run", desk.spec(model={"provider": "python", "name": "evil.py:f"}))
        for verb in ("inspect", "replay", "log", "verify", "history a"):
            for extra in ([], ["--json"], ["--full"] if verb == "inspect" else []):
                out = desk.call(*verb.split(), *extra).out
                assert not set(out) & {"\x1b", "\x07", "\u202e"}
        assert "\\x1b[2J" in desk.call("inspect").out


class TestHistory:
    def test_follows_a_case(self, desk: Desk) -> None:
        for function in ("ok", "ok", "brittle"):
            desk.session(function)
        done = desk.call("history", "a")
        lines = done.out.splitlines()
        assert (done.code, done.err) == (0, "")
        assert lines[0] == "a in 3 sessions"
        assert [line.split()[3] for line in lines[1:]] == ["FRAGILE", "STABLE", "STABLE"]
        assert "REGRESSION" in lines[1]
        assert "same evidence" not in lines[1]
        assert "same evidence" in lines[2]

    def test_a_limit(self, desk: Desk) -> None:
        for _ in range(3):
            desk.session()
        value = desk.json("history", "a", "--limit", "2")
        assert [point["seq"] for point in value["sessions"]] == [3, 2]
        assert len(desk.call("history", "a", "-n", "1").out.splitlines()) == 2

    def test_its_document(self, desk: Desk) -> None:
        desk.session("ok")
        desk.session("brittle")
        value = desk.json("history", "a")
        assert value["document"] == "probatum-history/1"
        assert value["case"] == "a"
        assert [point["change"] for point in value["sessions"]] == ["regression", ""]

    def test_an_unknown_case(self, desk: Desk) -> None:
        desk.session("ok", case("refund"), case("other"))
        words = desk.call("history", "refnud").error(3, "unknown-case")
        assert "refund" in words


class TestCat:
    def test_prints_the_payload_byte_for_byte(self, desk: Desk) -> None:
        session = desk.session()
        done = desk.run("cat", session)
        payload = done.out.encode()
        assert not payload.endswith(b"\n")
        whole = b"pb1 statement %d\0" % len(payload) + payload
        assert hashlib.sha256(whole).hexdigest() == session
        assert desk.call("cat", session[:8]).out == done.out

    def test_its_document(self, desk: Desk) -> None:
        session = desk.session()
        value = desk.json("cat", session[:10])
        assert value["document"] == "probatum-object/1"
        assert (value["id"], value["object"]) == (session, "statement")
        assert value["value"] == json.loads(desk.call("cat", session).out)

    def test_a_blob(self, desk: Desk) -> None:
        desk.session()
        root = json.loads(desk.call("cat", desk.json("replay")["root"]).out)
        [source] = root["sources"]
        spec = (desk.folder / "spec.yaml").read_text()
        assert desk.call("cat", source["content"]).out == spec
        value = desk.json("cat", source["content"])
        assert base64.b64decode(value["base64"]).decode() == spec

    def test_what_is_not_there(self, desk: Desk) -> None:
        desk.session()
        desk.call("cat", "0123456789").error(3, "no-object")
        desk.call("cat", "latest").error(64)


def test_inspect_shows_only_what_did_not_pass(desk: Desk) -> None:
    desk.session("brittle")
    every = desk.json("inspect")["arms"]
    failing = desk.json("inspect", "--failing")["arms"]
    assert [arm for arm in every if arm["arm"] == "perturbation"] == failing
    assert "\nbaseline\n" not in desk.call("inspect", "--failing").out


def test_inspect_is_given_a_case_where_a_session_stands(desk: Desk) -> None:
    desk.session()
    error = desk.call("inspect", "my-case").error(3, "unknown-name")
    assert error.endswith("; if it is a case: --case my-case)")
    assert "--case" not in desk.call("inspect", "x", "--case", "a").error(3, "unknown-name")
