"""Names of sessions, and where the store is: what every verb shares."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from desk import Desk


class TestSessions:
    def test_latest_and_before_it(self, desk: Desk) -> None:
        ids = [desk.session() for _ in range(3)][::-1]
        assert desk.sessions() == ids
        for name, wanted in (("latest", 0), ("latest~0", 0), ("latest~1", 1), ("latest~2", 2)):
            assert desk.json("replay", name)["session"] == ids[wanted]
        for name in ("latest~3", "latest~99999999999", "latest~x", "latest~"):
            words = desk.call("replay", name).error(3, "unknown-name")
            assert name in words

    def test_tags_and_baselines(self, desk: Desk) -> None:
        first, second = desk.session(), desk.session()
        desk.call("tag", "v1", "latest~1")
        desk.call("baseline", "main", "latest")
        assert desk.json("replay", "v1")["session"] == first
        assert desk.json("replay", "main")["session"] == second
        assert desk.json("replay", "tags/v1")["session"] == first
        assert desk.json("replay", "baselines/main")["session"] == second
        desk.call("replay", "tags/main").error(3, "unknown-name")
        desk.call("tag", "main", "latest~1")
        words = desk.call("replay", "main").error(3, "ambiguous-name")
        assert "tags/main or baselines/main" in words

    def test_prefixes(self, desk: Desk) -> None:
        first = desk.session()
        desk.session()
        for digits in (8, 9, 12, 40, 64):
            assert desk.json("replay", first[:digits])["session"] == first
        assert "at least 8" in desk.call("replay", first[:7]).error(3)
        desk.call("replay", first + "0").error(3)
        desk.call("replay", first.upper()).error(3)

    def test_an_ambiguous_prefix_lists_what_it_may_mean(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of 17 sessions two begin with the same digit, if one digit is enough."""
        monkeypatch.setattr("probatum.store.sessions.MIN_PREFIX", 1)
        ids = [desk.session() for _ in range(17)]
        digit, _ = Counter(name[0] for name in ids).most_common(1)[0]
        words = desk.call("replay", digit).error(3, "ambiguous-name")
        meant = [name for name in ids if name.startswith(digit)]
        assert f"the ids of {len(meant)} sessions" in words
        assert any(name[:9] in words for name in meant)

    def test_an_unknown_one_lists_what_there_is(self, desk: Desk) -> None:
        ids = [desk.session() for _ in range(2)]
        desk.call("tag", "release-2026", "latest")
        for verb in ("replay", "verify", "inspect", "manifest", "rm"):
            words = desk.call(verb, "relaese-2026").error(3, "unknown-name")
            assert "release-2026" in words
            words = desk.call(verb, "0123456789").error(3, "unknown-name")
            assert all(name[:12] in words for name in ids)
        for args in (("nope", "latest"), ("latest", "nope")):
            desk.call("diff", *args).error(3, "unknown-name")
        desk.call("tag", "x", "nope").error(3, "unknown-name")
        desk.call("baseline", "x", "nope").error(3, "unknown-name")

    def test_in_an_empty_store(self, desk: Desk) -> None:
        desk.call("init")
        for verb in ("replay", "verify", "inspect", "manifest", "tag x", "rm latest"):
            assert "probatum run" in desk.call(*verb.split()).error(3, "unknown-name")
        assert desk.call("log").out == "no sessions\n"
        assert desk.call("verify", "--all").code == 0

    @pytest.mark.parametrize(
        "name",
        ["A B", "latest", "../x", "x/y", "", ".x", "x.lock", "con", "a" * 65, "abcdef012345"],
    )
    @pytest.mark.parametrize("verb", ["tag", "baseline"])
    def test_what_is_no_name(self, desk: Desk, verb: str, name: str) -> None:
        desk.session()
        desk.call(verb, name).error(64, "bad-name")
        desk.call(verb, "--delete", name).error(3, "unknown-name")

    def test_an_object_that_is_no_session(self, desk: Desk) -> None:
        desk.session()
        spec = desk.json("replay")["spec"]
        desk.call("replay", spec).error(3, "not-a-session")


class TestStore:
    def test_the_nearest_one_upwards(self, desk: Desk) -> None:
        first = desk.session()
        below = desk.folder / "a" / "b"
        below.mkdir(parents=True)
        assert desk.json("log", cwd=below)["sessions"][0]["session"] == first
        desk.call("init", cwd=below)
        assert desk.json("log", cwd=below)["sessions"] == []

    def test_the_option_before_the_environment_before_the_folder(self, desk: Desk) -> None:
        spec = desk.spec()
        for place in ("one", "two"):
            desk.call("run", spec, "--store", place, "-q", "--tag", place)
        desk.call("run", spec, "-q", "--tag", "three")
        env = {"PROBATUM_STORE": "two"}

        def tag(*args: str, env: dict[str, str] | None = None) -> str:
            return next(iter(desk.json("tag", *args, env=env)["names"]))

        assert tag() == "three"
        assert tag(env=env) == "two"
        assert tag("--store", "one") == "one"
        assert tag("--store-path", "one") == "one"
        assert tag("--store", "one", env=env) == "one"
        assert tag("--store-path", "one", env=env) == "one"
        assert tag(env={"PROBATUM_STORE": ""}) == "three"

    def test_run_makes_the_one_that_is_named(self, desk: Desk) -> None:
        done = desk.call("run", desk.spec(), "--json", env={"PROBATUM_STORE": "deep/er/store"})
        assert done.json["store"] == "deep/er/store"
        assert (desk.folder / "deep/er/store/store.json").exists()
        assert not desk.store.exists()

    def test_in_memory(self, desk: Desk) -> None:
        desk.session()
        assert desk.call("run", "spec.yaml", "--store", ":memory:").code == 0
        assert desk.json("log", "--store", ":memory:")["sessions"] == []
        desk.call("verify", "--store", ":memory:").error(3, "unknown-name")
        desk.call("init", "--store", ":memory:").error(64)
        assert len(desk.sessions()) == 1
        assert not (desk.folder / ":memory:").exists()

    def test_a_copied_one_says_the_same(self, desk: Desk, tmp_path: Path) -> None:
        desk.session("brittle")
        shutil.copytree(desk.store, tmp_path / "copy")
        for verb in ("verify", "replay", "inspect", "log"):
            here = desk.call(verb, "--json")
            there = desk.call(verb, "--json", "--store", tmp_path / "copy", cwd=tmp_path)
            assert here == there

    def test_a_linked_one(self, desk: Desk, tmp_path: Path) -> None:
        desk.session()
        (tmp_path / "link").symlink_to(desk.store)
        assert desk.call("verify", "--store", tmp_path / "link").code == 0
        assert desk.call("run", "spec.yaml", "-q", "--store", tmp_path / "link").code == 0
        assert len(desk.sessions()) == 2
