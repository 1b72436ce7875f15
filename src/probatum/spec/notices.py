"""What is accepted and probably not meant: said once, with the first place."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from probatum.spec.authored import CaseSection, SpecFile
from probatum.spec.places import Survey, TreePath
from probatum.spec.systems import SAMPLING

LOCAL: Final = frozenset({"python", "fixtures", "command"})
"""Providers whose answers are never served from a cache."""

_UNUSED_POLICY: Final = ("fragile_threshold", "use_worst_case_stability")


class Notice(NamedTuple):
    """One remark.

    Attributes:
        topic: Remarks of one topic are said once.
        doubt: Set where double quotes around the value settle the matter.
    """

    path: TreePath
    topic: str
    words: str
    doubt: bool = False


def find(spec: SpecFile) -> list[Notice]:
    """Return every remark about a spec whose structure is right, in file order."""
    return [*_of_run(spec), *_of_cases(spec)]


def _of_run(spec: SpecFile) -> Iterator[Notice]:
    provider = spec.model.provider
    if provider in LOCAL:
        for word in SAMPLING:
            if spec.model.wrote(word) and provider != "command":
                words = f"{word} changes nothing for provider {provider!r}"
                yield Notice(("model", word), f"model.{word}", words)
        if spec.run.wrote("cache"):
            words = f"cache changes nothing for provider {provider!r}"
            yield Notice(("run", "cache"), "run.cache", words)


def _of_cases(spec: SpecFile) -> Iterator[Notice]:
    for index, case in enumerate(spec.cases):
        path: TreePath = ("cases", index)
        for word in _UNUSED_POLICY:
            if case.verdict_config.wrote(word):
                yield Notice((*path, "verdict_config", word), word, f"{word} changes nothing")
        if case.expected is not None and case.expected.reference is not None:
            place = (*path, "expected", "reference")
            yield Notice(place, "reference", "reference decides nothing")
        if not case.perturbations:
            words = f"case {case.id!r} has no perturbations: its verdict is INSUFFICIENT"
            yield Notice(path, "no perturbations", words)
        if not case.invariants:
            words = f"case {case.id!r} has no invariants: its verdict is INVALID_EVAL"
            yield Notice(path, "no invariants", words)
        yield from _of_texts(case, path)


def _of_texts(case: CaseSection, path: TreePath) -> Iterator[Notice]:
    texts: list[tuple[TreePath, Any]] = []
    if case.input.text is not None:
        texts.append((("input", "text"), case.input.text))
    for index, message in enumerate(case.input.messages or ()):
        texts.append((("input", "messages", index, "content"), message.content))
    for place, item in enumerate(case.invariants):
        values = item.get("values")
        for index, value in enumerate(values if isinstance(values, list) else ()):
            texts.append((("invariants", place, "values", index), value))
    if case.expected is not None:
        for word in ("contains", "not_contains"):
            for index, value in enumerate(getattr(case.expected, word)):
                texts.append((("expected", word, index), value))
    for place_of, text in texts:
        if isinstance(text, str) and "\\" in text:
            for escape in ("\\n", "\\t"):
                if escape in text:
                    words = (
                        f"{escape} is a backslash and a letter here: "
                        "only double quotes make it a line break or a tab"
                    )
                    yield Notice((*path, *place_of), escape, words, doubt=True)


def lines(name: str, text: str, notices: list[Notice]) -> list[str]:
    """Return one line a topic: its first place, the words, and how often more.

    Args:
        name: The file's path, as given.
        text: The file's content, in which places are looked up.
        notices: What `find` returned.
    """
    if not notices:
        return []
    survey = Survey(text, [notice.path for notice in notices])
    first: dict[str, tuple[int, int, str]] = {}
    times: dict[str, int] = {}
    for notice in notices:
        place = survey.place(notice.path)
        if notice.doubt and place.quoted:
            continue
        mark = place.value if notice.doubt else place.key
        first.setdefault(notice.topic, (*mark, notice.words))
        times[notice.topic] = times.get(notice.topic, 0) + 1
    found = []
    for topic, (line, column, words) in sorted(first.items(), key=lambda item: item[1]):
        more = times[topic] - 1
        rest = f" (and {more} more)" if more else ""
        found.append(f"{name}:{line}:{column}: {words}{rest}")
    return found
