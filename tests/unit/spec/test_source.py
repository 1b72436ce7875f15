from __future__ import annotations

from pathlib import Path

import pytest

from probatum.errors import LimitError, NotFoundError, SpecError
from probatum.spec import source


def test_reads_from_disk(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfx")
    data = source.reader(None)(str(tmp_path / "a"))
    assert data == b"\xef\xbb\xbfx"
    assert source.decode("a", data) == "x"


def test_reads_from_memory_and_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"disk")
    read = source.reader({"b": b"memory"})
    assert read("b") == b"memory"
    with pytest.raises(NotFoundError) as caught:
        read(str(tmp_path / "a"))
    assert caught.value.candidates == ("b",)


@pytest.mark.parametrize(
    ("name", "words", "code"),
    [
        ("none.yaml", "none.yaml: no such file", "no-such-file"),
        (".", ".: is a folder", "unreadable"),
        ("a\0b", "embedded null byte", "unreadable"),
        ("x" * 300, "File name too long", "unreadable"),
        ("file/below", "Not a directory", "unreadable"),
    ],
)
def test_what_cannot_be_read(
    name: str, words: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_bytes(b"")
    with pytest.raises(SpecError) as caught:
        source.reader(None)(name)
    assert words in str(caught.value)
    assert caught.value.code == code


def test_files_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "big"
    path.write_bytes(b" " * (source.MAX_SOURCE + 1))
    with pytest.raises(LimitError, match="big: larger than 16 MiB"):
        source.reader(None)(str(path))
    with pytest.raises(LimitError):
        source.reader({"big": path.read_bytes()})("big")


def test_bytes_that_are_no_text_have_line_column_and_offset() -> None:
    with pytest.raises(SpecError) as caught:
        source.decode("s.yaml", "é: 1\nü: a".encode() + b"\xff")
    assert str(caught.value) == "s.yaml:2:5: not UTF-8: byte 0xff at offset 11"
    assert caught.value.problems == (str(caught.value),)
    assert (caught.value.code, caught.value.hint) == ("not-utf8", "save the file as UTF-8")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_named(encoding: str) -> None:
    with pytest.raises(SpecError) as caught:
        source.decode("s.yaml", "\ufeffa: 1".encode(encoding))
    assert caught.value.hint == "the file looks like UTF-16: save it as UTF-8"


def test_paths_keep_what_was_given() -> None:
    assert source.slashed(Path("../a/./b.yaml")) == "../a/b.yaml"
