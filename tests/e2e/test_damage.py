"""A finished store that somebody, or a disk, has changed: 7, and where it is."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from desk import Desk, snapshot

from probatum.store import Store
from probatum.store.scan import Scanned


@pytest.fixture
def kept(desk: Desk) -> Desk:
    """A store with two sessions, a tag and a baseline."""
    desk.session("ok")
    desk.session("brittle")
    desk.call("tag", "release", "latest~1")
    desk.call("baseline", "main", "latest")
    return desk


def packs(desk: Desk) -> list[Path]:
    return sorted((desk.store / "pack").iterdir())


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


READERS = ["verify", "verify --all", "verify --all --deep"]


class TestPacks:
    @pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.6, 0.9, 0.999])
    def test_one_bit_is_flipped(self, kept: Desk, share: float) -> None:
        pack = packs(kept)[0]
        flip(pack, int(pack.stat().st_size * share))
        self._noticed(kept)

    @pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.99])
    def test_it_is_truncated(self, kept: Desk, share: float) -> None:
        pack = packs(kept)[0]
        os.truncate(pack, int(pack.stat().st_size * share))
        self._noticed(kept)

    def test_it_is_longer(self, kept: Desk) -> None:
        with packs(kept)[0].open("ab") as file:
            file.write(b"\0")
        self._noticed(kept)

    def test_it_is_deleted(self, kept: Desk) -> None:
        packs(kept)[0].unlink()
        self._noticed(kept)

    def test_two_are_swapped(self, kept: Desk) -> None:
        one, other = packs(kept)
        data = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(data)
        done = kept.call("verify", "--all")
        assert done.code == 7, done

    def _noticed(self, desk: Desk) -> None:
        before = snapshot(desk.store)
        done = desk.call("verify", "--all")
        assert done.code == 7, done
        assert "Traceback" not in done.err
        assert "error[" in done.out + done.err
        assert desk.call("verify", "--all", "--json").json["verified"] is False
        # Whatever is read, nothing is an internal error and nothing is changed.
        for verb in ("log", "verify", "verify --quick", "replay", "inspect", "history a",
                     "manifest", "diff latest~1 latest", "replay latest~1", "tag"):  # fmt: skip
            found = desk.call(*verb.split())
            assert found.code in {0, 3, 5, 7}, (verb, found)
            assert "Traceback" not in found.err
            if found.code in {3, 7} and not found.out:
                found.error(found.code)
        assert snapshot(desk.store) == before


class TestObjects:
    """The same objects, each in a file of its own."""

    @pytest.fixture
    def loose(self, desk: Desk) -> dict[str, list[Path]]:
        """One session unpacked: the paths of its objects by kind."""
        desk.session("brittle")
        store = Store.open(desk.store)
        found: dict[str, list[Path]] = {}
        for item in list(store.scan()):
            assert isinstance(item, Scanned)
            path = desk.store / "obj" / item.id[:2] / item.id[2:]
            path.parent.mkdir(parents=True, exist_ok=True)
            head = f"pb1 {item.kind} {len(item.payload)}\0".encode()
            path.write_bytes(head + item.payload)
            found.setdefault(item.kind, []).append(path)
        for pack in packs(desk):
            pack.unlink()
        assert all(path.exists() for paths in found.values() for path in paths)
        assert desk.call("verify", "--all", "--deep").code == 0
        return found

    KINDS = ("blob", "spec", "case", "invariant", "plan", "plan-case", "perturbation", "output",
             "judgment", "trials", "verdict", "table", "target", "executions", "session",
             "statement")  # fmt: skip

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize(
        "change",
        [
            lambda path: path.unlink(),
            lambda path: os.truncate(path, path.stat().st_size // 2),
            lambda path: os.truncate(path, 0),
            lambda path: flip(path, path.stat().st_size - 2),
            lambda path: flip(path, 0),
        ],
        ids=["deleted", "truncated", "emptied", "flipped", "flipped head"],
    )
    def test_one_is_damaged(
        self,
        desk: Desk,
        loose: dict[str, list[Path]],
        kind: str,
        change: Callable[[Path], None],
    ) -> None:
        change(loose[kind][0])
        done = desk.call("verify", "--all", "--json")
        assert done.code == 7, done
        assert done.json["verified"] is False
        words = desk.call("verify", "--all")
        assert words.code == 7
        assert "error[" in words.out
        assert desk.call("verify").code == 7

    def test_two_are_swapped(self, desk: Desk, loose: dict[str, list[Path]]) -> None:
        one, other = loose["output"][:2]
        data = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(data)
        assert desk.call("verify").code == 7
        desk.call("inspect").error(7)

    def test_one_is_another_kind(self, desk: Desk, loose: dict[str, list[Path]]) -> None:
        path = loose["output"][0]
        path.write_bytes(loose["judgment"][0].read_bytes())
        assert desk.call("verify").code == 7

    def test_one_is_a_link_or_a_folder(self, desk: Desk, loose: dict[str, list[Path]]) -> None:
        path = loose["output"][0]
        shutil.move(path, desk.root / "elsewhere")
        path.symlink_to(desk.root / "elsewhere")
        assert desk.call("verify").code == 7
        path.unlink()
        path.mkdir()
        assert desk.call("verify").code == 7

    def test_one_is_not_canonical(self, desk: Desk, loose: dict[str, list[Path]]) -> None:
        """Its id is right and it is published: only its spelling is not as it must be."""
        _, _, payload = loose["statement"][0].read_bytes().partition(b"\0")
        spaced = json.dumps(json.loads(payload), ensure_ascii=False).encode()
        assert spaced != payload
        whole = b"pb1 statement %d\0" % len(spaced) + spaced
        name = hashlib.sha256(whole).hexdigest()
        place = desk.store / "obj" / name[:2] / name[2:]
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(whole)
        (desk.store / "ref" / "sessions" / name).write_text(f'{{"target":"{name}"}}')
        for verb in (["verify", name[:12]], ["verify", "--all"]):
            done = desk.call(*verb)
            assert done.code == 7, done
            assert "canonical" in done.out
        desk.call("replay", name[:12]).error(7)


class TestAround:
    def test_a_signature_is_flipped(self, kept: Desk) -> None:
        for path in (kept.store / "sig").iterdir():
            value = json.loads(path.read_text())
            sig = value["sig"]
            value["sig"] = ("B" if sig[0] == "A" else "A") + sig[1:]
            path.write_text(json.dumps(value, separators=(",", ":"), sort_keys=True))
        done = kept.call("verify")
        assert done.code == 7, done
        assert kept.call("replay").code in {0, 7}
        assert kept.json("verify")["axes"]["signature"] == "failed"

    @pytest.mark.parametrize("data", [b"", b"hello", b"{}"])
    def test_a_signature_file_is_none(self, kept: Desk, data: bytes) -> None:
        for path in (kept.store / "sig").iterdir():
            path.write_bytes(data)
        assert kept.call("verify").code == 7
        kept.call("manifest").error(7)

    def test_a_signature_is_moved_to_another_session(self, kept: Desk) -> None:
        one, other = sorted((kept.store / "sig").iterdir())
        data = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(data)
        assert kept.call("verify").code == 7

    def test_signatures_are_gone(self, kept: Desk) -> None:
        for path in (kept.store / "sig").iterdir():
            path.unlink()
        assert kept.call("verify").code == 0
        assert kept.json("verify")["signatures"]["state"] == "unsigned"
        assert kept.call("verify", "--require-trust").code == 8

    def test_a_tag_is_damaged(self, kept: Desk) -> None:
        [path] = (kept.store / "ref" / "tags" / "release").iterdir()
        flip(path, 20)
        kept.call("replay", "release").error(7, "ref-corrupt")
        assert kept.call("verify", "--all").code == 7

    def test_a_session_ref_is_gone(self, kept: Desk) -> None:
        """The session vanishes from the list; the next one and its objects still tell of it."""
        last, first = kept.sessions()
        (kept.store / "ref" / "sessions" / first).unlink()
        assert kept.sessions() == [last]
        done = kept.call("verify", "--all")
        assert done.code == 0
        assert "warning[session-dropped]" in done.out
        assert "warning[unreferenced-object]" in done.out

    def test_a_session_ref_leads_nowhere(self, kept: Desk) -> None:
        (kept.store / "ref" / "sessions" / ("ab" * 32)).write_text('{"target":"' + "ab" * 32 + '"}')
        done = kept.call("verify", "--all")
        assert done.code == 7
        assert kept.call("log").code == 7

    def test_a_journal_is_damaged(self, kept: Desk) -> None:
        (kept.store / "tmp" / ("ab" * 12 + ".pbj")).write_bytes(b"PBJRNL1\nhello")
        kept.call("run", "--resume").error(7)
        assert kept.call("log").code == 0
        assert kept.call("run", "spec.yaml", "--exit-zero").code == 0

    def test_a_manifest_is_changed(self, kept: Desk) -> None:
        kept.call("manifest", "-o", "old.json")
        kept.call("manifest", "latest~1", "-o", "new.json")
        path = kept.folder / "new.json"
        whole = path.read_text()
        for data in (whole[:-20], whole.replace('"payload":"', '"payload":"AAAA', 1), "", "{}"):
            path.write_text(data)
            words = kept.call("diff", "old.json", "new.json").error(7)
            assert "new.json" in words
