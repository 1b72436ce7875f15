from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probatum.errors import ConflictError, EnvironmentFault, IntegrityError
from probatum.store import disk as module
from probatum.store import disklog, locks
from probatum.store.disk import DiskBackend


@pytest.fixture
def disk(tmp_path: Path) -> DiskBackend:
    return DiskBackend(tmp_path)


def plant(kind: str, path: Path, outside: Path) -> None:
    """Put something that is no regular file at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        outside.write_bytes(b"outside")
        path.symlink_to(outside)
    elif kind == "dangling":
        path.symlink_to(outside)
    elif kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)


@pytest.mark.parametrize("kind", ["link", "dangling", "folder", "fifo"])
def test_what_is_no_file_is_refused_where_a_file_belongs(
    kind: str, disk: DiskBackend, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "file"
    plant(kind, disk.root / "obj/ab/x", outside)
    for reading in (
        lambda: disk.read("obj/ab/x", 99),
        lambda: disk.read_at("obj/ab/x", 0, 9),
        lambda: disk.size("obj/ab/x"),
        lambda: disk.is_held("obj/ab/x"),
        lambda: disk.open_log("obj/ab/x"),
    ):
        with pytest.raises(IntegrityError) as caught:
            reading()
        assert caught.value.code == "not-a-file"
    assert not disk.create("obj/ab/x", b"new")
    if kind == "link":
        assert outside.read_bytes() == b"outside"


def test_replacing_a_planted_link_leaves_what_it_led_to(
    disk: DiskBackend, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "file"
    plant("link", disk.root / "pack/x", outside)
    disk.create("pack/x", b"new", replace=True)
    assert outside.read_bytes() == b"outside"
    assert disk.read("pack/x", 9) == b"new"


@pytest.mark.parametrize("kind", ["link", "file"])
@pytest.mark.parametrize("folder", ["obj", "obj/ab"])
def test_what_is_no_folder_is_refused_where_a_folder_belongs(
    kind: str, folder: str, disk: DiskBackend, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (disk.root / folder).parent.mkdir(exist_ok=True)
    if kind == "link":
        (disk.root / folder).symlink_to(outside)
    else:
        (disk.root / folder).write_bytes(b"")
    for use in (
        lambda: disk.read("obj/ab/x", 99),
        lambda: disk.list("obj/ab"),
        lambda: disk.create("obj/ab/x", b"new"),
    ):
        with pytest.raises(IntegrityError) as caught:
            use()
        assert caught.value.code == "not-a-folder"
    assert list(outside.iterdir()) == []
    assert disk.list("tmp") == []


def failing(number: int, *, after: int = 0) -> Callable[..., Any]:
    """Return a stand-in for a system call that fails after some calls."""
    left = [after]

    def call(*args: Any, **kwargs: Any) -> Any:
        if left[0]:
            left[0] -= 1
            return real(*args, **kwargs)
        raise OSError(number, os.strerror(number))

    real: Callable[..., Any] = os.write
    return call


@pytest.mark.parametrize("name", ["write", "fsync", "link", "open", "mkdir"])
@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "no-space"),
        (errno.EDQUOT, "no-space"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permission"),
        (errno.EIO, "disk"),
        (errno.ESTALE, "disk"),
        (errno.EMFILE, "too-many-files"),
    ],
)
def test_a_machine_that_refuses_leaves_nothing_half_written(
    name: str, number: int, code: str, disk: DiskBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.create("seen", b"1")
    with monkeypatch.context() as patch:
        patch.setattr(module.os, name, failing(number))
        with pytest.raises(EnvironmentFault) as caught:
            disk.create("obj/ab/x", b"data")
    assert caught.value.code == code
    assert "\n" not in str(caught.value)
    assert disk.read("obj/ab/x", 99) is None
    assert disk.list("tmp") == []
    assert disk.create("obj/ab/x", b"data")


def test_a_write_that_takes_only_a_part_goes_on(
    disk: DiskBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_write, real_pwrite = os.write, os.pwrite
    monkeypatch.setattr(os, "write", lambda fd, data: real_write(fd, data[:3]))
    monkeypatch.setattr(os, "pwrite", lambda fd, data, at: real_pwrite(fd, data[:3], at))
    disk.create("a", b"0123456789")
    assert disk.read("a", 99) == b"0123456789"
    log = disk.create_log("tmp/log", b"0123456789")
    log.append(b"abcdefgh")
    assert log.read_at(0, 99) == b"0123456789abcdefgh"
    log.close()


def test_a_read_that_gives_only_a_part_goes_on(
    disk: DiskBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.pread
    disk.create("a", b"0123456789")
    monkeypatch.setattr(os, "pread", lambda fd, size, at: real(fd, min(size, 3), at))
    assert disk.read("a", 99) == b"0123456789"
    assert disk.read_at("a", 4, 99) == b"456789"


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK])
def test_a_file_system_without_links_gets_renames(
    number: int, disk: DiskBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.os, "link", failing(number))
    assert disk.create("a", b"old")
    assert not disk.create("a", b"new")
    assert disk.read("a", 9) == b"old"
    assert disk.list("tmp") == []


def test_a_log_that_cannot_grow_stays_as_it_was(
    disk: DiskBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = disk.create_log("tmp/log", b"01")
    real = os.pwrite
    answers = iter([lambda fd, data, at: real(fd, data[:2], at), failing(errno.ENOSPC)])

    def pwrite(*args: Any) -> int:
        return next(answers)(*args)

    with monkeypatch.context() as patch:
        patch.setattr(disklog.os, "pwrite", pwrite)
        with pytest.raises(EnvironmentFault) as caught:
            log.append(b"234567")
    assert caught.value.code == "no-space"
    assert (log.size, log.read_at(0, 99)) == (2, b"01")
    assert disk.size("tmp/log") == 2
    log.append(b"23")
    assert disk.read("tmp/log", 99) == b"0123"
    log.close()
    with pytest.raises(EnvironmentFault):
        log.append(b"4")
    with pytest.raises(EnvironmentFault):
        log.read_at(0, 1)


def test_a_log_whose_beginning_cannot_be_written_is_not_made(
    disk: DiskBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(module.fcntl, "flock", failing(errno.ENOLCK))
        with pytest.raises(EnvironmentFault) as caught:
            disk.create_log("tmp/log", b"01")
    assert caught.value.code == "no-locks"
    assert disk.list("tmp") == []


def test_a_log_that_its_holder_deletes_while_it_is_opened_is_absent(
    disk: DiskBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.create_log("tmp/log", b"01").close()
    real = disklog._locked

    def late(fd: int) -> bool:
        (disk.root / "tmp/log").unlink()
        return real(fd)

    monkeypatch.setattr(disklog, "_locked", late)
    assert disk.open_log("tmp/log") is None


def test_a_held_lock_is_reported_after_a_while(
    disk: DiskBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    with disk.lock():
        fd = os.open(disk.root / "lock", os.O_RDWR)
        with pytest.raises(ConflictError) as caught:
            locks.exclusive(fd, disk.root / "lock", patience=0.03)
        os.close(fd)
    assert caught.value.code == "locked"


def test_a_lock_that_is_let_go_is_taken(disk: DiskBackend) -> None:
    holder = disk.lock()
    holder.__enter__()
    fd = os.open(disk.root / "lock", os.O_RDWR)
    real, calls = locks.time.sleep, []

    def sleep(seconds: float) -> None:
        calls.append(seconds)
        holder.__exit__(None, None, None)
        real(0)

    locks.time.sleep = sleep  # type: ignore[assignment]
    try:
        locks.exclusive(fd, disk.root / "lock")
    finally:
        locks.time.sleep = real
        os.close(fd)
    assert len(calls) == 1


def test_a_link_in_place_of_the_lock_is_refused(
    disk: DiskBackend, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "file"
    (disk.root / "lock").symlink_to(outside)
    with pytest.raises(IntegrityError), disk.lock():
        pass
    assert not outside.exists()


def test_the_order_of_a_write_is_data_then_name_then_folder(
    disk: DiskBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.create("pack/seen", b"")
    seen: list[str] = []

    def spy(name: str) -> None:
        real = getattr(os, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            if name == "fsync":
                seen.append("fsync folder" if os.path.isdir(f"/proc/self/fd/{args[0]}") else name)  # noqa: PTH112
            else:
                seen.append(name)
            return real(*args, **kwargs)

        monkeypatch.setattr(module.os, name, call)

    for name in ("write", "fsync", "link", "rename", "unlink"):
        spy(name)
    disk.create("pack/x", b"1")
    assert seen == ["write", "fsync", "link", "fsync folder", "unlink"]
    seen.clear()
    disk.create("pack/x", b"2", replace=True)
    assert seen[:4] == ["write", "fsync", "rename", "fsync folder"]


def test_a_folder_that_may_not_be_entered_is_no_absence(
    disk: DiskBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.create("pack/x", b"")
    real = os.open

    def refuse(path: Any, *args: Any, **kwargs: Any) -> int:
        if path == "pack":
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, *args, **kwargs)

    monkeypatch.setattr(module.os, "open", refuse)
    with pytest.raises(EnvironmentFault) as caught:
        disk.read("pack/x", 9)
    assert caught.value.code == "permission"


def test_an_error_while_listing_is_no_absence(
    disk: DiskBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.create("pack/x", b"")
    monkeypatch.setattr(module.os, "listdir", failing(errno.EIO))
    with pytest.raises(EnvironmentFault):
        disk.list("pack")


def test_touching_sets_the_time_to_now(disk: DiskBackend) -> None:
    disk.create("pack/x", b"")
    os.utime(disk.root / "pack/x", (0, 0))
    disk.touch("pack/x")
    assert (disk.root / "pack/x").stat().st_mtime > 1e9
