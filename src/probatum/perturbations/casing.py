"""The family `casing`: the same words in another case."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from probatum.perturbations.params import FORMAT_DEFAULTS
from probatum.plugins import unicode14
from probatum.plugins.protocols import Members, NotApplicable, Sample, Span, Stance, Subject
from probatum.records.perturbation import Edit

Variant = Literal["upper", "lower", "title"]

_APOSTROPHES: Final = "'\u2019"
_AMID: Final = re.compile(r"[0-9'](?:(?<=[0-9])|(?<=[0-9A-Za-z]'))[A-Z]")
"""A letter that goes on a word, though what is before it is none."""


class CasingParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of `casing`.

    Attributes:
        variants: Which cases, in this order, each once.
        protect: Leave facts alone.
    """

    variants: Annotated[tuple[Variant, ...], Meta(min_length=1)] = ("upper", "lower", "title")
    protect: bool = False

    def __post_init__(self) -> None:
        if len(set(self.variants)) != len(self.variants):
            raise ValueError("variants has the same name twice")


class Casing:
    """Another letter case.

    What it does:
        Writes the whole text in upper, lower or title case. Upper case uses
        the full mappings of Unicode (`ß` becomes `SS`), lower case knows the
        Greek final sigma, and title case sees a word where a reader does:
        `bill's 2nd café` becomes `Bill's 2nd Café`.

    Why it matters:
        People shout, and people never press shift. Neither changes what they
        ask.

    Example:
        `Is SSO on the Pro plan?` gives `IS SSO ON THE PRO PLAN?`,
        `is sso on the pro plan?` and `Is Sso On The Pro Plan?`.

    Parameters:
        variants: a list of `upper`, `lower` and `title`; all three unless
        given. The family is exhaustive: these are all its members.
        protect: leave numbers, URLs, e-mail addresses, code, template
        variables and the values that the case looks for untouched. Off unless
        given; `probatum` files switch it on.

    Limits:
        A text that has the case already gives a member without effect, which
        is counted as no evidence. Mappings do not depend on a language:
        Turkish `i` becomes `I`. A text without letters that have a case is
        not applicable: `no-case`, or `all-protected`.
    """

    name = "casing"
    version = 1
    stance: Stance = "preserving"
    params = CasingParams
    format_defaults = FORMAT_DEFAULTS

    def count(self, params: CasingParams) -> int:
        """Return how many variants there are."""
        return len(params.variants)

    def prepare(self, subject: Subject, params: CasingParams) -> Members | NotApplicable:
        """Write out every variant."""
        text = subject.text
        if not _has_case(text):
            return NotApplicable("no-case")
        kept = subject.protected if params.protect else ()
        open_spans = list(_between(kept, len(text)))
        if kept and not any(_has_case(text[start:end]) for start, end in open_spans):
            return NotApplicable("all-protected")
        samples = []
        for variant in params.variants:
            mapped = _VARIANTS[variant](text)
            edits = tuple(_edits(subject, mapped, open_spans))
            samples.append(Sample(variant, edits, None if kept else "".join(mapped)))
        return Members(tuple(samples))


def _has_case(text: str) -> bool:
    if text.isascii():
        return text.upper() != text.lower()
    return any(
        unicode14.upper(c) != c or unicode14.lower(c) != c or unicode14.title(c) != c for c in text
    )


def _between(spans: Sequence[Span], end: int) -> Iterator[Span]:
    """Yield what the sorted spans leave of [0, end)."""
    done = 0
    for start, stop in spans:
        if done < start:
            yield done, start
        done = stop
    if done < end:
        yield done, end


def _edits(subject: Subject, mapped: Sequence[str], spans: Sequence[Span]) -> Iterator[Edit]:
    """Yield for each span the smallest replacement that writes it as mapped.

    `mapped` holds what each code point of the text becomes.
    """
    text = subject.text
    for start, end in spans:
        if mapped[start:end] == text[start:end]:
            continue
        while start < end and mapped[start] == text[start]:
            start += 1
        while start < end and mapped[end - 1] == text[end - 1]:
            end -= 1
        if start < end:
            yield Edit(
                message=subject.message,
                at=start,
                op="replace",
                old=text[start:end],
                new="".join(mapped[start:end]),
            )


def _upper(text: str) -> Sequence[str]:
    return text.upper() if text.isascii() else [unicode14.upper(c) for c in text]


def _lower(text: str) -> Sequence[str]:
    if text.isascii():
        return text.lower()
    mapped = [unicode14.lower(c) for c in text]
    if "\u03a3" in text:
        # Only a look at the whole text tells a final sigma from another.
        known = "".join(c if unicode14.assigned(c) else "\ufffd" for c in text).lower()
        at = 0
        for index, character in enumerate(text):
            if character == "\u03a3":
                mapped[index] = known[at]
            at += len(mapped[index])
    return mapped


def _title(text: str) -> Sequence[str]:
    if text.isascii():
        return _AMID.sub(lambda amid: amid.group().lower(), text.title())
    lowered = _lower(text)
    mapped: list[str] = []
    inside = False
    for at, character in enumerate(text):
        if _in_word(character):
            mapped.append(lowered[at] if inside else unicode14.title(character))
            inside = True
        else:
            mapped.append(character)
            follows = at + 1 < len(text) and _in_word(text[at + 1])
            inside = inside and character in _APOSTROPHES and follows
    return mapped


def _in_word(character: str) -> bool:
    return unicode14.category(character)[0] in "LMN"


_VARIANTS: Final[Mapping[Variant, Callable[[str], Sequence[str]]]] = {
    "upper": _upper,
    "lower": _lower,
    "title": _title,
}
