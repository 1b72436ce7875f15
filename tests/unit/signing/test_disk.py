"""Files that decide about trust: what a failed write or read leaves behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from probatum.signing.disk import complete_file, folder_of


def test_a_temporary_file_goes_when_nobody_takes_it(tmp_path: Path) -> None:
    with complete_file(tmp_path / "x", b"data", 0o600) as temporary:
        assert temporary.read_bytes() == b"data"
        assert temporary.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_closed_after_a_failure(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), folder_of(tmp_path / "x") as descriptor:
        raise RuntimeError
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
