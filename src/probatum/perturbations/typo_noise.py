"""The family `typo_noise`: slips of the hand on a keyboard."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import compress, pairwise
from typing import Final, NamedTuple

import msgspec

from probatum.perturbations import graphemes
from probatum.perturbations.params import (
    FORMAT_DEFAULTS,
    Samples,
    check_proportion,
    clear_of,
    share,
    subset,
)
from probatum.plugins import unicode14
from probatum.plugins.draws import Draws
from probatum.plugins.protocols import NotApplicable, Sample, Sampler, Stance, Subject
from probatum.records.perturbation import Edit, Operation

_ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_DIGITS: Final = "1234567890"
# A draw times the number of possible errors, in units of 2^32: swap, delete,
# double, then with a neighbouring key insert and replace.
_DELETE: Final = 1 << 32
_DOUBLE: Final = 2 << 32
_KEYED: Final = 3 << 32
_REPLACE: Final = 4 << 32
_WORD: Final = (1 << 32) - 1
# For each byte, whether a character of ASCII text may change: any that is shown, or any letter.
_SHOWN: Final = bytes([0x21 <= code < 0x7F for code in range(256)])
_LETTER: Final = bytes([chr(code).isalpha() for code in range(128)]) + bytes(128)


def _neighbours() -> dict[str, str]:
    """Return the keys that touch each letter or digit of a QWERTY board."""
    found: dict[str, str] = {}
    for row in (*_ROWS, _DIGITS):
        for at, key in enumerate(row):
            found[key] = row[max(at - 1, 0) : at] + row[at + 1 : at + 2]
    for above, below in pairwise(_ROWS):
        for at, key in enumerate(below):
            for touched in above[at : at + 2]:
                found[key] += touched
                found[touched] += key
    return found | {key.upper(): near.upper() for key, near in found.items() if key.isalpha()}


NEIGHBOURS: Final[Mapping[str, str]] = _neighbours()


class TypoNoiseParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of `typo_noise`.

    Attributes:
        count: Distinct perturbations asked for.
        rate: Share of the characters that may change, which a typo befalls.
        protect: Leave facts and everything that is no letter alone.
    """

    count: Samples = 5
    rate: Decimal = Decimal("0.05")
    protect: bool = False

    def __post_init__(self) -> None:
        check_proportion("rate", self.rate)


class TypoNoise:
    """Typing errors.

    What it does:
        Swaps two neighbours, drops a character, doubles it, adds the key
        beside it, or hits the key beside it instead, with equal chances where
        all five are possible. The number of errors is `rate` of the
        characters that may change, rounded half up, at least one; they fall
        on distinct characters, drawn without replacement. Letters keep the
        case of their place. A character is what a reader sees as one: an
        accented letter, a flag or an emoji with a skin tone is never cut.

        Drawn so: of the n characters that may change, in order of the text,
        word j of the first k gives member `word × (n − k + j) >> 32`
        (j from 1), or n − k + j − 1 if that is taken. Each member, in order
        of the text, takes one word of the next k: `word × 5 >> 32` is 0
        swap, 1 drop, 2 double, 3 add, 4 hit, and the low 32 bits of that
        product, times the number of keys, `>> 32`, choose the key from those
        to the left, right, upper left, upper right, lower left and lower
        right, as far as there are any; without keys the factor is 3. A swap
        with a character that is no neighbour, may not change, is drawn itself
        or would change nothing becomes a drop; a drop that would leave no
        neighbour in its word becomes a doubling.

    Why it matters:
        People type in a hurry. A system that answers the clean question and
        fails the mistyped one has learnt the wording, not the task.

    Example:
        `How do I return a jacket?` with `rate: 0.1` becomes
        `How do I retrun a jackst?`.

    Parameters:
        count: how many distinct perturbations are asked for, 1 to 100000;
        5 unless given.
        rate: share of the characters that may change, 0 to 1; 0.05 unless
        given. A rate of 0 changes nothing, which is counted as no evidence.
        protect: leave numbers, URLs, e-mail addresses, code, template
        variables and the values that the case looks for untouched, and mutate
        letters only. Off unless given; `probatum` files switch it on.

    Limits:
        The keyboard is QWERTY and gives neighbours to Latin letters, with or
        without accent, and to digits; text in other scripts gets swaps,
        losses and doublings of its own characters, never foreign letters. A
        swap or a loss never empties a word of its last character. Without
        `protect` digits and punctuation change too, which can change the
        question. Text without a character that may change is not applicable:
        `no-letters` (with `protect`), `blank`, or `all-protected`.
    """

    name = "typo_noise"
    version = 1
    stance: Stance = "preserving"
    params = TypoNoiseParams
    format_defaults = FORMAT_DEFAULTS

    def count(self, params: TypoNoiseParams) -> int:
        """Return how many perturbations are asked for."""
        return params.count

    def prepare(self, subject: Subject, params: TypoNoiseParams) -> Sampler | NotApplicable:
        """Find what may change, once for all samples."""
        text = subject.text
        board = _ascii_board(text, params) if text.isascii() else _board(text, params)
        if not board.places:
            return NotApplicable("no-letters" if params.protect else "blank")
        if params.protect and subject.protected:
            spans = ((board.offsets[at], board.offsets[at + 1]) for at in board.places)
            open_places = compress(board.places, clear_of(subject.protected, spans))
            board = board._replace(places=list(open_places))
            if not board.places:
                return NotApplicable("all-protected")
        return _sampler(board, subject.message, share(params.rate, len(board.places)))


class _Board(NamedTuple):
    """Text cut into characters, and the places (indices) where errors may fall."""

    units: list[str]
    offsets: list[int]
    places: list[int]
    near: Mapping[str, str]


def _ascii_board(text: str, params: TypoNoiseParams) -> _Board:
    may_change = text.encode("ascii").translate(_LETTER if params.protect else _SHOWN)
    places = list(compress(range(len(text)), may_change))
    return _Board(list(text), list(range(len(text) + 1)), places, NEIGHBOURS)


def _board(text: str, params: TypoNoiseParams) -> _Board:
    offsets = [*graphemes.starts(text), len(text)]
    units = [text[start:end] for start, end in pairwise(offsets)]
    kinds = "L" if params.protect else "LNPS"
    places = [
        at
        for at, unit in enumerate(units)
        if unicode14.category(unit[0])[0] in kinds and _stands_alone(units, at)
    ]
    near = {unit: keys for unit in {units[at] for at in places} if (keys := _keys_near(unit))}
    return _Board(units, offsets, places, near)


def _stands_alone(units: Sequence[str], at: int) -> bool:
    """Say whether changing this character leaves all others as they are.

    Half a flag, or a joiner at the end of what is before, would join with
    whatever comes next to it.
    """
    if _joins_before(units[at][0]) or _joins_after(units[at]):
        return False
    if at and _joins_after(units[at - 1]):
        return False
    return at + 1 == len(units) or not _joins_before(units[at + 1][0])


def _joins_before(character: str) -> bool:
    return graphemes.extends(character) or graphemes.is_loose_jamo(character)


def _joins_after(unit: str) -> bool:
    whole_flag = len(unit) == 2 and all(map(graphemes.is_flag_half, unit))
    return graphemes.holds_next(unit[-1]) and not whole_flag


def _keys_near(unit: str) -> str:
    base = unicodedata.normalize("NFD", unit)
    if base[0] in NEIGHBOURS and all(unicode14.category(mark)[0] == "M" for mark in base[1:]):
        return NEIGHBOURS[base[0]]
    return ""


def _sampler(board: _Board, message: int, errors: int) -> Sampler:
    total = len(board.places)

    def sample(draws: Draws) -> Sample:
        chosen = subset(draws, total, errors)
        edits, text = _errors(board, message, chosen, draws.words(errors))
        return Sample("typo", tuple(edits), text)

    return sample


def _errors(
    board: _Board, message: int, chosen: set[int], words: Sequence[int]
) -> tuple[list[Edit], str]:
    """Return one error at each slot (an index into `places`), and the text that they make."""
    units, offsets, places, near = board
    changed = units.copy()
    edits: list[Edit] = []
    lost = -2
    for slot, word in zip(sorted(chosen), words, strict=True):
        place = places[slot]
        at, old = offsets[place], units[place]
        keys = near.get(old, "")
        pick = word * (5 if keys else 3)
        op: Operation = "insert"
        if pick >= _KEYED:
            new = keys[(pick & _WORD) * len(keys) >> 32]
            if pick >= _REPLACE:
                op = "replace"
        else:
            new = old
            if pick < _DOUBLE:
                after = slot + 1
                free = after < len(places) and places[after] == place + 1 and after not in chosen
                if pick < _DELETE and free:
                    both = old + units[place + 1]
                    turned = _swapped(old, units[place + 1])
                    if turned != both:
                        op, old, new = "swap", both, turned
                        changed[place + 1] = ""
                if op != "swap" and (
                    free or (slot and lost != slot - 1 and places[slot - 1] == place - 1)
                ):
                    op, new, lost = "delete", "", slot
        if op == "insert":
            changed[place] = old + new
            at, old = offsets[place + 1], ""
        else:
            changed[place] = new
        edits.append(Edit(message=message, at=at, op=op, old=old, new=new))
    return edits, "".join(changed)


def _swapped(first: str, second: str) -> str:
    """Return two characters the other way round, each place keeping its case."""
    if first.isupper() and second.islower():
        return _cased(second, unicode14.upper) + _cased(first, unicode14.lower)
    if first.islower() and second.isupper():
        return _cased(second, unicode14.lower) + _cased(first, unicode14.upper)
    return second + first


def _cased(unit: str, convert: Callable[[str], str]) -> str:
    changed = "".join(map(convert, unit))
    return changed if len(changed) == len(unit) else unit
