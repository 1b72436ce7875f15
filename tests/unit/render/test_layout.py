"""Columns that line up whatever stands in them."""

from __future__ import annotations

from probatum.render.layout import pad, plain, table, width


def test_width_counts_columns_of_a_terminal() -> None:
    assert width("abc") == 3
    assert width("日本") == 4
    assert width("e\u0301") == 1
    assert pad("日", 4) == "日  "


def test_table_aligns_and_leaves_no_trailing_space() -> None:
    assert table([("a", "b"), ("日本", "")]) == ["a      b", "日本"]
    assert table([]) == []


def test_style_takes_no_room() -> None:
    lines = table(
        [("a", "b"), ("cc", "d")],
        [("strong", ""), ("", "bad")],
        lambda text, role: f"<{role}>{text}</>",
    )
    assert lines == ["<strong>a </>   b", "cc   <bad>d</>"]
    assert table([("a",), ("b",)], [("bad",)], lambda text, role: text.upper()) == ["A", "b"]
    assert plain("x", "bad") == "x"
