"""The family `unicode`: text that looks the same and is not."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import compress, pairwise
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta

from probatum.perturbations import graphemes
from probatum.perturbations.params import (
    FORMAT_DEFAULTS,
    Samples,
    check_proportion,
    clear_of,
    share,
    subset,
)
from probatum.plugins.draws import Draws
from probatum.plugins.protocols import NotApplicable, Sample, Sampler, Stance, Subject
from probatum.records.perturbation import Edit, Operation

Method = Literal["invisible_space", "zero_width", "homoglyph"]

_SPACES: Final = "\u00a0\u2007\u2009\u202f"
_BREAKING: Final = "\u200b\ufeff\u00ad"
_ZERO_WIDTH: Final = _BREAKING + "\u200c\u200d"

# Latin letters and what cannot be told from them in most typefaces, by the
# confusables of Unicode Technical Standard 39: Cyrillic first, then Greek.
LOOKALIKES: Final[Mapping[str, str]] = {
    "a": "\u0430",
    "c": "\u0441",
    "d": "\u0501",
    "e": "\u0435",
    "h": "\u04bb",
    "i": "\u0456",
    "j": "\u0458",
    "o": "\u043e\u03bf",
    "p": "\u0440",
    "q": "\u051b",
    "s": "\u0455",
    "w": "\u051d",
    "x": "\u0445",
    "y": "\u0443",
    "A": "\u0410\u0391",
    "B": "\u0412\u0392",
    "C": "\u0421",
    "E": "\u0415\u0395",
    "G": "\u050c",
    "H": "\u041d\u0397",
    "I": "\u0406\u0399",
    "J": "\u0408",
    "K": "\u041a\u039a",
    "M": "\u041c\u039c",
    "N": "\u039d",
    "O": "\u041e\u039f",
    "P": "\u0420\u03a1",
    "S": "\u0405",
    "T": "\u0422\u03a4",
    "W": "\u051c",
    "X": "\u0425\u03a7",
    "Y": "\u04ae\u03a5",
    "Z": "\u0396",
}


class UnicodeParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of `unicode`.

    Attributes:
        methods: Which methods, taken in turn, each once.
        count: Distinct perturbations asked for of each method.
        rate: Share of the places of a method that change.
        protect: Leave facts alone.
    """

    methods: Annotated[tuple[Method, ...], Meta(min_length=1)] = (
        "invisible_space",
        "zero_width",
        "homoglyph",
    )
    count: Samples = 3
    rate: Decimal = Decimal("0.5")
    protect: bool = False

    def __post_init__(self) -> None:
        check_proportion("rate", self.rate)
        if len(set(self.methods)) != len(self.methods):
            raise ValueError("methods has the same name twice")


class Unicode:
    """Other characters that look the same.

    What it does:
        Makes samples by its methods in turn: of m methods, index i is made by
        the one at place i modulo m of the list, counted from 0.
        `invisible_space` writes spaces as no-break, figure, thin or narrow
        no-break spaces; `zero_width` puts zero-width spaces, joiners,
        byte-order marks and soft hyphens between characters; `homoglyph`
        writes Latin letters as Cyrillic or Greek ones of the same shape.
        `rate` of a method's places change, rounded half up, at least one.
        Where a method has no place, its samples change nothing, which is
        counted as no evidence.

        Drawn so: places are chosen as `typo_noise` chooses characters; then
        each, in order of the text, takes one word, and
        `word × choices >> 32` is what is put there: of U+00A0, U+2007,
        U+2009, U+202F; of U+200B, U+FEFF, U+00AD and, between ASCII
        characters, U+200C, U+200D; of a Cyrillic letter, then a Greek one.
        A method without places takes no word.

    Why it matters:
        Text that is pasted from a document or a web page carries such
        characters, and nobody sees them. A system that answers differently
        compares bytes where people read words. It is also the cheapest way
        around a filter.

    Example:
        `pay now` with `methods: [invisible_space]` becomes `pay now` with
        U+202F between the words.

    Parameters:
        methods: a list of `invisible_space`, `zero_width` and `homoglyph`; all
        three unless given.
        count: how many distinct perturbations are asked for of each method, 1
        to 100000; 3 unless given. With three methods, 3 makes 9.
        rate: share of a method's places that change, 0 to 1; 0.5 unless given.
        A rate of 0 changes nothing, which is counted as no evidence.
        protect: leave numbers, URLs, e-mail addresses, code, template
        variables and the values that the case looks for untouched. Off unless
        given; `probatum` files switch it on.

    Limits:
        Homoglyphs exist for Latin letters only. Zero-width joiners are put
        between ASCII characters only, as elsewhere they can change the shape
        of letters or join emoji. A text on which no method has a place is not
        applicable: `no-spaces`, `too-short` or `no-lookalikes` where one
        method was asked for, else `no-method`; or `all-protected`.
    """

    name = "unicode"
    version = 1
    stance: Stance = "adversarial"
    params = UnicodeParams
    format_defaults = FORMAT_DEFAULTS

    def count(self, params: UnicodeParams) -> int:
        """Return how many perturbations are asked for, over all methods."""
        return params.count * len(params.methods)

    def prepare(self, subject: Subject, params: UnicodeParams) -> Sampler | NotApplicable:
        """Find the places of every method, once for all samples."""
        methods = [(name, _METHODS[name].places(subject.text)) for name in params.methods]
        if not any(places for _, places in methods):
            only = params.methods[0] if len(params.methods) == 1 else None
            return NotApplicable(_METHODS[only].reason if only else "no-method")
        if params.protect:
            methods = [
                (name, _open(places, subject, inserts=_METHODS[name].op == "insert"))
                for name, places in methods
            ]
            if not any(places for _, places in methods):
                return NotApplicable("all-protected")
        return _sampler(methods, subject.message, params.rate)


class _Place(NamedTuple):
    """Where a change is possible: offset, what stands there, what may."""

    at: int
    old: str
    new: str


class _Way(NamedTuple):
    places: Callable[[str], list[_Place]]
    op: Operation
    reason: str


def _open(places: list[_Place], subject: Subject, *, inserts: bool) -> list[_Place]:
    spans = ((place.at, place.at + (0 if inserts else 1)) for place in places)
    return list(compress(places, clear_of(subject.protected, spans)))


def _sampler(
    methods: Sequence[tuple[Method, list[_Place]]], message: int, rate: Decimal
) -> Sampler:
    changes = {name: share(rate, len(places)) if places else 0 for name, places in methods}

    def sample(draws: Draws) -> Sample:
        name, places = methods[draws.index % len(methods)]
        operation = _METHODS[name].op
        chosen = sorted(subset(draws, len(places), changes[name]))
        words = draws.words(len(chosen))
        edits = []
        for slot, word in zip(chosen, words, strict=True):
            at, old, new = places[slot]
            pick = new[word * len(new) >> 32]
            edits.append(Edit(message=message, at=at, op=operation, old=old, new=pick))
        return Sample(name, tuple(edits))

    return sample


def _spaces(text: str) -> list[_Place]:
    return [_Place(at, " ", _SPACES) for at, character in enumerate(text) if character == " "]


def _gaps(text: str) -> list[_Place]:
    return [
        _Place(at, "", _ZERO_WIDTH if text[at - 1 : at + 1].isascii() else _BREAKING)
        for at in graphemes.starts(text)[1:]
    ]


def _letters(text: str) -> list[_Place]:
    return [
        _Place(at, text[at], LOOKALIKES[text[at]])
        for at, end in pairwise([*graphemes.starts(text), len(text)])
        if end == at + 1 and text[at] in LOOKALIKES
    ]


_METHODS: Final[Mapping[Method, _Way]] = {
    "invisible_space": _Way(_spaces, "replace", "no-spaces"),
    "zero_width": _Way(_gaps, "insert", "too-short"),
    "homoglyph": _Way(_letters, "replace", "no-lookalikes"),
}
