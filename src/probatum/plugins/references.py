"""``${NAME}`` in authored options: a place for a secret that is stored nowhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from probatum.errors import ProviderFault

_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

SHORTEST: Final = 6
"""Values of fewer code points are not taken out of text: they are no secrets, but words."""


def expand(text: str, environ: Mapping[str, str]) -> str:
    """Return `text` with the values of what it refers to.

    Raises:
        ProviderFault: ``missing-credential`` if something is not set.
    """

    def value(match: re.Match[str]) -> str:
        found = environ.get(match[1])
        if not found:
            raise ProviderFault(
                f"{match[1]} is not set",
                code="missing-credential",
                hint=f"the model section refers to ${{{match[1]}}}: set it in the environment",
            )
        return found

    return _REFERENCE.sub(value, text)


def redactor(options: Any, environ: Mapping[str, str]) -> Callable[[str], str] | None:
    """Return what puts ``${NAME}`` for every value that authored options refer to.

    Returns:
        Nothing if they refer to nothing that is set.
    """
    names = {name for text in _texts(options) for name in _REFERENCE.findall(text)}
    values = {
        environ[name]: name for name in sorted(names) if len(environ.get(name, "")) >= SHORTEST
    }
    if not values:
        return None
    longest_first = sorted(values, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    return lambda text: pattern.sub(lambda match: f"${{{values[match[0]]}}}", text)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
