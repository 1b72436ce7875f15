"""What a reader sees as one character."""

from __future__ import annotations

import pytest

from probatum.perturbations import graphemes


@pytest.mark.parametrize(
    "clusters",
    [
        [],
        ["a"],
        ["a", "b", " "],
        ["a", "\r\n", "b"],
        ["\r", "\r\n", "\n"],
        ["\r", "\u00e9"],
        ["e\u0301\u0323", "x"],
        ["\n", "\u0301"],
        ["\u200b", "\u0301"],
        ["a\u200d", " "],
        ["\U0001f469\u200d\U0001f469\u200d\U0001f467", "\U0001f469"],
        ["\U0001f44d\U0001f3fd", "\u2764\ufe0f\u200d\U0001f525"],
        ["\U0001f1e9\U0001f1ea", "\U0001f1eb\U0001f1f7", "\U0001f1e9", "a"],
        ["\U0001f3f4\U000e0067\U000e0062\U000e007f", "x"],
        ["1\ufe0f\u20e3", "2"],
        ["\u1112\u1161\u11ab", "\uae00", "\uac01\u11a8", "\uac00\u1161"],
        ["\ua960\uac00", "\u1100\u1100\u1161", "\u1100", "a"],
        ["\u0928", "\u092e", "\u0938\u094d\u0924\u0947"],
        ["\u0915\u094d", " "],
        ["\u0e01\u0e33", "\u0e01"],
        ["\u0600\u0661", "\u0662"],
        ["\uff76\uff9e", "\uff76"],
    ],
)
def test_split(clusters):
    text = "".join(clusters)
    assert graphemes.split(text) == clusters
    assert len(graphemes.starts(text)) == len(clusters)
