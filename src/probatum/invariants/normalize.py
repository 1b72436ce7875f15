"""Normalisation profiles: what may differ without being a difference.

A profile is a declared list of steps, applied in order to the output and to
the values it is compared with. NFKC alone folds neither curly quotes, nor
zero-width characters, nor the minus sign, hence the steps of their own.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from probatum.errors import SpecError

_SPACES: Final = re.compile(r"\s+")
_DASHES: Final = dict.fromkeys(
    map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-"
)
_QUOTES: Final = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u02bc\uff07"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02"), '"'),
}
_ZERO_WIDTH: Final = dict.fromkeys(
    map(ord, "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\ufeff")
)


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _nfkc(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _spaces(text: str) -> str:
    return _SPACES.sub(" ", text).strip(" ")


def _dashes(text: str) -> str:
    return text.translate(_DASHES)


def _quotes(text: str) -> str:
    return text.translate(_QUOTES)


def _zero_width(text: str) -> str:
    return text.translate(_ZERO_WIDTH)


MAX_STEPS: Final = 16
"""Steps of one profile at most; one step can make text eighteen times as long."""

STEPS: Final[Mapping[str, Callable[[str], str]]] = {
    "nfc": _nfc,
    "nfkc": _nfkc,
    "case": str.casefold,
    "spaces": _spaces,
    "dashes": _dashes,
    "quotes": _quotes,
    "zero-width": _zero_width,
}
"""The known steps: canonical and compatibility composition; letter case;
runs of white space become one space and none at the ends; hyphens, dashes
and the minus sign become ``-``; curly, low and angled quotes and primes
become straight ones; zero-width characters and soft hyphens go."""


def normalizer(steps: Sequence[str]) -> Callable[[str], str]:
    """Return the function that applies the steps in order.

    Raises:
        SpecError: If a step is not known, or there are more than 16.
    """
    if len(steps) > MAX_STEPS:
        raise SpecError(
            f"{len(steps)} normalisation steps, over the limit of {MAX_STEPS}",
            code="too-many-steps",
            hint="give each step once",
        )
    functions = []
    for step in steps:
        if step not in STEPS:
            near = difflib.get_close_matches(step, STEPS, n=1)
            raise SpecError(
                f"no normalisation step is called {step!r}",
                code="unknown-normalize-step",
                hint=f"did you mean {near[0]!r}?" if near else f"known: {', '.join(STEPS)}",
            )
        functions.append(STEPS[step])

    def normalize(text: str) -> str:
        for function in functions:
            text = function(text)
        return text

    return normalize
