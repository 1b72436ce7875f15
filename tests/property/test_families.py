"""What holds for every family on every text."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from probatum.perturbations import graphemes
from probatum.perturbations.unicode import LOOKALIKES
from probatum.plugins.draws import Draws, seed_material
from probatum.plugins.edits import apply_to_text
from probatum.plugins.matching import fold, occurrences
from probatum.plugins.protect import merged, protected_spans
from probatum.plugins.protocols import Members, NotApplicable, Sample, Subject
from probatum.plugins.registry import Registry

# Pieces that meet badly: marks, joiners, flags, jamo, conjuncts, code, facts.
PIECES = [
    *"ab Z9.,'-`{}$@\n\r\t",
    *"\u00e9\u0301\u00df\ufb01\u0130\u0131\u03a3\u03c2\u01c6",
    *"\u200b\u200c\u200d\ufe0f\u00ad\ufeff\u2019",
    *"\U0001f1e9\U0001f1ea\U0001f469\U0001f467\U0001f3fd\u2764\u20e3",
    *"\u1100\u1161\u11a8\uac00\uac01\u0915\u094d\u0937\u093f\u0e01\u0e33",
    *"\u0600\u0661\u05d0\u0628\u65e5\u672c\u0430\u03bf",
    *"\U0001e4f0\ua7dc\u019b\U00010d70",
    "https://a.b/c",
    "x@y.zz",
    "```\n",
    "{{v}}",
    "word",
    "1,234.50",
]
texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(
    st.characters(exclude_categories=("Cs",)), max_size=60
)
rates = st.sampled_from(["0", "0.05", "0.3", "0.5", "1"]).map(Decimal)
values = st.lists(st.sampled_from(["word", "WO", "\u00df", "a", "ab"]), max_size=2)


def stream(index: int) -> Draws:
    return Draws(
        seed_material(
            seed=1,
            beacon="",
            case="c",
            declaration="d",
            family="f",
            version=1,
            params="{}",
            index=index,
        )
    )


def samples(name: str, text: str, spans: Any = (), **params: Any) -> list[Sample]:
    family = Registry().family(name)
    found = family.prepare(Subject(text, 0, spans), family.params(**params))
    if isinstance(found, NotApplicable):
        return []
    made = (
        list(found.samples)
        if isinstance(found, Members)
        else [found(stream(index)) for index in range(4)]
    )
    for sample in made:
        done = 0
        for edit in sample.edits:
            assert edit.at >= done
            assert edit.old != edit.new
            assert text[edit.at : edit.at + len(edit.old)] == edit.old
            done = edit.at + len(edit.old)
    return made


@given(texts)
def test_clusters_are_the_text(text: str) -> None:
    clusters = graphemes.split(text)
    assert "".join(clusters) == text
    assert all(clusters)
    assert all(graphemes.split(cluster) == [cluster] for cluster in clusters)


@given(texts, rates)
def test_typos_add_and_drop_whole_characters(text: str, rate: Decimal) -> None:
    before = graphemes.split(text)
    for sample in samples("typo_noise", text, rate=rate):
        changed = apply_to_text(text, sample.edits)
        assert sample.text == changed
        grown = sum((edit.op == "insert") - (edit.op == "delete") for edit in sample.edits)
        assert len(graphemes.split(changed)) == len(before) + grown
        assert bool(sample.edits) == bool(rate)
        assert changed or not text


@given(texts, rates)
def test_typos_bring_no_foreign_letters(text: str, rate: Decimal) -> None:
    bare = "".join(c for c in text if not c.isascii() and not "\u00c0" <= c <= "\u024f")
    for sample in samples("typo_noise", bare, rate=rate):
        for edit in sample.edits:
            assert not any(c.isascii() for c in edit.new)


@given(texts, values, rates, st.sampled_from(["typo_noise", "casing", "unicode"]))
def test_protected_spans_are_untouched(
    text: str, sought: list[str], rate: Decimal, name: str
) -> None:
    spans = protected_spans(text, sought)
    params = {} if name == "casing" else {"rate": rate}
    for sample in samples(name, text, spans, protect=True, **params):
        for edit in sample.edits:
            stop = edit.at + len(edit.old)
            assert not any(start < stop and edit.at < end for start, end in spans)
            if not edit.old:
                assert not any(start < edit.at < end for start, end in spans)


@given(texts, values)
def test_protected_spans_are_sorted_apart_and_complete(text: str, sought: list[str]) -> None:
    spans = protected_spans(text, sought)
    assert spans == merged(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    folded = fold(text)
    for value in sought:
        for found in occurrences(folded.text, value.casefold()):
            start, end = folded.span(*found)
            assert any(left <= start and end <= right for left, right in spans) or any(
                ord(c) > 0xFFFF or c == "\ua7dc" for c in text
            )


@given(texts)
def test_cases_differ_in_nothing_but_case(text: str) -> None:
    for sample in samples("casing", text):
        assert len(sample.edits) <= 1
        changed = apply_to_text(text, sample.edits)
        # Titles and capitals of a text fold to the fold of its capitals.
        assert changed.upper().casefold() == text.upper().casefold()


@given(texts, rates)
def test_lookalikes_lead_back(text: str, rate: Decimal) -> None:
    back = {other: letter for letter, others in LOOKALIKES.items() for other in others}
    for sample in samples("unicode", text, rate=rate):
        changed = text
        for edit in reversed(sample.edits):
            tail = changed[edit.at + len(edit.old) :]
            changed = changed[: edit.at] + edit.new + tail
            if sample.method == "homoglyph":
                assert back[edit.new] == edit.old
            elif sample.method == "invisible_space":
                assert edit.old == " "
                assert edit.new.isspace()
            else:
                assert edit.old == ""
        assert changed == apply_to_text(text, sample.edits)


@given(texts, st.sampled_from(["typo_noise", "casing", "unicode"]))
def test_a_sample_follows_from_its_stream(text: str, name: str) -> None:
    assert samples(name, text) == samples(name, text)
