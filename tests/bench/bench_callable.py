"""The system under test of the peer benchmark: it does nothing, so the harness is what is measured.

Each call appends one byte to a file beside this module. That costs both sides the same microsecond,
works from threads and worker processes, and shows whether an execution was skipped.
"""

import os
from pathlib import Path

ANSWER = "The answer is 42."

_calls = os.open(Path(__file__).with_name("calls"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)


def answer(prompt: str) -> str:
    """Count the call and return a constant."""
    os.write(_calls, b".")
    return ANSWER
