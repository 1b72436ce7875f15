"""Reading an answer as JSON, and saying in codes why it is none."""

from typing import Any, NamedTuple

from probatum.canonical import foreign_json
from probatum.errors import CanonicalError, LimitError
from probatum.records.judgment import Clue


class Parsed(NamedTuple):
    """A value, or the clue that says why there is none."""

    value: Any
    flaw: Clue | None = None


def parse(text: str) -> Parsed:
    """Read the whole text as one JSON value.

    JSON with two meanings is none: duplicate keys and NaN are refused.
    """
    try:
        return Parsed(foreign_json(text))
    except CanonicalError as error:
        code = "duplicate-key" if error.code == "duplicate-key" else "not-json"
        return Parsed(None, Clue(code=code))
    except LimitError:
        return Parsed(None, Clue(code="too-deep"))
