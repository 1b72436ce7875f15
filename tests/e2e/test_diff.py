"""`probatum diff` and `probatum manifest`."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from desk import Desk, case


def test_the_same(desk: Desk) -> None:
    desk.session()
    desk.session()
    done = desk.call("diff", "latest~1", "latest")
    assert (done.code, done.err) == (0, "")
    assert "1 case · 1 same" in done.out
    assert desk.call("diff", "latest~1").out == done.out


def test_a_file_that_is_not_there_is_not_taken_for_a_session(desk: Desk) -> None:
    error = desk.call("diff", "june.json", "july.json").error(3, "no-such-file")
    assert "june.json: no such file" in error


def test_a_regression_is_5(desk: Desk) -> None:
    desk.session("ok")
    desk.session("brittle")
    done = desk.call("diff", "latest~1", "latest")
    assert (done.code, done.err) == (5, "")
    assert "STABLE → FRAGILE" in done.out
    assert desk.call("diff", "latest~1", "latest", "--exit-zero").code == 0
    assert desk.call("diff", "latest", "latest~1").code == 0


def test_the_same_system_made_worse_is_5(desk: Desk) -> None:
    desk.session("ok")
    path = desk.folder / "system.py"
    path.write_text(path.read_text().replace('return "yes: " + text', 'return "no"', 1))
    assert desk.call("run", "spec.yaml").code == 1
    value = desk.json("diff", "latest~1", "latest")
    assert value["exit_codes"][0] == 5
    assert (value["same_plan"], value["same_target"]) == (True, False)
    [row] = value["cases"]
    assert row["change"] == "regression"
    assert row["rows"]["output-differs"] + row["rows"].get("judgment-differs", 0) == 7


def test_lost_evidence_is_4(desk: Desk) -> None:
    desk.session("ok")
    desk.session("raises")
    assert desk.call("diff", "latest~1", "latest").code == 4
    desk.session("ok", case("b"))
    done = desk.call("diff", "latest~2", "latest")
    assert done.code == 4
    assert "a" in done.out
    assert {
        row["case"]: row["change"] for row in desk.json("diff", "latest~2", "latest")["cases"]
    } == {
        "a": "vanished",
        "b": "added",
    }


def test_both_are_5(desk: Desk) -> None:
    desk.session("ok", case("kept"), case("gone"))
    desk.session("brittle", case("kept"))
    assert desk.call("diff", "latest~1", "latest").code == 5
    assert desk.json("diff", "latest~1", "latest")["exit_codes"] == [5, 4]


def test_an_improvement_is_0(desk: Desk) -> None:
    desk.session("brittle")
    desk.session("ok")
    value = desk.json("diff", "latest~1", "latest")
    assert value["exit_codes"] == [0]
    assert value["cases"][0]["change"] == "improved"


def test_another_plan_pairs_what_is_alike(desk: Desk) -> None:
    desk.session("ok", case())
    desk.session("ok", case(), case("b"))
    value = desk.json("diff", "latest~1", "latest")
    assert value["same_plan"] is False
    assert {row["case"]: row["change"] for row in value["cases"]} == {"a": "same", "b": "added"}


class TestManifests:
    def test_two_files_are_enough(self, desk: Desk, tmp_path: Path) -> None:
        """No store, no key, no home of the other: only the two files."""
        desk.session("ok", case(), case("b"))
        desk.session("brittle", case(), case("c"))
        away = tmp_path / "away"
        away.mkdir()
        for name, ref in (("old", "latest~1"), ("new", "latest")):
            done = desk.call("manifest", ref, "-o", away / f"{name}.json")
            assert (done.code, done.out) == (0, "")
            size = (away / f"{name}.json").stat().st_size
            assert done.err == f"wrote {away}/{name}.json, {size} bytes\n"
        env = {"HOME": str(away / "home"), "XDG_CONFIG_HOME": str(away / "config")}
        done = desk.run("diff", "old.json", "new.json", cwd=away, env=env)
        assert (done.code, done.err) == (5, "")
        assert "STABLE → FRAGILE" in done.out
        value = json.loads(
            desk.run("diff", "old.json", "new.json", "--json", cwd=away, env=env).out
        )
        assert value["evidence"] is False
        assert value["exit_codes"] == [5, 4]
        assert {row["case"]: row["change"] for row in value["cases"]} == {
            "a": "regression",
            "b": "vanished",
            "c": "added",
        }
        assert sorted(path.name for path in away.iterdir()) == ["new.json", "old.json"]

    def test_the_file_is_an_envelope(self, desk: Desk) -> None:
        session = desk.session()
        value = json.loads(desk.call("manifest").out)
        assert value["payloadType"] == "application/vnd.in-toto+json"
        assert len(value["signatures"]) == 1
        desk.call("manifest", "-o", "m.json")
        assert (desk.folder / "m.json").read_text() == desk.call("manifest", session[:12]).out
        assert desk.json("manifest", "-o", "m.json") == {
            "document": "probatum-manifest/1",
            "session": session,
            "file": "m.json",
            "size": (desk.folder / "m.json").stat().st_size,
        }

    def test_a_file_that_cannot_be_written(self, desk: Desk) -> None:
        desk.session()
        assert "make the folder" in desk.call("manifest", "-o", "no/m.json").error(3, "unwritable")
        assert "is a folder" in desk.call("manifest", "-o", ".").error(3, "unwritable")
        assert sorted(path.name for path in desk.folder.iterdir()) == [
            ".probatum",
            "spec.yaml",
            "system.py",
        ]

    def test_what_is_no_manifest(self, desk: Desk) -> None:
        desk.session()
        desk.call("manifest", "-o", "m.json")
        assert "spec.yaml" in desk.call("diff", "m.json", "spec.yaml").error(7)
        assert "two of a kind" in desk.call("diff", "m.json", "latest").error(64)
        desk.write("big", b"")
        with (desk.folder / "big").open("wb") as file:
            file.truncate(2 << 30)
        desk.call("diff", "m.json", "big").error(3, "limit")

    def test_a_changed_one_is_noticed(self, desk: Desk) -> None:
        """A manifest whose verdict was painted over no longer fits its signature."""
        desk.session("ok")
        desk.session("brittle")
        desk.call("manifest", "latest~1", "-o", "old.json")
        desk.call("manifest", "latest", "-o", "new.json")
        path = desk.folder / "new.json"
        value = json.loads(path.read_text())
        payload = base64.b64decode(value["payload"]).replace(b"FRAGILE", b"STABLE")
        value["payload"] = base64.b64encode(payload).decode()
        path.write_text(json.dumps(value, separators=(",", ":"), sort_keys=True))
        done = desk.call("diff", "old.json", "new.json")
        done.error(7, "bad-signature")
