"""Collecting everything that is wrong with a file, to say it at once and in order."""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from probatum.errors import SpecError
from probatum.spec.places import Mark, Survey, TreePath

MAX_NOTED: Final = 1_000
"""Most problems that are looked for in one file."""

MAX_SHOWN: Final = 200
"""Most problems that one error lists."""

LITERAL: Final = "literal-credential"
"""Code of a problem whose value must not be shown."""


class Enough(Exception):
    """So much is wrong that looking further helps nobody."""


class Problem(NamedTuple):
    """One mistake.

    Attributes:
        path: What it is about.
        text: What is wrong; ``{line}`` stands for the line of `other`.
        at: Whether the key or the value is to blame.
        other: Where the first of two equal things stands.
    """

    path: TreePath
    text: str
    at: Literal["key", "value"] = "value"
    code: str = "bad-spec"
    hint: str = ""
    other: TreePath | None = None


class Problems:
    """The mistakes found so far in one file."""

    def __init__(self) -> None:
        self._found: list[Problem] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(
        self,
        path: TreePath,
        text: str,
        *,
        at: Literal["key", "value"] = "value",
        code: str = "bad-spec",
        hint: str = "",
        other: TreePath | None = None,
    ) -> None:
        """Note a mistake.

        Raises:
            Enough: If `MAX_NOTED` are noted already.
        """
        if len(self._found) >= MAX_NOTED:
            raise Enough
        self._found.append(Problem(path, text, at, code, hint, other))

    def refuse(self, name: str, text: str) -> SpecError:
        """Return the one error that says all of it.

        Args:
            name: The file's path, as given.
            text: The file's content, in which places are looked up.
        """
        found = self._without_secrets()
        wanted = [problem.path for problem in found]
        wanted += [problem.other for problem in found if problem.other is not None]
        survey = Survey(text, wanted)
        placed = [(second, _duplicate(key, first), "") for key, first, second in survey.duplicates]
        placed += [_placed(problem, survey) for problem in found]
        lines = {_line(name, mark, words): hint for mark, words, hint in sorted(placed)}
        codes = {problem.code for problem in found}
        codes |= {"duplicate-key"} if survey.duplicates else set()
        return _error(name, lines, codes)

    def _without_secrets(self) -> list[Problem]:
        """Return the problems, less those whose words could repeat a credential."""
        secret = {problem.path for problem in self._found if problem.code == LITERAL}
        return [item for item in self._found if item.code == LITERAL or item.path not in secret]


def _error(name: str, lines: dict[str, str], codes: set[str]) -> SpecError:
    problems = [f"{line} ({hint})" if hint else line for line, hint in lines.items()]
    message, hint = f"{name}: {len(lines)} problems", ""
    if len(lines) == 1:
        message, hint = next(iter(lines.items()))
    if len(problems) > MAX_SHOWN:
        problems[MAX_SHOWN:] = [f"{name}: and {len(lines) - MAX_SHOWN} more"]
    code = codes.pop() if len(codes) == 1 else "bad-spec"
    return SpecError(message, problems=problems, code=code, hint=hint)


def _placed(problem: Problem, survey: Survey) -> tuple[Mark, str, str]:
    place = survey.place(problem.path)
    words = problem.text
    if problem.other is not None:
        words = words.replace("{line}", str(survey.place(problem.other).value.line))
    return (place.key if problem.at == "key" else place.value), words, problem.hint


def _duplicate(key: str, first: Mark) -> str:
    return f"duplicate key {shown(key)} (first at line {first.line})"


def _line(name: str, mark: Mark, words: str) -> str:
    line = f"{name}:{mark.line}:{mark.column}: {words}"
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def about(path: TreePath, words: str) -> str:
    """Return `words` with the name of the value they are about before them."""
    name = ""
    for step in reversed(path):
        if isinstance(step, str):
            return f"{step}{name}: {words}"
        name = f"[{step}]{name}"
    return words


def shown(text: str) -> str:
    """Return a name between quotes, shortened and without control characters."""
    return repr(text if len(text) <= 60 else text[:59] + "…")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `` (did you mean …?)``, or what there is if nothing is near."""
    import difflib

    names = sorted(known)
    near = difflib.get_close_matches(name[:80], names, n=1, cutoff=0.6)
    if near:
        return f" (did you mean {near[0]!r}?)"
    return f" (known: {', '.join(names)})" if names else ""
