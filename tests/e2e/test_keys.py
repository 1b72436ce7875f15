"""`probatum key` and `probatum trust`."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess

import pytest
from desk import Desk

SECRET = {"PROBATUM_PASSPHRASE": "correct horse"}


class TestKey:
    def test_new_makes_a_private_file(self, desk: Desk) -> None:
        done = desk.call("key", "new", "ci")
        path = desk.config / "keys" / "ci"
        assert done.code == 0
        assert done.out.startswith("ssh-ed25519 ")
        assert done.out.endswith(" ci\n")
        assert done.err == f"made {path}; to count its signatures: probatum trust add ci ci\n"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) & 0o077 == 0
        assert path.read_text().startswith("-----BEGIN OPENSSH PRIVATE KEY-----")

    def test_new_is_called_local_by_default_and_is_what_run_uses(self, desk: Desk) -> None:
        fingerprint = desk.json("key", "new")["fingerprint"]
        desk.session()
        assert desk.json("replay")["keys"] == [fingerprint]

    def test_new_replaces_nothing(self, desk: Desk) -> None:
        desk.call("key", "new", "ci")
        before = (desk.config / "keys" / "ci").read_bytes()
        desk.call("key", "new", "ci").error(3, "key-exists")
        assert (desk.config / "keys" / "ci").read_bytes() == before

    def test_new_sealed_with_a_passphrase(self, desk: Desk) -> None:
        made = desk.json("key", "new", "safe", "--passphrase", env=SECRET)
        assert desk.json("key", "show", "safe") == made
        assert desk.call("run", desk.spec(), "--key", "safe", env=SECRET).code == 0
        assert desk.json("replay")["keys"] == [made["fingerprint"]]
        assert "correct horse" not in (desk.config / "keys" / "safe").read_text()

    @pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is not here")
    def test_new_is_a_key_of_openssh(self, desk: Desk) -> None:
        made = desk.json("key", "new", "ci")
        done = subprocess.run(
            ["ssh-keygen", "-y", "-f", made["path"]], capture_output=True, check=True
        )
        assert done.stdout.decode().split()[:2] == made["key"].split()[:2]

    def test_list(self, desk: Desk) -> None:
        assert desk.call("key", "list").out == ""
        assert "probatum run" in desk.call("key", "list").err
        assert desk.json("key", "list") == {"document": "probatum-keys/1", "keys": []}
        for name in ("b", "a"):
            desk.call("key", "new", name)
        lines = desk.call("key", "list").out.splitlines()
        assert [line.split()[0] for line in lines] == ["a", "b"]
        assert [entry["name"] for entry in desk.json("key", "list")["keys"]] == ["a", "b"]

    def test_list_says_what_is_wrong_with_a_file(self, desk: Desk) -> None:
        desk.call("key", "new", "a")
        desk.write("../config/probatum/keys/b", "hello")
        (desk.config / "keys" / "b").chmod(0o600)
        value = desk.json("key", "list")["keys"]
        assert [bool(entry["problem"]) for entry in value] == [False, True]
        assert desk.call("key", "list").code == 0

    def test_show(self, desk: Desk) -> None:
        line = desk.call("key", "new", "ci").out
        assert desk.call("key", "show", "ci").out == line
        value = desk.json("key", "show", "ci")
        assert value["document"] == "probatum-key/1"
        assert value["key"] == " ".join(line.split()[:2])
        assert len(value["fingerprint"]) == 64
        assert value["path"] == str(desk.config / "keys" / "ci")
        assert "ci" in desk.call("key", "show", "nope").error(3, "key-missing")


class TestTrust:
    def test_the_first_run_trusts_its_own_key(self, desk: Desk) -> None:
        assert desk.call("trust", "list").out == ""
        assert "no trust file" in desk.call("trust", "list").err
        desk.session()
        value = desk.json("trust", "list")
        assert value["document"] == "probatum-trust/1"
        assert value["path"] == str(desk.config / "trust.json")
        assert [(key["name"], key["state"]) for key in value["keys"]] == [("local", "active")]
        assert desk.call("trust", "list").out.startswith("local  ")

    def test_add_and_remove(self, desk: Desk) -> None:
        desk.session()
        desk.call("key", "new", "ci")
        line = desk.call("key", "new", "other").out.strip()
        desk.write("colleague.pub", desk.call("key", "new", "third").out)
        for name, key in (("ci", "ci"), ("bob@example.com", line), ("eve", "colleague.pub")):
            done = desk.call("trust", "add", name, key)
            assert (done.code, done.out) == (0, "")
        names = [key["name"] for key in desk.json("trust", "list")["keys"]]
        assert names == ["bob@example.com", "ci", "eve", "local"]
        assert desk.json("trust", "remove", "eve")["version"] == 5
        assert desk.call("trust", "remove", "eve").code == 3
        assert len(desk.json("trust", "list")["keys"]) == 3

    def test_the_same_name_or_key_twice(self, desk: Desk) -> None:
        desk.session()
        desk.call("key", "new", "ci")
        before = (desk.config / "trust.json").read_bytes()
        desk.call("trust", "add", "local", "ci").error(3, "bad-entry")
        desk.call("trust", "add", "again", "local").error(3, "bad-entry")
        assert (desk.config / "trust.json").read_bytes() == before

    @pytest.mark.parametrize(
        ("key", "code"),
        [
            ("nope", "key-missing"),
            ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ==", "key-type"),
            ("ssh-ed25519 AAAA", ""),
            # The neutral element: nearly everything would verify under it.
            (
                "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "weak-key",
            ),
        ],
    )
    def test_what_is_no_good_key(self, desk: Desk, key: str, code: str) -> None:
        desk.session()
        before = (desk.config / "trust.json").read_bytes()
        desk.call("trust", "add", "bob", key).error(3, code)
        assert (desk.config / "trust.json").read_bytes() == before

    def test_retire_and_revoke(self, desk: Desk) -> None:
        desk.session()
        assert desk.call("verify", "--require-trust").code == 0
        assert desk.json("trust", "retire", "local")["keys"][0]["state"] == "retired"
        done = desk.call("verify", "--require-trust")
        assert done.code == 8
        assert desk.json("verify")["signatures"]["state"] == "expired-time-unproven"
        assert desk.json("trust", "revoke", "local")["keys"][0]["state"] == "revoked"
        assert desk.json("verify")["signatures"]["state"] == "signed-untrusted"
        assert desk.call("verify").code == 0
        desk.call("trust", "retire", "nope").error(3, "key-unknown")

    def test_a_window(self, desk: Desk) -> None:
        desk.session()
        desk.call("key", "new", "ci")
        desk.call("run", "spec.yaml", "-q", "--key", "ci")
        old = ("--valid-before", "2020-01-01T00:00:00+00:00")
        desk.call("trust", "add", "ci", "ci", *old)
        assert "until 2020-01-01T00:00:00+00:00" in desk.call("trust", "list").out
        assert desk.call("verify", "--require-trust").code == 8
        desk.call("trust", "remove", "ci")
        desk.call("trust", "add", "ci", "ci", "--scope", "removal")
        assert desk.call("verify", "--require-trust").code == 8
        desk.call("trust", "remove", "ci")
        desk.call("trust", "add", "ci", "ci", "--scope", "session")
        assert desk.call("verify", "--require-trust").code == 0
        desk.call("trust", "add", "x", "local", "--scope", "sesion").error(3)

    def test_import(self, desk: Desk) -> None:
        key = desk.call("key", "new", "ci").out.split()
        desk.write(
            "signers",
            f"# people\nbob@example.com {key[0]} {key[1]} Bob\ncarol ssh-rsa AAAAB3NzaC1yc2E=\n",
        )
        done = desk.call("trust", "import", "signers")
        assert (done.code, done.out) == (0, "")
        assert "trusted 1 more: bob@example.com" in done.err
        assert "ssh-rsa" in done.err
        value = desk.json("trust", "import", "signers")
        assert value["document"] == "probatum-trust-import/1"
        assert value["added"] == []
        desk.call("trust", "import", "nope").error(3, "unreadable")
        desk.call("trust", "import", ".").error(3, "unreadable")

    def test_where_the_file_is(self, desk: Desk) -> None:
        desk.session()
        for extra, env in ((["--trust", "mine.json"], {}), ([], {"PROBATUM_TRUST": "mine.json"})):
            desk.call("trust", *extra, "add", "me", "local", env=env)
            assert desk.json("trust", *extra, "list", env=env)["keys"][0]["name"] == "me"
            (desk.folder / "mine.json").unlink()
        assert desk.json("trust", "list")["keys"][0]["name"] == "local"

    @pytest.mark.parametrize(
        "data", [b"", b"{}", b"hello", b"\xff", b'{"format":"probatum-trust/1","keys":[],"kyes":1}']
    )
    def test_a_file_that_cannot_be_used(self, desk: Desk, data: bytes) -> None:
        desk.session("counted")
        calls = desk.calls()
        path = desk.config / "trust.json"
        path.write_bytes(data)
        for verb in ("verify", "verify --all", "replay", "trust list", "trust add x local",
                     "trust remove local"):  # fmt: skip
            assert str(path) in desk.call(*verb.split()).error(3, "bad-trust")
        assert path.read_bytes() == data
        desk.write("other.json", data)
        desk.call("verify", "--trust", "other.json").error(3, "bad-trust")
        assert desk.calls() == calls

    def test_a_file_that_anybody_may_write_or_a_link(self, desk: Desk) -> None:
        desk.session()
        path = desk.config / "trust.json"
        path.chmod(0o666)
        desk.call("verify").error(3, "trust-exposed")
        path.chmod(0o644)
        path.rename(desk.root / "trust.json")
        path.symlink_to(desk.root / "trust.json")
        desk.call("verify").error(3, "trust-symlink")


def test_no_private_key_in_any_output(desk: Desk) -> None:
    desk.session()
    secret = (desk.config / "keys" / "local").read_text().splitlines()[3]
    for verb in ("key list", "key show", "trust list", "manifest", "replay", "verify", "inspect"):
        for extra in ([], ["--json"]):
            done = desk.call(*verb.split(), *extra)
            assert secret not in done.out + done.err
    assert not any(
        secret.encode() in path.read_bytes() for path in desk.store.rglob("*") if path.is_file()
    )
    assert json.loads(desk.call("key", "show", "--json").out)["path"].startswith(str(desk.root))
