"""The rule `regex`: the answer has a form."""

import re
from fractions import Fraction
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from probatum.errors import SpecError
from probatum.invariants.matching import view
from probatum.invariants.patterns import Pattern, pattern
from probatum.plugins.protocols import Check, Outcome
from probatum.records.judgment import Clue

_PROBES: Final = ("", "a", "Z", "0", " ", ".", "\n", "\u00e9", "a\nb")
_LITERAL: Final = r"(?s)\\.|\[[^\]]*\]|\{[^{}]*+\}|\(\?[^:)]*[:)]?|([0-9A-Za-z])"


class RegexParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of `regex`.

    Attributes:
        pattern: In RE2 syntax.
        match: Whether it may match anywhere, or must match the whole answer.
        negate: The pattern must not match.
        ignore_case: Letters match in either case.
        multiline: ``^`` and ``$`` match at line ends too.
        dot_all: ``.`` matches a line end too.
    """

    pattern: Annotated[str, Meta(min_length=1)]
    match: Literal["search", "whole"] = "search"
    negate: bool = False
    ignore_case: bool = False
    multiline: bool = False
    dot_all: bool = False


class Regex:
    r"""The answer matches a pattern.

    What it does:
        Passes when the pattern matches somewhere in the raw answer, or with
        `match: whole` the whole of it; with `negate`, when it does not.
        Evidence: `match` with the span, or `no-match`.

    Why it matters:
        Dates, order numbers and codes have a form long before they have a
        value.

    Example:
        `regex: {pattern: '\bORD-[0-9]{6}\b'}` passes `See ORD-004211.` and
        fails `See order 4211.`

    Parameters:
        pattern: a pattern in RE2 syntax, not empty. One that matches every
        text is refused, since it tests nothing.
        match: `search` unless given, or `whole`.
        negate: false unless given.
        ignore_case: false unless given.
        multiline: false unless given; `^` and `$` match at line ends too.
        dot_all: false unless given; `.` matches a line end too.

    Limits:
        The engine is RE2: time is linear in the answer for any pattern, and
        lookaround and back-references are refused. Classes such as `\w` and
        `\d` are ASCII; `\pL` is any letter. A `normalize` profile changes the
        answer, not the pattern. Declared falsifiability is the number of
        literal letters and digits in the pattern over 50, at most 1; at least
        0.1 and with `match: whole` at least 0.2; 0.02 with `negate`.
    """

    name = "regex"
    version = 1
    params = RegexParams

    def document(self, params: RegexParams) -> bytes | None:  # noqa: ARG002
        """Return nothing: the parameters say it all."""
        return None

    def prepare(
        self,
        params: RegexParams,
        document: bytes | None,  # noqa: ARG002
        normalize: tuple[str, ...],
    ) -> Check:
        """Compile the pattern."""
        flags = "".join(
            letter
            for letter, on in (
                ("i", params.ignore_case),
                ("m", params.multiline),
                ("s", params.dot_all),
            )
            if on
        )
        compiled = pattern(f"(?{flags}){params.pattern}" if flags else params.pattern)
        whole = params.match == "whole"
        _refuse_vacuous(params, compiled)
        looks = view(case_sensitive=True, normalize=normalize)

        def check(text: str) -> Outcome:
            span = compiled.search(looks.of(text).text, whole=whole)
            result = "pass" if (span is None) is params.negate else "fail"
            if span is None:
                clues = (Clue(code="no-match"),) if result == "fail" else ()
            elif looks.exact:
                clues = (Clue(code="match", start=span[0], end=span[1]),)
            else:
                clues = (Clue(code="match"),)
            return Outcome("pass" if result == "pass" else "fail", clues)

        return check

    def contribution(self, params: RegexParams, document: bytes | None) -> Fraction:  # noqa: ARG002
        """Return literal letters and digits / 50 within the documented bounds."""
        if params.negate:
            return Fraction(1, 50)
        literal = sum(1 for found in re.finditer(_LITERAL, params.pattern) if found.group(1))
        least = Fraction(1, 5 if params.match == "whole" else 10)
        return min(Fraction(1), max(least, Fraction(literal, 50)))


def _refuse_vacuous(params: RegexParams, compiled: Pattern) -> None:
    """Refuse a pattern that matches every text.

    Raises:
        SpecError: If it matches texts that have nothing in common.
    """
    whole = params.match == "whole"
    if all(compiled.search(probe, whole=whole) is not None for probe in _PROBES):
        result = "fails" if params.negate else "passes"
        raise SpecError(
            f"the pattern {params.pattern!r} matches every text, so that every answer {result}",
            code="vacuous-pattern",
            hint="anchor it with ^ and $, or ask for at least one character that must be there",
        )
