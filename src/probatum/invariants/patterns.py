"""Regular expressions that cannot run away, whoever wrote pattern and text.

The engine is RE2: time linear in the text, memory bounded, and for that price
no lookaround and no back-references.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

import re2

from probatum.errors import SpecError

_MEMORY: Final = 8 * 2**20
_SURROGATE: Final = "[\ud800-\udfff]"


class Pattern:
    """A compiled pattern; matching never fails, whatever the text holds.

    Args:
        source: The pattern in RE2 syntax.

    Raises:
        SpecError: If RE2 does not take the pattern.
    """

    __slots__ = ("_compiled",)

    def __init__(self, source: str) -> None:
        options = re2.Options()
        options.max_mem = _MEMORY
        options.log_errors = False
        try:
            self._compiled: Any = re2.compile(source, options)
        except re2.error as error:
            raise SpecError(
                f"the pattern {source!r} cannot be used: {_words(error)}",
                code="bad-pattern",
                hint="RE2 syntax: no lookaround, no back-references, at most 1000 repetitions",
            ) from None
        except UnicodeEncodeError:
            raise SpecError("the pattern holds a lone surrogate", code="bad-pattern") from None

    def search(self, text: str, *, whole: bool = False) -> tuple[int, int] | None:
        """Return the span of the first match in code points, if there is one.

        Args:
            text: Any text; a lone surrogate is matched as U+FFFD.
            whole: The match must be the whole text.
        """
        find = self._compiled.fullmatch if whole else self._compiled.search
        try:
            match = find(text)
        except UnicodeEncodeError:
            match = find(re.sub(_SURROGATE, "\ufffd", text))
        return None if match is None else match.span()


@lru_cache(maxsize=256)
def pattern(source: str) -> Pattern:
    """Return a compiled pattern, made once."""
    return Pattern(source)


def _words(error: Exception) -> str:
    detail = error.args[0] if error.args else ""
    return detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
