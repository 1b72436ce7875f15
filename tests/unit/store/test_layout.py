from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from probatum import canonical
from probatum.errors import EnvironmentFault, IntegrityError, NotFoundError
from probatum.store import Store, layout


def test_a_new_store_has_the_documented_layout(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "a/b/.probatum", create=True)
    assert store.path is not None
    names = sorted(path.name for path in store.path.iterdir())
    assert names == [
        *(".gitattributes", ".gitignore", "cache", "incoming", "obj", "pack", "ref", "sig"),
        *("store.json", "tmp", "trash"),
    ]
    marker = (store.path / "store.json").read_bytes()
    assert canonical.decode(marker) == {
        "format": "probatum-store/1",
        "hash": "sha256",
        "id": store.id,
    }
    assert (store.path / ".gitattributes").read_text() == (
        "* -text -ident -filter -working-tree-encoding -diff -merge -export-subst -export-ignore\n"
    )
    assert (store.path / ".gitignore").read_text().split() == [
        *("tmp/", "incoming/", "trash/", "lock", "cache/")
    ]
    assert Store.open(store.path).id == store.id == Store.open(store.path, create=True).id


def test_every_store_has_an_id_of_its_own(tmp_path: Path) -> None:
    ids = {Store.open(tmp_path / name, create=True).id for name in "ab"} | {Store.memory().id}
    assert len(ids) == 3


def test_git_sees_files_and_no_repository(tmp_path: Path) -> None:
    Store.open(tmp_path / ".probatum", create=True).put("blob", b"x")
    git = ["git", "-c", "safe.bareRepository=all"]
    subprocess.run([*git, "init", "-q", str(tmp_path)], check=True)
    status = [*git, "-C", str(tmp_path / ".probatum"), "status", "--porcelain", "-uall"]
    seen = subprocess.run(status, check=True, capture_output=True, text=True).stdout
    assert ".probatum/store.json" in seen
    assert ".probatum/obj/" in seen


def test_no_store_is_said_so_and_nothing_is_made(tmp_path: Path) -> None:
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(NotFoundError) as caught:
            Store.open(path)
        assert caught.value.code == "no-store"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("create", [True, False])
def test_a_file_is_no_store(tmp_path: Path, create: bool) -> None:
    path = tmp_path / "file"
    path.write_text("x")
    for place in (path, path / "below"):
        with pytest.raises((EnvironmentFault, NotFoundError)) as caught:
            Store.open(place, create=create)
        assert caught.value.code in ("not-a-folder", "no-store")
    assert path.read_text() == "x"


def test_a_folder_with_other_files_is_not_made_a_store(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(EnvironmentFault, match=r"thesis\.tex") as caught:
        Store.open(tmp_path, create=True)
    assert caught.value.code == "not-a-store"
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_store_whose_making_was_cut_short_is_made_whole(tmp_path: Path) -> None:
    (tmp_path / "obj").mkdir()
    (tmp_path / ".gitignore").write_bytes(layout.IGNORE)
    store = Store.open(tmp_path, create=True)
    store.put("blob", b"x")
    assert Store.open(tmp_path).id == store.id


def test_of_two_makers_the_first_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = layout._refuse_strangers
    ids: list[str] = []

    def late(path: Path) -> None:
        real(path)
        if not ids:
            ids.append("")
            ids[0] = Store.open(path, create=True).id

    monkeypatch.setattr(layout, "_refuse_strangers", late)
    assert Store.open(tmp_path / "s", create=True).id == ids[0]


@pytest.mark.parametrize(
    ("marker", "kind", "code"),
    [
        (b"", IntegrityError, "store-damaged"),
        (b"{", IntegrityError, "store-damaged"),
        (b"[]", IntegrityError, "store-damaged"),
        (b"{}", IntegrityError, "store-damaged"),
        (b'{"format":1}', IntegrityError, "store-damaged"),
        (b'{"format":"other/1"}', IntegrityError, "store-damaged"),
        (b'{"format":"probatum-store/1","hash":"sha256"}', IntegrityError, "store-damaged"),
        (
            b'{"format":"probatum-store/1","hash":"sha256","id":"x"}',
            IntegrityError,
            "store-damaged",
        ),
        (b'{"format":"probatum-store/1","hash":"sha256","id":1}', IntegrityError, "store-damaged"),
        (
            b'{"format":"probatum-store/1","hash":"md5","id":"%b"}' % (b"0" * 32),
            IntegrityError,
            "store-damaged",
        ),
        (
            b'{"format":"probatum-store/1","hash":"sha256","id":"%b"}\r\n' % (b"0" * 32),
            IntegrityError,
            "store-damaged",
        ),
        (b'{"format":"probatum-store/2","new":true}', EnvironmentFault, "newer-format"),
    ],
)
def test_a_marker_that_says_something_else_is_refused(
    tmp_path: Path, marker: bytes, kind: type[Exception], code: str
) -> None:
    Store.open(tmp_path / "s", create=True)
    (tmp_path / "s/store.json").write_bytes(marker)
    for create in (True, False):
        with pytest.raises(kind) as caught:
            Store.open(tmp_path / "s", create=create)
        assert caught.value.code == code  # type: ignore[attr-defined]
        assert caught.value.hint  # type: ignore[attr-defined]
    assert (tmp_path / "s/store.json").read_bytes() == marker


def test_a_link_in_place_of_the_marker_is_refused(tmp_path: Path) -> None:
    Store.open(tmp_path / "s", create=True)
    marker = tmp_path / "s/store.json"
    marker.rename(tmp_path / "elsewhere")
    marker.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(IntegrityError) as caught:
        Store.open(tmp_path / "s")
    assert caught.value.code == "not-a-file"


def test_a_store_may_be_reached_through_a_link(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "real", create=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert Store.open(tmp_path / "link").id == store.id
