from __future__ import annotations

from collections.abc import Callable

import pytest

from probatum.digest import Digest, object_id
from probatum.engine.answers import Kept, Shelf, keep, one_line, text_of
from probatum.plugins.protocols import Answer, Failed
from probatum.records import codec
from probatum.records.base import UNSET
from probatum.records.codec import MAX_SIZE, AnyRecord
from probatum.records.inputs import ToolCall
from probatum.records.output import MAX_TEXT, Output


class Memory:
    def __init__(self) -> None:
        self.objects: dict[str, tuple[str, bytes]] = {}

    def put(self, kind: str, payload: bytes) -> Digest:
        name = object_id(kind, payload)
        self.objects[name] = (kind, payload)
        return name

    def put_record(self, record: AnyRecord) -> Digest:
        return self.put(codec.kind_of(record), codec.encode(record))

    def shelf(self, redact: Callable[[str], str] | None = None) -> Shelf:
        return Shelf(self.put, self.put_record, redact)


@pytest.fixture
def memory() -> Memory:
    return Memory()


def kept(found: Kept | Failed) -> Kept:
    assert isinstance(found, Kept)
    return found


def test_text_stands_in_the_record_up_to_64_kib_of_utf8(memory: Memory) -> None:
    short = kept(keep(Answer("é" * (MAX_TEXT // 2)), memory.shelf()))
    assert short.output.blob is UNSET
    assert short.text == short.output.text
    long = kept(keep(Answer("é" * (MAX_TEXT // 2) + "x"), memory.shelf()))
    assert long.output.text is UNSET
    assert memory.objects[long.output.blob] == ("blob", (long.text or "").encode())
    assert text_of(long.output, lambda name: memory.objects[name][1]) == long.text
    assert memory.objects[long.id] == ("output", codec.encode(long.output))


def test_equal_answers_are_one_output(memory: Memory) -> None:
    first = kept(keep(Answer("a", model="m", response_id="1"), memory.shelf()))
    second = kept(keep(Answer(b"a", input_tokens=3), memory.shelf()))
    assert first.id == second.id
    assert kept(keep(Answer("a", finish="length"), memory.shelf())).id != first.id


@pytest.mark.parametrize(
    ("answer", "data"),
    [(b"\xff\xfe", b"\xff\xfe"), ("a\ud800", b"a\xed\xa0\x80"), (b"\xed\xa0\x80", b"\xed\xa0\x80")],
)
def test_what_is_no_text_is_kept_as_a_blob(
    memory: Memory, answer: str | bytes, data: bytes
) -> None:
    found = kept(keep(Answer(answer), memory.shelf()))
    assert found.text is None
    assert memory.objects[found.output.blob] == ("blob", data)
    assert text_of(found.output, lambda name: memory.objects[name][1]) is None


def test_more_than_16_mib_is_a_failure(memory: Memory) -> None:
    assert isinstance(keep(Answer("x" * MAX_SIZE), memory.shelf()), Kept)
    found = keep(Answer("x" * (MAX_SIZE + 1)), memory.shelf())
    assert found == Failed("too-large", "the answer has 16777217 bytes, over the 16 MiB limit")


def test_tool_calls_are_kept_or_say_why_not(memory: Memory) -> None:
    call = ToolCall(name="f", arguments="{}")
    found = kept(keep(Answer("", finish="tool_calls", tool_calls=(call,)), memory.shelf()))
    assert found.output.tool_calls == (call,)
    bad = ToolCall(name="f", arguments="\ud800")
    assert keep(Answer("", tool_calls=(bad,)), memory.shelf()).failure == "malformed"  # type: ignore[union-attr]
    large = ToolCall(name="f", arguments="x" * (MAX_SIZE + 1))
    assert keep(Answer("", tool_calls=(large,)), memory.shelf()).failure == "too-large"  # type: ignore[union-attr]


def test_secrets_are_taken_out_of_text_bytes_and_arguments(memory: Memory) -> None:
    shelf = memory.shelf(lambda text: text.replace("hunter2", "${KEY}"))
    call = ToolCall(name="f", arguments='"hunter2"')
    found = kept(keep(Answer("my hunter2", tool_calls=(call,)), shelf))
    assert found.text == "my ${KEY}"
    assert found.output.tool_calls == (ToolCall(name="f", arguments='"${KEY}"'),)
    raw = kept(keep(Answer(b"\xffhunter2"), shelf))
    assert memory.objects[raw.output.blob] == ("blob", b"\xff${KEY}")
    assert not any(b"hunter2" in payload for _, payload in memory.objects.values())
    assert one_line("bad hunter2", shelf.redact) == "bad ${KEY}"


def test_an_output_without_text_and_blob_has_no_text() -> None:
    assert text_of(Output(finish="stop"), lambda name: b"") is None


def test_an_error_is_one_bounded_well_formed_line() -> None:
    assert one_line("  a\n\tb\r\nc ", None) == "a b c"
    assert one_line("x\ud800", None) == "x\\ud800"
    assert len(one_line("y" * 10_000, None)) == 2_000
