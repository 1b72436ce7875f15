"""`probatum init`, `tag`, `baseline` and `rm`."""

from __future__ import annotations

import json

import pytest
from desk import Desk, snapshot


class TestInit:
    def test_makes_a_store_once(self, desk: Desk) -> None:
        done = desk.call("init")
        assert (done.code, done.out) == (0, "")
        assert done.err == f"made a store at {desk.store}\n"
        before = snapshot(desk.store)
        done = desk.call("init")
        assert (done.code, done.err) == (0, f"there is already a store at {desk.store}\n")
        assert snapshot(desk.store) == before

    def test_its_document(self, desk: Desk) -> None:
        value = desk.json("init", "--store", "place")
        marker = json.loads((desk.folder / "place" / "store.json").read_text())
        assert value == {
            "document": "probatum-init/1",
            "store": "place",
            "id": marker["id"],
            "created": True,
        }
        assert desk.json("init", "--store", "place")["created"] is False


@pytest.mark.parametrize(("verb", "space"), [("tag", "tags"), ("baseline", "baselines")])
class TestNames:
    def test_list_set_move_and_delete(self, desk: Desk, verb: str, space: str) -> None:
        first, second = desk.session(), desk.session()
        done = desk.call(verb)
        assert (done.code, done.out, done.err) == (0, "", f"there are no {space}\n")
        assert desk.json(verb) == {"document": f"probatum-{space}/1", "names": {}}

        done = desk.call(verb, "main")
        assert (done.code, done.out) == (0, "")
        assert done.err == f"{verb} main is now session {second[:12]}\n"
        assert desk.json(verb, "other", "latest~1") == {
            "document": f"probatum-{verb}/1",
            "name": "other",
            "session": first,
            "deleted": False,
        }
        assert desk.call(verb).out == f"main   {second[:12]}\nother  {first[:12]}\n"

        desk.call(verb, "main", first[:12])
        assert desk.json(verb)["names"] == {"main": first, "other": first}
        desk.call(verb, "main", "latest")
        assert desk.json(verb)["names"]["main"] == second

        done = desk.call(verb, "-d", "main")
        assert (done.code, done.out, done.err) == (0, "", f"deleted {verb} main\n")
        assert desk.json(verb)["names"] == {"other": first}
        assert "other" in desk.call(verb, "--delete", "main").error(3, "unknown-name")
        assert desk.json(verb, "-d", "other")["deleted"] is True
        assert desk.sessions() == [second, first]
        assert desk.call("verify", "--all").code == 0

    def test_one_can_come_back(self, desk: Desk, verb: str, space: str) -> None:
        first = desk.session()
        for _ in range(2):
            desk.call(verb, "main")
            desk.call(verb, "-d", "main")
        desk.call(verb, "main")
        assert desk.json(verb)["names"] == {"main": first}


def test_tags_and_baselines_are_apart(desk: Desk) -> None:
    desk.session()
    desk.call("tag", "a")
    desk.call("baseline", "b")
    assert list(desk.json("tag")["names"]) == ["a"]
    assert list(desk.json("baseline")["names"]) == ["b"]


class TestRemove:
    def test_leaves_a_signed_notice(self, desk: Desk) -> None:
        first, second = desk.session(), desk.session()
        done = desk.call("rm", "latest", "--reason", "made by mistake")
        assert (done.code, done.out) == (0, "")
        assert done.err.startswith(f"removed session {second[:12]}; notice ")
        assert desk.sessions() == [first]
        assert desk.json("replay")["session"] == first
        assert desk.call("verify", "--all").code == 0
        assert desk.call("verify", "--all", "--deep", "--require-trust").code == 0
        assert "made by mistake" in desk.call("cat", done.err.split()[-1]).out

    def test_says_which_names_still_lead_to_it(self, desk: Desk) -> None:
        desk.session()
        desk.call("tag", "rc1")
        desk.call("baseline", "main")
        done = desk.call("rm", "latest")
        assert done.code == 0
        assert "warning: tag rc1 still leads to it (probatum tag -d rc1 deletes it)" in done.err
        assert "warning: baseline main still leads to it" in done.err

    def test_its_document(self, desk: Desk) -> None:
        session = desk.session()
        value = desk.json("rm", session[:12])
        assert value["document"] == "probatum-removal/1"
        assert value["session"] == session
        assert desk.json("cat", value["removal"])["value"]["predicate"]["removes"] == session

    def test_what_was_removed_is_no_longer_a_name(self, desk: Desk) -> None:
        desk.session()
        second = desk.session()
        desk.call("rm", second)
        desk.call("replay", second[:12]).error(3, "unknown-name")
        desk.call("rm", second[:12]).error(3, "unknown-name")
        assert len(desk.json("history", "a")["sessions"]) == 1

    def test_the_next_session_goes_on_from_what_is_left(self, desk: Desk) -> None:
        first = desk.session()
        desk.session()
        desk.call("rm", "latest")
        third = desk.session()
        assert desk.sessions() == [third, first]
        assert desk.json("replay")["prev"] == [first]
        assert desk.call("verify", "--all").code == 0

    def test_in_the_middle_of_a_chain(self, desk: Desk) -> None:
        first, second, third = (desk.session() for _ in range(3))
        desk.call("rm", second)
        assert desk.sessions() == [third, first]
        for args in (["verify"], ["verify", "--all"], ["verify", "latest~1"]):
            done = desk.call(*args)
            assert done.code == 0, done
            assert "dropped" not in done.out

    def test_unsigned(self, desk: Desk) -> None:
        desk.call("run", desk.spec(), "--no-sign", "-q")
        assert desk.call("rm", "latest", "--no-sign").code == 0
        assert not list((desk.store / "sig").iterdir())
        assert not desk.config.exists()
        assert desk.sessions() == []

    def test_the_last_one(self, desk: Desk) -> None:
        desk.session()
        desk.call("rm", "latest")
        desk.call("rm", "latest").error(3, "unknown-name")
        assert desk.call("log").out == "no sessions\n"
        assert desk.call("verify", "--all").code == 0
        assert desk.session() == desk.sessions()[0]

    def test_a_tagged_one(self, desk: Desk) -> None:
        """Nothing is deleted: whoever gave it a name of its own still finds it."""
        session = desk.session()
        desk.call("tag", "v1")
        desk.call("rm", "v1")
        assert desk.sessions() == []
        assert desk.json("replay", "v1")["session"] == session
        assert desk.call("verify", "v1").code == 0
        done = desk.call("verify", "--all")
        assert done.code == 0
        assert done.out.count("warning[unreferenced-object]") == 1
