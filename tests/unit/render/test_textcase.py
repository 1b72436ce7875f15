"""One case in full."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from sessions import Built, build

from probatum.evidence.inspect import Inspection, inspect
from probatum.records.base import UNSET
from probatum.records.case import Claim
from probatum.records.inputs import BlobPart, Input, Message, TextPart, Tool, ToolCall
from probatum.records.judgment import Clue
from probatum.records.perturbation import Edit
from probatum.render import text
from probatum.store import Store


def case(name: str = "beta", **fields: Any) -> Inspection:
    built = build(**fields)
    return inspect(built.store, built.statement, name)


def shown(found: Inspection, *, full: bool = False) -> list[str]:
    return text.inspect(found, full=full).splitlines()


def test_a_case(built: Built) -> None:
    lines = shown(inspect(built.store, built.statement, "beta"))
    assert lines[0] == (
        "case beta · FRAGILE · R4: the worst family's lower bound is below the threshold · "
        f"session {built.statement[:12]}"
    )
    assert lines[1:7] == [
        "  perturbations: 3 requested, 3 judged, 1 passed",
        "  at rest: 1/1 passed, 1 distinct answer",
        "  policy: stable from 0.95, at least 2 perturbations",
        "  tags: support",
        "",
        "families",
    ]
    assert lines[7] == "   typo_noise   1/3   0.0000–1.0000   ≥ 0.016 (59 needed for 0.95)"
    assert '  contains@1 {"values":["yes"]} (check, high)' in lines
    assert "  schema_match@1 {} (check, low, normalized by nfc)" in lines
    assert "  user: beta: how do I get a refund" in lines
    start = lines.index("typo_noise-0a1b2c3d #0 (typo_noise, double)")
    assert lines[start + 1 : start + 6] == [
        "  edits: 0:+b",
        "  user: bbeta: how do I get a refund",
        "  answer: no (0 ms)",
        "    FAIL contains — missing “yes”",
        "    pass schema_match — found value 1 at 0: “no”",
    ]


def test_failures_missing_runs_and_answers_that_are_no_text() -> None:
    found = case(
        "alpha", broken={("alpha", 0)}, missing={("alpha", 1)}, long={"alpha"}, repeats=2, control=1
    )
    lines = shown(found)
    assert "  the system raised an error (0 ms)" in lines
    assert "  not run" in lines
    assert "  answer: 5 bytes that are no text (0 ms)" in lines
    assert "  answer, repeat 1: 5 bytes that are no text (0 ms)" in lines
    assert "control 0" in lines


def test_full_shows_whole_texts_and_all_edits() -> None:
    def many(record: Any) -> Any:
        edits = tuple(Edit(message=0, at=at, op="insert", old="", new="x") for at in range(9))
        return msgspec.structs.replace(record, edits=edits)

    found = case(text="long " * 100, hooks={"perturbation:beta:0": many})
    brief, full = shown(found), shown(found, full=True)
    assert "long texts are cut; --full shows them whole" in brief
    assert any(line.endswith("5:+x and 3 more") for line in brief)
    assert "long texts are cut; --full shows them whole" not in full
    assert any(line.endswith("7:+x, 8:+x") for line in full)
    assert f"  user: beta: {'long ' * 100}" in full


def test_edits_are_told_apart() -> None:
    def edited(record: Any) -> Any:
        edits = (
            Edit(message=0, at=0, op="delete", old="b", new=""),
            Edit(message=0, at=1, op="replace", old="e", new="\u200b"),
            Edit(message=0, at=2, op="swap", old="ta", new="at"),
        )
        return msgspec.structs.replace(record, edits=edits)

    lines = shown(case(hooks={"perturbation:beta:0": edited}))
    assert "  edits: 0:-b, 1:e→\\u{200b}, 2:ta→at" in lines


def test_claims() -> None:
    claim = Claim(stability="0.5", confidence="0.95")
    lines = shown(case("alpha", typos=5, claim=claim))
    assert (
        "  claim: stability 0.5 at confidence 0.95 holds (5 passing perturbations needed)" in lines
    )
    lines = shown(case("alpha", claim=claim))
    assert any("is not shown (5 passing" in line for line in lines)


def test_families_of_every_sort() -> None:
    def accounting(**fields: Any) -> Any:
        def change(record: Any) -> Any:
            items = tuple(msgspec.structs.replace(it, **fields) for it in record.accounting)
            return msgspec.structs.replace(record, accounting=items)

        return change

    lines = shown(case(hooks={"plan-case:beta": accounting(possible=3)}))
    assert "   typo_noise   1 of 3 possible   0.0000–1.0000" in lines
    one_broken = case(broken={("beta", 0)}, hooks={"plan-case:beta": accounting(possible=3)})
    assert any("   typo_noise   1/2 of 3 possible   " in line for line in shown(one_broken))
    lines = shown(case(hooks={"plan-case:beta": accounting(not_applicable="no-case")}))
    assert "   typo_noise   not applicable   its letters have no case" in lines
    broken = {("beta", at) for at in range(3)}
    assert "   typo_noise   0/3" not in shown(case(broken=broken))
    assert "   typo_noise   0/0   nothing judged" in shown(case(broken=broken))
    lines = shown(case(typos=0))
    assert lines[lines.index("families") + 1] == "  none"


def test_traits_are_explained() -> None:
    lines = shown(case(broken={("beta", 1)}))
    assert any(line.startswith("  trait: the system itself failed") for line in lines)
    lines = shown(
        case(hooks={"verdict:beta": lambda it: msgspec.structs.replace(it, traits=("x-\x1b",))})
    )
    assert "  trait: x \\x1b" in lines


def test_inputs_with_parts_calls_and_tools() -> None:
    store = Store.memory()
    image = store.put("blob", b"pixels")
    messages = (
        Message(
            role="user",
            content=(TextPart(text="look"), BlobPart(blob=image, media_type="image/png")),
        ),
        Message(role="assistant", content="", tool_calls=(ToolCall(name="f", arguments="{}"),)),
    )
    tools = (Tool(name="f", description="", parameters="{}"),)

    def add(record: Any) -> Any:
        first = record.input.messages
        return msgspec.structs.replace(
            record, input=Input(messages=(*first, *messages), tools=tools), tags=()
        )

    lines = shown(case(store=store, hooks={"case:beta": add}))
    assert "  user: look" in lines
    assert f"  user: [image/png {image[:12]}]" in lines
    assert "  assistant: [calls f({})]" in lines
    assert "  tools: f" in lines
    assert not any(line.startswith("  tags:") for line in lines)


def test_answers_with_calls_and_other_ends() -> None:
    def calls(record: Any) -> Any:
        return msgspec.structs.replace(
            record, finish="length", tool_calls=(ToolCall(name="f", arguments="{}"),)
        )

    lines = shown(case(hooks={"output:beta:-1": calls}))
    assert "  answer: yes [length] (0 ms)" in lines
    assert "    calls f({})" in lines


def test_circumstances_of_a_run() -> None:
    def costly(record: Any) -> Any:
        row = msgspec.structs.replace(
            record.rows[0],
            attempts=3,
            latency_us=2_500_000,
            cost_usd="0.01",
            reused_from="ab" * 32,
            error="boom\n",
        )
        return msgspec.structs.replace(record, rows=(row, *record.rows[1:]))

    lines = shown(case(hooks={"executions:beta": costly}))
    assert (
        "  answer: yes (2500 ms, 3 attempts, 0.01 USD, observed in session abababababab, boom\\n)"
        in lines
    )
    bare = {"executions:beta": lambda it: msgspec.structs.replace(it, rows=())}
    assert "  answer: yes" in shown(case(hooks=bare))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"result": "unjudged", "reason": "empty"}, "unjudged contains: the answer is empty"),
        ({"score": "0.9"}, "pass contains, score 0.9"),
        ({"evidence": (Clue(code="differs", start=1),)}, "the answer differs at 1: “es”"),
        ({"evidence": (Clue(code="too-short", detail="3"),)}, "too short (3)"),
        ({"evidence": (Clue(code="found", item=9),)}, "found value 10"),
        ({"evidence": ()}, "pass contains"),
    ],
)
def test_judgments(fields: dict[str, Any], words: str) -> None:
    hooks = {"judgment:beta:-1:0": lambda it: msgspec.structs.replace(it, **fields)}
    lines = shown(case(hooks=hooks))
    line = lines[lines.index("  answer: yes (0 ms)") + 1]
    assert line.endswith(words) if fields.get("evidence") else line.strip().startswith(words)


@pytest.mark.parametrize("params", ["[]", "nonsense", '{"values":1}', "[" * 2000])
def test_params_that_name_no_values(params: str) -> None:
    hooks = {"invariant:check": lambda it: msgspec.structs.replace(it, params=params)}
    lines = shown(case(hooks=hooks))
    assert "    pass contains — found value 1 at 0: “yes”" in lines


def test_no_invariants() -> None:
    hooks = {"case:beta": lambda it: msgspec.structs.replace(it, invariants=())}
    built = build(hooks={**hooks, "trials:beta": _unjudged})
    lines = shown(inspect(built.store, built.statement, "beta"))
    assert lines[lines.index("invariants") + 1] == "  none"


def _unjudged(record: Any) -> Any:
    rows = tuple(msgspec.structs.replace(row, judgments=()) for row in record.rows)
    return msgspec.structs.replace(record, rows=rows)


def test_no_output_record_at_all() -> None:
    hooks = {"output:beta:-1": lambda it: msgspec.structs.replace(it, text=UNSET)}
    assert "  answer:  (0 ms)" in shown(case(hooks=hooks))
