"""What a typo is, and what it never touches."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import msgspec
import pytest

from probatum.perturbations import graphemes
from probatum.perturbations.typo_noise import NEIGHBOURS, TypoNoise, TypoNoiseParams
from probatum.plugins.protocols import NotApplicable

PROMPT = "How do I return a jacket that I bought last week"


@pytest.mark.parametrize("key", sorted(NEIGHBOURS))
def test_keys_touch_each_other(key):
    assert NEIGHBOURS[key]
    assert len(set(NEIGHBOURS[key])) == len(NEIGHBOURS[key])
    for near in NEIGHBOURS[key]:
        assert key in NEIGHBOURS[near]
        assert near.isupper() == key.isupper()
        assert near.isdigit() == key.isdigit()


def test_keys_of_a_board():
    assert set(NEIGHBOURS["g"]) == set("fhtyvb")
    assert set(NEIGHBOURS["q"]) == set("wa")
    assert set(NEIGHBOURS["M"]) == set("NJK")
    assert set(NEIGHBOURS["0"]) == {"9"}


@pytest.mark.parametrize(
    ("rate", "errors"),
    [("0.05", 2), ("0.01", 1), ("0", 0), ("0.5", 19), ("1", 38), ("0.0658", 3), ("0.0657", 2)],
)
def test_the_number_of_errors_is_exact(perturb, rate, errors):
    assert len(PROMPT.replace(" ", "")) == 38
    for sample, _ in perturb("typo_noise", PROMPT, rate=Decimal(rate)):
        assert len(sample.edits) == errors


def test_errors_are_of_every_kind_and_about_equally_often(perturb):
    kinds: Counter[str] = Counter()
    for sample, _ in perturb("typo_noise", PROMPT, samples=1000):
        for edit in sample.edits:
            doubled = edit.op == "insert" and PROMPT[edit.at - 1] == edit.new
            kinds["double" if doubled else edit.op] += 1
    assert set(kinds) == {"swap", "delete", "double", "insert", "replace"}
    assert sum(kinds.values()) == 2000
    # A swap that cannot be made falls to a loss, a loss to a doubling.
    assert all(250 < found < 600 for found in kinds.values())


def test_places_are_drawn_evenly(perturb):
    text = "abcdefghij"
    found = Counter(
        sample.edits[0].at - (sample.edits[0].op == "insert")
        for sample, _ in perturb("typo_noise", text, samples=5000)
    )
    assert set(found) == set(range(10))
    assert all(400 < times < 600 for times in found.values())


def test_edits_are_sorted_and_apart(perturb):
    for sample, _ in perturb("typo_noise", PROMPT, samples=300, rate=Decimal("0.6")):
        done = 0
        for edit in sample.edits:
            assert edit.at >= done
            assert edit.old != edit.new
            done = edit.at + len(edit.old)


def test_a_place_keeps_its_case(perturb):
    for sample, _ in perturb("typo_noise", "Abcd Efgh", samples=300):
        for edit in sample.edits:
            if edit.op == "swap" and edit.at in (0, 5):
                assert edit.new[0].isupper()
                assert edit.new[1].islower()
            if edit.op == "replace":
                assert edit.new.isupper() == edit.old.isupper()


def test_letters_that_differ_in_case_alone_are_not_swapped(perturb):
    assert {
        edit.op for sample, _ in perturb("typo_noise", "aA", samples=200) for edit in sample.edits
    } == {"insert", "delete", "replace"}


def test_no_word_is_lost(perturb):
    for rate in ("0.2", "0.7", "1"):
        for _, text in perturb("typo_noise", "a be I", samples=300, rate=Decimal(rate)):
            assert len(text.split(" ")) == 3
            assert "" not in text.split(" ")


@pytest.mark.parametrize(
    "text",
    [
        "e\u0301te\u0301",
        "\U0001f469\u200d\U0001f469\u200d\U0001f467 family",
        "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7 flags",
        "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8",
        "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e",
        "\uc548\ub155\ud558\uc138\uc694",
        "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
    ],
)
def test_clusters_stay_whole(perturb, text):
    known = set(graphemes.split(text)) | set(NEIGHBOURS)
    for _, changed in perturb("typo_noise", text, rate=Decimal("0.3")):
        assert set(graphemes.split(changed)) <= known


@pytest.mark.parametrize(
    "text",
    ["\u65e5\u672c\u8a9e\u306e\u30c6", "\u041f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440"],
)
def test_other_scripts_get_no_latin_letters(perturb, text):
    made = perturb("typo_noise", text, rate=Decimal("0.5"))
    assert any(changed != text for _, changed in made)
    for _, changed in made:
        assert set(changed) <= set(text) | set(text.lower()) | set(text.upper())
        assert not any(c.isascii() and c.isalpha() for c in changed)


@pytest.mark.parametrize("text", ["\u00e9", "e\u0301"])
def test_accented_letters_have_the_neighbours_of_their_key(perturb, text):
    new = {
        edit.new for sample, _ in perturb("typo_noise", text, samples=200) for edit in sample.edits
    }
    assert new == set("wrsd") | {text}


def test_digits_become_digits(perturb):
    for _, changed in perturb("typo_noise", "4711", samples=100):
        assert changed.isdigit()


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f1e9a",  # half a flag, which would join with another
        "\u0301a\u200d",
        "\uac00\U0001f1e9\u094d",
        "a\u1160",
        "\u1100\u1161",
        "\u0915\u094d",
    ],
)
def test_what_would_join_is_left_alone(perturb, prepared, text):
    found = prepared("typo_noise", text)
    if isinstance(found, NotApplicable):
        assert found.reason == "blank"
        return
    before = len(graphemes.starts(text))
    for sample, changed in perturb("typo_noise", text):
        grown = sum((edit.op == "insert") - (edit.op == "delete") for edit in sample.edits)
        assert len(graphemes.starts(changed)) == before + grown


def test_a_letter_after_a_flag_may_change(perturb):
    made = perturb("typo_noise", "\U0001f1e9\U0001f1eab")
    assert {sample.edits[0].at for sample, _ in made} >= {0, 2}


def test_facts_are_protected(perturb):
    text = "Pay $1,234.50 to IBAN DE89370400440532013000 by mail to a.b@example.org, `x = 1`"
    facts = ["$1,234.50", "DE89370400440532013000", "a.b@example.org", "`x = 1`", "IBAN"]
    made = perturb("typo_noise", text, values=("iban",), protect=True, rate=Decimal("0.5"))
    assert len({changed for _, changed in made}) > 40
    for _, changed in made:
        assert all(fact in changed for fact in facts)


def test_unprotected_text_changes_everywhere_but_in_spaces(perturb):
    text = "a1, b!"
    touched = {
        edit.at
        for sample, _ in perturb("typo_noise", text, samples=300)
        for edit in sample.edits
        if edit.op != "insert"
    }
    assert touched == {0, 1, 2, 4, 5}
    made = perturb("typo_noise", text, samples=100)
    assert all(changed.count(" ") == 1 for _, changed in made)


@pytest.mark.parametrize(
    ("text", "params", "reason"),
    [
        ("", {}, "blank"),
        (" \n\t\r\n", {}, "blank"),
        ("\u3000\u200b", {}, "blank"),
        ("123 + 4", {"protect": True}, "no-letters"),
        ("abc1", {"protect": True}, "all-protected"),
    ],
)
def test_not_applicable(prepared, text, params, reason):
    assert prepared("typo_noise", text, **params) == NotApplicable(reason)


def as_the_page_says(text: str, errors: int, words: list[int]) -> str:
    """A second implementation, of lower-case ASCII text, from the reference page."""
    rows = ["qwertyuiop", "asdfghjkl", "zxcvbnm"]

    def keys(letter: str) -> str:
        row = next(n for n, row in enumerate(rows) if letter in row)
        at = rows[row].index(letter)
        near = [(row, at - 1), (row, at + 1), (row - 1, at), (row - 1, at + 1)]
        near += [(row + 1, at - 1), (row + 1, at)]
        return "".join(rows[r][c] for r, c in near if 0 <= r < 3 and 0 <= c < len(rows[r]))

    places = [at for at, letter in enumerate(text) if letter != " "]
    members: list[int] = []
    for j in range(1, errors + 1):
        bound = len(places) - errors + j
        member = words[j - 1] * bound >> 32
        members.append(bound - 1 if member in members else member)
    drawn = sorted(places[member] for member in members)
    made = list(text)
    dropped: list[int] = []
    for at, word in zip(drawn, words[errors:], strict=False):
        act, low = divmod(word * 5, 2**32)
        letter = text[at]
        key = keys(letter)[low * len(keys(letter)) >> 32]
        free = text[at + 1 : at + 2].strip() != "" and at + 1 not in drawn
        if act == 0 and free and text[at + 1] != letter:
            made[at], made[at + 1] = text[at + 1], letter
            continue
        left = at > 0 and text[at - 1] != " " and at - 1 not in dropped
        if act <= 1 and (free or left):
            made[at] = ""
            dropped.append(at)
        elif act <= 2:
            made[at] += letter
        else:
            made[at] = made[at] + key if act == 3 else key
    return "".join(made)


@pytest.mark.parametrize(("rate", "errors"), [("0.05", 2), ("0.4", 15), ("1", 38)])
def test_the_reference_page_tells_how(perturb, draws, rate, errors):
    text = PROMPT.lower()
    made = perturb("typo_noise", text, samples=200, rate=Decimal(rate))
    for index, (_, changed) in enumerate(made):
        words = list(draws(index).words(2 * errors))
        assert changed == as_the_page_says(text, errors, words)


def test_samples_follow_from_their_stream_alone(prepared, draws):
    first, again = prepared("typo_noise", PROMPT), prepared("typo_noise", PROMPT)
    assert [first(draws(i)) for i in range(9)] == [again(draws(i)) for i in range(8, -1, -1)][::-1]
    stream = draws(0)
    assert first(stream) == first(draws(0))
    assert first(stream) != first(draws(0))


@pytest.mark.parametrize(
    "given",
    [
        {"rate": "1.01"},
        {"rate": "-0.1"},
        {"rate": "NaN"},
        {"rate": "Infinity"},
        {"rate": "1e-19"},
        {"count": 0},
        {"count": 100_001},
        {"rates": "0.1"},
    ],
)
def test_params_without_meaning_are_refused(given):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(given, TypoNoiseParams)


def test_params():
    params = msgspec.convert({"rate": 0.1, "count": 2}, TypoNoiseParams)
    assert (params.rate, params.protect) == (Decimal("0.1"), False)
    assert TypoNoise().count(params) == 2
    assert TypoNoise().count(TypoNoiseParams()) == 5
    assert TypoNoiseParams().rate == Decimal("0.05")
