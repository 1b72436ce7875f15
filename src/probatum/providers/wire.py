"""The JSON object in which a program or a recording answers."""

from typing import Any

import msgspec

from probatum import canonical
from probatum.errors import CanonicalError, LimitError
from probatum.plugins.protocols import Answer, Failed
from probatum.records.base import UNSET, Count, UnsetType
from probatum.records.inputs import ToolCall
from probatum.records.output import Finish


class WireCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool call; ``arguments`` is the exact JSON text, or an object to be spelled."""

    name: str
    arguments: str | dict[str, Any]
    id: str | UnsetType = UNSET

    def record(self) -> ToolCall:
        """Return the call as it is stored."""
        text = self.arguments
        if not isinstance(text, str):
            text = msgspec.json.encode(text, order="sorted").decode()
        return ToolCall(name=self.name, arguments=text, id=self.id)


class Usage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Tokens that were counted."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None


class WireAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer: ``text`` or ``error``, and what is known beside it."""

    id: int | str | None = None
    text: str | None = None
    error: str | None = None
    finish: Finish = "stop"
    tool_calls: tuple[WireCall, ...] = ()
    usage: Usage = Usage()
    model: str | None = None
    response_id: str | None = None

    def result(self) -> Answer | Failed:
        """Return what the object says; an object without text or error is malformed."""
        if self.error is not None:
            return Failed("raised", self.error)
        text = self.text
        if text is None:
            if not self.tool_calls:
                return Failed("malformed", "the answer has neither text nor error")
            text = ""
        return Answer(
            text,
            finish=self.finish,
            tool_calls=tuple(call.record() for call in self.tool_calls),
            input_tokens=self.usage.input_tokens,
            output_tokens=self.usage.output_tokens,
            model=self.model,
            response_id=self.response_id,
        )


def parse_answer(line: bytes) -> WireAnswer | Failed:
    """Read one line; what does not fit is a failure that says why."""
    try:
        return msgspec.convert(canonical.foreign_json(line), WireAnswer)
    except (CanonicalError, LimitError, msgspec.ValidationError) as error:
        return Failed("malformed", f"the answer is not the JSON that was asked for: {error}")
