"""What to do about an error that brings no hint of its own.

The code decides; where no code is listed, the class of the error does.
"""

from __future__ import annotations

from typing import Final

from probatum.errors import (
    CanonicalError,
    ConflictError,
    EnvironmentFault,
    IntegrityError,
    KeyFault,
    LimitError,
    NotFoundError,
    ProbatumError,
    ProviderFault,
    SpecError,
    UsageError,
)

_KEYS: Final = "docs/spec.md says what each key takes"
_HEAD: Final = 'a spec begins with: probatum: {version: "1", name: …}'

_BY_CODE: Final[dict[str, str]] = {
    "bad-recording": "mend that line of the recordings",
    "bad-schema": "mend the schema",
    "duplicate-case": "rename one of them",
    "duplicate-key": "keep one of them",
    "empty": _HEAD,
    "empty-passphrase": "set PROBATUM_PASSPHRASE",
    "import-error": "run it with Python on its own to see where",
    "journal-damaged": "it cannot be resumed; run the spec anew",
    "missing-key": "docs/spec.md lists the keys",
    "no-cases": "add one under cases",
    "no-object": "`probatum log` lists sessions; `probatum inspect --json` has the ids in one",
    "not-a-mapping": _HEAD,
    "not-a-session": "`probatum log` lists sessions",
    "not-available": "leave it out; docs/spec.md lists what can be used",
    "not-callable": "name a function",
    "not-utf8": "save the file as UTF-8",
    "not-yaml": "mend the YAML at that place",
    "several-documents": "keep one of them",
    "tag": "write plain values",
    "unknown-version": "use the version that this release reads, or another release",
    "unreadable": "check the path and its permissions",
    "weak-key": "make another key: probatum key new NAME",
}

_BY_CLASS: Final[tuple[tuple[type[ProbatumError], str], ...]] = (
    (UsageError, "see `probatum --help`"),
    (SpecError, _KEYS),
    (NotFoundError, "`probatum log` lists sessions"),
    (ConflictError, "settle it, then try again"),
    (EnvironmentFault, "check the path and its permissions"),
    (KeyFault, "`probatum key list` and `probatum trust list` show what there is"),
    (ProviderFault, "check the model section of the spec"),
    (LimitError, "make it smaller, or cut it up"),
    (CanonicalError, "write it in UTF-8"),
    (IntegrityError, "`probatum verify --all` says what else is damaged"),
)


def hint_for(error: ProbatumError) -> str:
    """Return the hint of an error, its own or the one that its code or class has.

    A message that ends with a bracket has said it already.
    """
    if error.hint or str(error).endswith(")"):
        return error.hint
    if error.code in _BY_CODE:
        return _BY_CODE[error.code]
    return next((hint for kind, hint in _BY_CLASS if isinstance(error, kind)), "")
