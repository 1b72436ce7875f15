"""What an unquoted scalar means, decided where its meaning is needed.

YAML 1.1 turns ``no``, ``12:30``, ``2026-01-01`` and ``0777`` into something
that nobody typed. Here every scalar stays the text it is. One that the core
schema of YAML 1.2 would read as a number, a truth value or nothing is marked
`Plain`, so that a place that wants a number can still tell ``5`` from
``"5"``.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

from probatum.canonical import MAX_INT


class Plain(str):
    """An unquoted scalar that is no text to the core schema of YAML 1.2."""

    __slots__ = ()


_WORDS: Final[dict[str, Any]] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_NUMBER: Final = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_STARTS: Final = frozenset("+-.0123456789")
_LONGEST: Final = 64


def plain_scalar(text: str) -> str:
    """Return `text`, marked `Plain` if the core schema reads more into it."""
    if text in _WORDS or (text[0] in _STARTS and _NUMBER.fullmatch(text)):
        return Plain(text)
    return text


def core(value: Plain) -> bool | int | Decimal | None:
    """Return what the core schema reads in an unquoted scalar.

    Raises:
        ValueError: If it is a number too long to be meant, an infinity or no
            number.
    """
    if value in _WORDS:
        found: bool | None = _WORDS[value]
        return found
    if len(value) > _LONGEST:
        raise ValueError(f"the number {value[:12]}… is too long")
    if value.startswith(("0o", "0x")):
        return int(value[2:], 8 if value[1] == "o" else 16)
    body = value.lstrip("+-")
    if body.isdigit():
        return int(value)
    if body[1:2].isalpha() and body[0] == ".":
        raise ValueError(f"{value} is no number that can be stored")
    number = Decimal(value)
    if abs(number.as_tuple().exponent) > _LONGEST:  # type: ignore[arg-type]
        raise ValueError(f"the number {value} is out of range")
    return number


def whole(value: object) -> int:
    """Return the whole number that was typed.

    Raises:
        ValueError: If `value` is anything else; the message says what.
    """
    found = core(value) if isinstance(value, Plain) else value
    if isinstance(found, Decimal) and found == found.to_integral_value():
        found = int(found)
    if type(found) is not int:
        raise ValueError(f"expected a whole number, found {describe(value)}")
    if not -MAX_INT <= found <= MAX_INT:
        raise ValueError(f"{found} is beyond 2^53 - 1")
    return found


def number(value: object) -> Decimal:
    """Return the number that was typed, exactly.

    Raises:
        ValueError: If `value` is anything else; the message says what.
    """
    found = core(value) if isinstance(value, Plain) else value
    if type(found) in (int, Decimal):
        return Decimal(found)  # type: ignore[arg-type]
    raise ValueError(f"expected a number, found {describe(value)}")


def truth(value: object) -> bool:
    """Return the truth value that was typed.

    Raises:
        ValueError: If `value` is anything else; the message says what.
    """
    found = core(value) if isinstance(value, Plain) else value
    if isinstance(found, bool):
        return found
    hint = _TRUTHS.get(str(value).lower(), "") if isinstance(value, str) else ""
    meant = f" (did you mean {hint}?)" if hint else ""
    raise ValueError(f"expected true or false, found {describe(value)}{meant}")


_TRUTHS: Final = {
    **dict.fromkeys(("yes", "y", "on", "true", "1"), "true"),
    **dict.fromkeys(("no", "n", "off", "false", "0"), "false"),
}


def nothing(value: object) -> bool:
    """Tell whether `value` stands for nothing: empty, ``~`` or ``null``."""
    return isinstance(value, Plain) and value in _WORDS and _WORDS[value] is None


def untyped(value: object) -> Any:
    """Return plain JSON values for a tree whose types nobody declares.

    Raises:
        ValueError: If it holds a number that JSON cannot carry.
    """
    if isinstance(value, Plain):
        found = core(value)
        return float(found) if isinstance(found, Decimal) else found
    if isinstance(value, dict):
        return {name: untyped(item) for name, item in value.items()}
    if isinstance(value, list):
        return [untyped(item) for item in value]
    return value


def shortest(value: Decimal) -> str:
    """Return the shortest spelling of a finite number, without an exponent."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def describe(value: object) -> str:
    """Return a few words for a value that is not what was expected."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if nothing(value):
        return "nothing"
    text = str(value)
    shown = repr(text if len(text) <= 40 else text[:39] + "…")
    if isinstance(value, Plain):
        return shown[1:-1]
    if isinstance(value, str) and plain_scalar(text) is not text:
        return f"the text {shown} in quotes"
    return f"the text {shown}"
