from __future__ import annotations

import pytest

from probatum.spec.places import Duplicate, Mark, Survey

TEXT = """\
a: 1
b:
  - c: "x"
    d: [é, y]
  - &e {f: g}
h: *e
a: 2
i: {<<: {f: 1}, f: 2, f: 3}
"""


@pytest.mark.parametrize("pure", [False, True])
def test_places(pure: bool) -> None:
    paths = [
        ("a",),
        ("b", 0, "c"),
        ("b", 0, "d", 1),
        ("b", 1, "f"),
        ("h", "f"),
        ("b", 9),
        ("i", "f"),
    ]
    survey = Survey(TEXT, paths, pure=pure)
    assert survey.place(()).value == Mark(1, 1)
    assert survey.place(("a",)).value == Mark(1, 4)
    assert survey.place(("a",)).key == Mark(1, 1)
    assert survey.place(("b", 0, "c")).quoted
    assert survey.place(("b", 0, "d", 1)).value == Mark(4, 12)
    assert survey.place(("b", 1, "f")).value == Mark(5, 12)
    assert survey.place(("h", "f")).value == Mark(6, 4)
    assert survey.place(("b", 9)).key == Mark(2, 1)
    assert survey.place(("i", "f")).key == Mark(8, 17)
    assert survey.duplicates == [
        Duplicate("a", Mark(1, 1), Mark(7, 1)),
        Duplicate("f", Mark(8, 17), Mark(8, 23)),
    ]
