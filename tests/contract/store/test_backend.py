"""What every place for files promises."""

from __future__ import annotations

import pytest

from probatum.errors import ConflictError, LimitError
from probatum.store.backend import Backend


def test_what_is_absent_is_nothing_and_no_error(backend: Backend) -> None:
    assert backend.read("a/b", 10) is None
    assert backend.read_at("a/b", 0, 10) is None
    assert backend.size("a/b") is None
    assert backend.list("a") == []
    assert backend.open_log("a/b") is None
    assert not backend.is_held("a/b")
    backend.touch("a/b")
    assert backend.list("") == []


def test_a_file_is_read_whole_and_in_part(backend: Backend) -> None:
    assert backend.create("a/b/c", b"0123456789")
    assert backend.read("a/b/c", 10) == b"0123456789"
    assert backend.read_at("a/b/c", 3, 4) == b"3456"
    assert backend.read_at("a/b/c", 8, 4) == b"89"
    assert backend.read_at("a/b/c", 10, 4) == b""
    assert backend.size("a/b/c") == 10
    backend.touch("a/b/c")
    assert backend.read("a/b/c", 10) == b"0123456789"


def test_a_file_over_the_limit_is_refused(backend: Backend) -> None:
    backend.create("a", b"0123456789")
    with pytest.raises(LimitError, match="10 bytes"):
        backend.read("a", 9)


def test_a_file_that_is_there_stays_unless_it_is_replaced(backend: Backend) -> None:
    assert backend.create("a", b"old")
    assert not backend.create("a", b"new")
    assert backend.read("a", 9) == b"old"
    assert backend.create("a", b"new", replace=True)
    assert backend.read("a", 9) == b"new"


def test_names_are_sorted_and_only_those_of_the_folder(backend: Backend) -> None:
    for path in ("x/b", "x/a", "x/c/d", "y"):
        backend.create(path, b"")
    assert backend.list("x") == ["a", "b", "c"]
    assert set(backend.list("")) >= {"x", "y"}


def test_a_staged_file_is_nowhere_until_it_is_committed(backend: Backend) -> None:
    staged = backend.stage()
    staged.write(b"01")
    staged.write(b"23")
    assert backend.read("a", 9) is None
    assert staged.commit("a")
    assert backend.read("a", 9) == b"0123"
    staged.abort()
    assert backend.read("a", 9) == b"0123"


def test_an_aborted_file_leaves_nothing(backend: Backend) -> None:
    staged = backend.stage()
    staged.write(b"01")
    staged.abort()
    staged.abort()
    assert backend.list("tmp") == []


def test_a_log_grows_and_is_held_by_one(backend: Backend) -> None:
    log = backend.create_log("tmp/a", b"01")
    log.append(b"23")
    log.sync()
    assert log.size == 4
    assert log.read_at(1, 2) == b"12"
    assert log.read_at(3, 9) == b"3"
    assert backend.read("tmp/a", 9) == b"0123"
    assert backend.size("tmp/a") == 4
    assert backend.is_held("tmp/a")
    with pytest.raises(ConflictError):
        backend.open_log("tmp/a")
    log.close()
    log.close()
    assert not backend.is_held("tmp/a")


def test_a_log_is_taken_over_cut_and_removed(backend: Backend) -> None:
    backend.create_log("tmp/a", b"0123").close()
    log = backend.open_log("tmp/a")
    assert log is not None
    log.truncate(2)
    log.append(b"x")
    assert log.read_at(0, 9) == b"01x"
    assert log.size == 3
    log.remove()
    assert backend.list("tmp") == []
    assert backend.open_log("tmp/a") is None


def test_the_lock_can_be_taken_again_and_again(backend: Backend) -> None:
    for _ in range(3):
        with backend.lock():
            backend.create("a", b"")
    assert backend.read("a", 9) == b""
