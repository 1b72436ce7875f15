"""What a system under test is asked: chat messages, and the tools it may use."""

from typing import Literal

from probatum.records.base import UNSET, BlobId, UnsetType, Value

Role = Literal["system", "user", "assistant", "tool"]


class TextPart(Value, frozen=True, kw_only=True, tag_field="type", tag="text"):
    """A stretch of text inside a message of several parts."""

    text: str


class BlobPart(Value, frozen=True, kw_only=True, tag_field="type", tag="blob"):
    """An image or a document inside a message."""

    blob: BlobId
    media_type: str


class ToolCall(Value, frozen=True, kw_only=True):
    """A tool call, made by a system or given as part of a conversation.

    Attributes:
        arguments: The exact JSON text of the arguments, as it was received.
    """

    name: str
    arguments: str
    id: str | UnsetType = UNSET


class Message(Value, frozen=True, kw_only=True):
    """One chat message.

    Attributes:
        content: Plain text, or parts when a message mixes text and documents.
        name: The participant's or the tool's name.
        tool_calls: Calls made by the assistant in this message.
        tool_call_id: The call that a ``tool`` message answers.
    """

    role: Role
    content: str | tuple[TextPart | BlobPart, ...]
    name: str | UnsetType = UNSET
    tool_calls: tuple[ToolCall, ...] | UnsetType = UNSET
    tool_call_id: str | UnsetType = UNSET


class Tool(Value, frozen=True, kw_only=True):
    """A tool that is offered to the system.

    Attributes:
        parameters: The exact JSON text of the parameter schema.
    """

    name: str
    description: str
    parameters: str


class Input(Value, frozen=True, kw_only=True):
    """Everything a system is asked in one call."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] | UnsetType = UNSET


def text_input(text: str) -> Input:
    """Return the input that plain text stands for: one user message."""
    return Input(messages=(Message(role="user", content=text),))


def blobs_of(value: Input) -> list[BlobId]:
    """Return the ids of all documents that an input holds, in order."""
    return [
        part.blob
        for message in value.messages
        if not isinstance(message.content, str)
        for part in message.content
        if isinstance(part, BlobPart)
    ]
