"""From what a system gave back to what is stored of it."""

from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from probatum.digest import Digest
from probatum.errors import CanonicalError, LimitError
from probatum.plugins.protocols import Answer, Failed
from probatum.records.base import UNSET, BlobId, OutputId, UnsetType
from probatum.records.codec import MAX_SIZE, AnyRecord
from probatum.records.inputs import ToolCall
from probatum.records.output import MAX_TEXT, Output

ERROR_LENGTH: Final = 2_000
"""Code points kept of an error text."""

Redact = Callable[[str], str]


class Shelf(NamedTuple):
    """Where answers are put.

    Attributes:
        put: Stores a payload of a kind and returns its id.
        put_record: Stores a record and returns its id.
        redact: Takes known secrets out of text; none if there are none.
    """

    put: Callable[[str, bytes], Digest]
    put_record: Callable[[AnyRecord], Digest]
    redact: Redact | None = None


class Kept(NamedTuple):
    """A stored answer.

    Attributes:
        text: What invariants are shown; None when the answer is not text.
    """

    id: OutputId
    output: Output
    text: str | None


def keep(answer: Answer, shelf: Shelf) -> Kept | Failed:
    """Store an answer, or say why it cannot be one.

    Bytes that are no UTF-8, and text with lone surrogates, are kept as a blob
    that nothing judges: evidence is not thrown away for being ill-formed.
    """
    text, data = _spell(answer.text, shelf.redact)
    if len(data) > MAX_SIZE:
        return Failed("too-large", f"the answer has {len(data)} bytes, over the 16 MiB limit")
    inline: str | UnsetType = UNSET
    blob: BlobId | UnsetType = UNSET
    if text is not None and len(data) <= MAX_TEXT:
        inline = text
    else:
        blob = BlobId(shelf.put("blob", data))
    try:
        output = Output(
            finish=answer.finish,
            text=inline,
            blob=blob,
            tool_calls=_calls(answer.tool_calls, shelf.redact),
        )
        return Kept(OutputId(shelf.put_record(output)), output, text)
    except LimitError:
        return Failed("too-large", "the tool calls are over the 16 MiB limit")
    except CanonicalError as error:
        return Failed("malformed", f"the tool calls cannot be stored: {error}")


def text_of(output: Output, blob: Callable[[BlobId], bytes]) -> str | None:
    """Return the text of a stored output, or None when it is not text."""
    if output.text is not UNSET:
        return output.text
    if output.blob is UNSET:
        return None
    try:
        return blob(output.blob).decode()
    except UnicodeDecodeError:
        return None


def one_line(error: str, redact: Redact | None) -> str:
    """Return an error text as it is stored: one line, well-formed, bounded."""
    if redact is not None:
        error = redact(error)
    text = " ".join(error[: 4 * ERROR_LENGTH].split())
    return text.encode("utf-8", "backslashreplace").decode()[:ERROR_LENGTH]


def _spell(answer: str | bytes, redact: Redact | None) -> tuple[str | None, bytes]:
    """Return the text, if it is text, and its bytes."""
    if isinstance(answer, str):
        text = answer
    else:
        try:
            text = answer.decode()
        except UnicodeDecodeError:
            return None, _redacted(answer, redact)
    if redact is not None:
        text = redact(text)
    try:
        return text, text.encode()
    except UnicodeEncodeError:
        return None, text.encode("utf-8", "surrogatepass")


def _redacted(data: bytes, redact: Redact | None) -> bytes:
    if redact is None:
        return data
    return redact(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _calls(calls: tuple[ToolCall, ...], redact: Redact | None) -> tuple[ToolCall, ...] | UnsetType:
    if not calls:
        return UNSET
    if redact is None:
        return calls
    return tuple(msgspec.structs.replace(call, arguments=redact(call.arguments)) for call in calls)
