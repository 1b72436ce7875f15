"""The noun `output`: what a system answered; equal answers share one id."""

from typing import Final, Literal

from probatum.records.base import UNSET, BlobId, Record, UnsetType
from probatum.records.inputs import ToolCall

MAX_TEXT: Final = 64 * 1024
"""Longest text, in bytes of UTF-8, that stands in the record itself."""

Finish = Literal["stop", "length", "filtered", "tool_calls", "unknown"]


class Output(Record, frozen=True, kw_only=True, tag="output"):
    """An answer.

    Exactly one of `text` and `blob` is set: text of up to `MAX_TEXT` bytes
    stands here, anything longer or not text is a blob.

    Attributes:
        finish: Why the system stopped.
        parsed: Exact JSON text of a structured answer.
    """

    finish: Finish
    text: str | UnsetType = UNSET
    blob: BlobId | UnsetType = UNSET
    tool_calls: tuple[ToolCall, ...] | UnsetType = UNSET
    parsed: str | UnsetType = UNSET
