"""Every exception probatum raises on purpose, and the one table of exit codes.

Classes are grouped by what a handler does with them, not by the module that
raises them::

    ProbatumError                   anything below; one line, a code, a hint
    ├── UsageError          64      the call was wrong: fix the arguments
    ├── SpecError            3      an authored file is wrong: fix the file
    ├── NotFoundError        3      no such name, or more than one: pick another
    ├── ConflictError        3      two heads, a held lock: settle it, try again
    ├── EnvironmentFault     3      disk, permission, missing program or extra
    ├── KeyFault             3      a private key or trust file cannot be used
    ├── ProviderFault        3      the system under test cannot be reached
    ├── LimitError           3      input beyond a documented limit
    ├── CanonicalError       3      a value that has no canonical form
    ├── IntegrityError       7      stored bytes are not what their id says
    └── Interrupted        130      stopped by the user; resumable

Results of checking are values, never exceptions; an exception means that
something could not be done. A handler shows ``str(error)``, ``error.code``
and, if there is one, ``error.hint``.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """What a process answers; the same table for every command.

    Codes 1, 2, 4, 5 and 6 are verdicts and come only from commands that
    resolve or compare verdicts; the others come from any command.
    """

    OK = 0
    DEGRADED = 1
    FAILED = 2
    ERROR = 3
    INSUFFICIENT = 4
    REGRESSION = 5
    LOW_FALSIFIABILITY = 6
    INTEGRITY = 7
    NOT_TRUSTED = 8
    USAGE = 64
    INTERNAL = 70
    INTERRUPTED = 130


class ProbatumError(Exception):
    """Base of every deliberate failure.

    Args:
        message: One line that says what is wrong, without a final full stop.
        code: A stable kebab-case word for machines; the class gives a default.
        hint: What to do about it, or nothing.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.ERROR
    default_code: ClassVar[str] = "error"

    def __init__(self, message: str, *, code: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.code = code or self.default_code
        self.hint = hint


class UsageError(ProbatumError):
    """The call itself was wrong."""

    exit_code = ExitCode.USAGE
    default_code = "usage"


class SpecError(ProbatumError):
    """An authored file is wrong.

    Attributes:
        problems: Every problem found, one line each, in file order.
    """

    default_code = "bad-spec"

    def __init__(
        self, message: str, *, problems: Sequence[str] = (), code: str = "", hint: str = ""
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.problems = tuple(problems)


class NotFoundError(ProbatumError):
    """A name leads to nothing, or to more than one thing.

    Attributes:
        candidates: Names that the user may have meant.
    """

    default_code = "not-found"

    def __init__(
        self, message: str, *, candidates: Sequence[str] = (), code: str = "", hint: str = ""
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.candidates = tuple(candidates)


class ConflictError(ProbatumError):
    """Two writers, or two heads, that only a person or a retry can settle."""

    default_code = "conflict"


class EnvironmentFault(ProbatumError):
    """The machine refuses: disk, permission, a missing program or extra."""

    default_code = "environment"


class KeyFault(ProbatumError):
    """A private key, public key or trust file cannot be used."""

    default_code = "bad-key"


class ProviderFault(ProbatumError):
    """The system under test could not be reached or set up."""

    default_code = "provider"


class LimitError(ProbatumError):
    """Input beyond a documented limit, refused before memory is spent on it."""

    default_code = "limit"


class CanonicalError(ProbatumError):
    """A value that the canonical JSON profile cannot hold."""

    default_code = "not-canonical"


class IntegrityError(ProbatumError):
    """Stored bytes are not what their id, their index or their form promises."""

    exit_code = ExitCode.INTEGRITY
    default_code = "corrupt"


class Interrupted(ProbatumError):
    """The user stopped the work; what was acknowledged is kept."""

    exit_code = ExitCode.INTERRUPTED
    default_code = "interrupted"
