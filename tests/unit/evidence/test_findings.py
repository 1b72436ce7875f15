"""Finding ids, their words and their page are one list."""

from __future__ import annotations

import re
from pathlib import Path

from probatum.evidence.findings import AXES, FINDINGS, found
from probatum.render.findings import MEANINGS
from probatum.store import scan


def _page(repository: Path) -> dict[str, tuple[str, str, str, str]]:
    axis, rows = "", {}
    for line in (repository / "docs/findings.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            axis = line[3:]
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `"):
            assert cells[0].strip("`") not in rows
            rows[cells[0].strip("`")] = (axis, cells[1], cells[2], cells[3])
    return rows


def test_page_has_every_finding(repository: Path) -> None:
    words = {name: (*known, *MEANINGS[name]) for name, known in FINDINGS.items()}
    assert _page(repository) == words


def test_every_finding_has_words() -> None:
    assert FINDINGS.keys() == MEANINGS.keys()
    assert {known.axis for known in FINDINGS.values()} == set(AXES)


def test_every_finding_is_used(repository: Path) -> None:
    """An id that no code gives would be a promise that nothing keeps."""
    source = "".join(
        path.read_text("utf-8")
        for folder in (
            *("evidence", "store", "engine", "workspace", "records"),
            *("canonical.py", "digest.py"),
        )
        for path in [repository / "src/probatum" / folder]
        for path in ([path] if path.is_file() else sorted(path.glob("*.py")))
        if path.name != "findings.py"
    )
    assert [name for name in FINDINGS if f'"{name}"' not in source] == []


def test_every_code_of_a_scan_is_known() -> None:
    codes = re.findall(r"^``([a-z-]+)``", scan.__doc__ or "", re.MULTILINE)
    assert len(codes) > 10
    assert [code for code in codes if code not in FINDINGS] == []


def test_found_takes_axis_and_severity_from_its_id() -> None:
    finding = found("session-dropped", "x", object="o", kind="statement", place="p", case="c")
    assert (finding.axis, finding.severity) == ("chain", "warning")
    assert (finding.detail, finding.object, finding.kind) == ("x", "o", "statement")
    assert (finding.place, finding.case) == ("p", "c")
