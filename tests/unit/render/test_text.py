"""What people read: runs, replays, lists and histories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from sessions import NOW, Built, build, signer, trusting

from probatum.evidence.history import history
from probatum.evidence.log import log
from probatum.evidence.replay import replay
from probatum.records.base import UNSET
from probatum.render import text
from probatum.render.summary import bound_words, class_words, sum_line
from probatum.store import Store

COUNTS = "2 cases · FRAGILE · 1 fragile, 1 stable · falsifiability 0.38"


def test_replay() -> None:
    built = build(cases={"alpha": set(), "beta": {0, 1}})
    shown = text.replay(replay(built.store, built.statement, trust=trusting(7), now=NOW))
    digits = signer().public.fingerprint[:4]
    assert shown.splitlines() == [
        "case    verdict   passed   worst family     shown at 95 %",
        "alpha   STABLE    3/3      typo_noise 3/3   ≥ 0.368 (59 needed for 0.95)",
        "beta    FRAGILE   1/3      typo_noise 1/3",
        f"{COUNTS} · signed by key7 key {digits} · session {built.statement[:12]}",
    ]


def test_replay_of_an_unsigned_and_incomplete_session() -> None:
    built = build(
        cases={"alpha": set()},
        missing={("alpha", 1), ("alpha", 2)},
        broken={("alpha", 0)},
        seeds=(),
    )
    lines = text.replay(replay(built.store, built.statement)).splitlines()
    assert lines[1].startswith("alpha   INSUFFICIENT   0/0 ")
    assert lines[2].startswith(
        "1 case · INSUFFICIENT · 1 insufficient · falsifiability 0.38 · "
        "INCOMPLETE, 2 runs missing · 1 run failed · unsigned · session "
    )


def test_replay_with_answers_from_another_session(built: Built) -> None:
    found = replay(built.store, built.statement)
    totals = msgspec.structs.replace(found.session.totals, reused=1)
    session = msgspec.structs.replace(found.session, totals=totals)
    shown = text.replay(msgspec.structs.replace(found, session=session))
    assert "1 run observed in another session" in shown


def test_styles_are_applied_to_words_alone(built: Built) -> None:
    shown = text.replay(
        replay(built.store, built.statement), style=lambda it, role: f"<{role}>{it}</>"
    )
    assert "<good>STABLE </>" in shown
    assert "<warn>FRAGILE</>" in shown


def test_replay_says_what_the_signature_is_worth(built: Built) -> None:
    store, name = built.store, built.statement
    digits = signer().public.fingerprint[:4]
    cases = [
        (replay(store, name), f"signed by key {digits}, not checked"),
        (replay(store, name, trust=trusting(7), now=NOW), f"signed by key7 key {digits}"),
        (replay(store, name, trust=trusting(8), now=NOW), f"signed by key {digits}, not trusted"),
    ]
    for found, signed in cases:
        assert f" · {signed} · " in text.replay(found)
    bare = build(seeds=())
    assert " · unsigned · " in text.replay(replay(bare.store, bare.statement))
    assert " · unsigned · " in text.replay(replay(bare.store, bare.statement, now=NOW))


def test_replay_of_one_case(built: Built) -> None:
    lines = text.replay(replay(built.store, built.statement, case="alpha")).splitlines()
    assert len(lines) == 3
    assert lines[2].startswith("1 case · STABLE · 1 stable")


def test_replay_says_why() -> None:
    built = build(cases={"alpha": {-1}})
    lines = text.replay(replay(built.store, built.statement)).splitlines()
    assert lines[1].endswith("it fails without any perturbation")


def test_exhaustive_families_say_how_many_there_are() -> None:
    def exhaustive(record: Any) -> Any:
        accounting = tuple(msgspec.structs.replace(it, possible=3) for it in record.accounting)
        return msgspec.structs.replace(record, accounting=accounting)

    built = build(cases={"alpha": set()}, hooks={"plan-case:alpha": exhaustive})
    lines = text.replay(replay(built.store, built.statement)).splitlines()
    assert lines[1] == "alpha   STABLE    3/3      typo_noise 3 of 3 possible"


def test_rows_without_a_summary() -> None:
    built = build(
        cases={"alpha": set()},
        hooks={"row:alpha": lambda row: msgspec.structs.replace(row, summary=UNSET)},
    )
    lines = text.replay(replay(built.store, built.statement)).splitlines()
    assert lines[1] == "alpha   ?                                 no summary is stored"
    assert "1 unknown" in lines[2]


def test_case_ids_cannot_act_on_a_terminal() -> None:
    built = build(cases={"a\x1b[2J\u202e": set(), "x" * 99: set()})
    shown = text.replay(replay(built.store, built.statement))
    assert "\x1b" not in shown
    assert "a\\x1b[2J\\u{202e}" in shown
    assert "x" * 48 + "… (+51 characters)" in shown


def test_bounds_are_held_against_one_level() -> None:
    assert bound_words("0.9503") == "≥ 0.950"
    assert bound_words("0.9499") == "≥ 0.949 (59 needed for 0.95)"
    assert class_words(["STABLE", "FRAGILE", "INVALID_EVAL", "STABLE"]) == (
        "1 invalid, 1 fragile, 2 stable"
    )


def test_a_falsifiability_that_is_none_stays_on_its_line() -> None:
    line = sum_line(
        classes=[], verdict="\n", falsifiability="\x1b\n", signed="", session="\x1b" * 64
    )
    assert line == ("0 cases · \\n · falsifiability \\x1b\\n · session " + "\\x1b" * 12)


def test_log(built: Built) -> None:
    store = Store.memory()
    first = build(store=store)
    second = build(store=store, cases={"alpha": set()}, missing={("alpha", 0)}, seeds=())
    lines = [line.split("   ") for line in text.log(log(store)).splitlines()]
    assert [line[0] for line in lines] == [second.statement[:12], first.statement[:12]]
    assert [part.strip() for part in lines[0][1:] if part] == [
        "#2",
        "2026-01-01T00:00:09.000Z",
        "desk",
        "STABLE",
        "1 stable",
        "unsigned",
        "incomplete",
    ]
    assert lines[1][-1] == "signed"
    assert text.log(log(Store.memory())) == "no sessions"


def test_log_of_an_imported_and_of_a_damaged_session(built: Built, tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store", create=True)
    for item in built.store.scan():
        store.put(item.kind, item.payload)
    store.publish_session(built.statement)
    assert text.log(log(store)).endswith("imported")
    name = built.statement
    file = tmp_path / "store" / "obj" / name[:2] / name[2:]
    file.chmod(0o600)
    file.write_bytes(b"")
    shown = text.log(log(Store.open(tmp_path / "store")))
    assert shown.startswith(f"no sessions\n{name[:12]}   cannot be read: ")


def test_history() -> None:
    first = build(cases={"beta": {0}})
    store = first.store
    build(store=store, cases={"beta": set()})
    build(store=store, cases={"beta": set()}, model="second.py:f")
    build(store=store, cases={"beta": {0, 1}}, model="second.py:f")
    lines = text.history(history(store, "beta")).splitlines()
    assert lines[0] == "beta in 4 sessions"
    assert lines[1].endswith("second.py:f     REGRESSION")
    assert lines[2].endswith("second.py:f     same evidence")
    assert lines[3].endswith("≥ 0.368 (59 needed for 0.95)   faq.py:answer   improved")
    assert "FRAGILE" in lines[4]


def test_history_without_summaries() -> None:
    built = build(
        cases={"beta": set()},
        hooks={"row:beta": lambda row: msgspec.structs.replace(row, summary=UNSET)},
    )
    lines = text.history(history(built.store, "beta")).splitlines()
    assert "?" in lines[1]
