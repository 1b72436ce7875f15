from __future__ import annotations

import errno
from pathlib import Path

import pytest

from probatum.errors import EnvironmentFault
from probatum.store.faults import fault, faults


def test_a_known_error_has_a_code_and_a_hint() -> None:
    error = fault(OSError(errno.ENOSPC, "No space left on device"), Path("/s/pack"))
    assert str(error) == "/s/pack: no space left"
    assert (error.code, bool(error.hint)) == ("no-space", True)


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), OSError("strange")])
def test_any_other_error_is_a_fault_of_the_disk(error: OSError) -> None:
    assert fault(error, Path("x")).code == "disk"


def test_only_errors_of_the_system_are_turned() -> None:
    with pytest.raises(EnvironmentFault), faults(Path("x")):
        raise PermissionError(errno.EACCES, "Permission denied")
    with pytest.raises(KeyError), faults(Path("x")):
        raise KeyError("x")
