"""Bytes to records and back."""

from __future__ import annotations

import pytest

from probatum.errors import IntegrityError, LimitError
from probatum.records import codec
from probatum.records.output import Output


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(IntegrityError, match="'novelty'") as caught:
        codec.decode("novelty", b"{}")
    assert caught.value.code == "unknown-kind"


def test_a_record_under_another_kind_is_refused() -> None:
    payload = codec.encode(Output(finish="stop", text="a"))
    assert codec.decode("output", payload) == Output(finish="stop", text="a")
    for kind in sorted(set(codec.RECORDS) - {"output"}):
        with pytest.raises(IntegrityError) as caught:
            codec.decode(kind, payload)
        assert caught.value.code == "bad-record"


def test_a_record_over_the_limit_is_refused() -> None:
    fits = Output(finish="stop", text="x" * (codec.MAX_SIZE - 54))
    assert len(codec.encode(fits)) <= codec.MAX_SIZE
    with pytest.raises(LimitError, match="16 MiB"):
        codec.encode(Output(finish="stop", text="x" * codec.MAX_SIZE))


def test_kinds_are_as_written_in_the_tag() -> None:
    for kind, record in codec.RECORDS.items():
        if kind != "statement":
            assert record.__struct_config__.tag == kind
