"""Running the tools that the outside world checks signatures with."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence

import pytest

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="session")
def tool() -> Run:
    """Run a program; a machine without it skips the test, and says so."""

    def run(*command: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        words: Sequence[str] = command
        if shutil.which(words[0]) is None:
            pytest.skip(f"{words[0]} is not installed")
        return subprocess.run(words, input=data, capture_output=True, timeout=60)

    return run
