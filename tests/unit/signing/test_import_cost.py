"""Checking signatures loads little: no private-key code, no bcrypt."""

from __future__ import annotations

import subprocess
import sys

PROBE = """
import sys
import probatum.signing
import probatum.signing.trustfile
loaded = {name.partition(".")[0] for name in sys.modules}
heavy = {"bcrypt", "msgspec", "cryptography", "pydantic_core", "numpy", "yaml", "click"}
print(sorted(loaded & heavy))
print("cryptography.hazmat.primitives.serialization" in sys.modules)
"""


def test_checkers_load_no_private_key_code() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines() == ["['cryptography', 'msgspec']", "False"]
