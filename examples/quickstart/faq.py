"""A small support desk: answers a question with the FAQ entry that fits it best.

A real, if simple, retriever: words are weighed by how rare they are in the
FAQ, and the entry that shares the most weight with the question wins. It does
not care about letter case. It knows nothing of spelling, so a typo in the one
word that matters sends the customer to the wrong answer.
"""

import json
import math
import re
from pathlib import Path

ENTRIES = json.loads(Path(__file__).with_name("faq.json").read_text(encoding="utf-8"))
UNKNOWN = "I could not find an answer to that. A colleague will write to you."
COMMON = """
    a an and are be can do does for how i if in is it me my of on or the to what when where which
    will with you
"""


def words(text: str) -> set[str]:
    """Return the telling words of a text."""
    return set(re.findall(r"[a-z]+", text.lower())).difference(COMMON.split())


INDEX = [words(entry["question"] + " " + entry["keywords"]) for entry in ENTRIES]


def weight(word: str) -> float:
    """Return how telling a word is: rare words say more."""
    holders = sum(word in entry for entry in INDEX)
    return math.log(1 + len(INDEX) / holders) if holders else 0.0


def answer(question: str) -> str:
    """Return the answer to the entry that shares most with the question."""
    asked = words(question)
    scores = [sum(weight(word) for word in asked & entry) for entry in INDEX]
    best = max(scores)
    return ENTRIES[scores.index(best)]["answer"] if best > 0 else UNKNOWN
