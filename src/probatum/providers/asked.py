"""What a system under test is shown of an input, in plain Python and JSON values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any

import msgspec

from probatum import canonical
from probatum.errors import CanonicalError, ProviderFault
from probatum.records.base import UNSET
from probatum.records.inputs import Input, TextPart
from probatum.spec.scalars import shortest


def last_user_text(value: Input) -> str:
    """Return the text of the last user message; parts are joined, documents left out."""
    for message in reversed(value.messages):
        if message.role == "user":
            if isinstance(message.content, str):
                return message.content
            return "".join(part.text for part in message.content if isinstance(part, TextPart))
    return ""


def messages_of(value: Input) -> list[dict[str, Any]]:
    """Return the messages as fresh dictionaries, absent fields left out."""
    found: list[dict[str, Any]] = msgspec.to_builtins(list(value.messages))
    return found


def tools_of(value: Input) -> list[dict[str, Any]]:
    """Return the tools on offer as fresh dictionaries; ``parameters`` is parsed."""
    if value.tools is UNSET:
        return []
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": canonical.foreign_json(tool.parameters),
        }
        for tool in value.tools
    ]


def params_text(params: Mapping[str, Any]) -> str:
    """Return canonical JSON text of authored parameters.

    Numbers with a fraction become their shortest decimals, as strings.

    Raises:
        ProviderFault: If a value has no canonical form.
    """
    try:
        return canonical.encode(_plain(params)).decode()
    except CanonicalError as error:
        raise ProviderFault(
            f"a parameter of the model cannot be stored: {error}", code="bad-option"
        ) from None


def only_known(given: Mapping[str, Any], known: Collection[str], provider: str) -> None:
    """Refuse options that a provider does not have.

    Raises:
        ProviderFault: Naming the first unknown one.
    """
    for name in sorted(given):
        if name not in known:
            raise ProviderFault(
                f"the {provider} provider has no option {name!r}",
                code="unknown-option",
                hint=f"known: {', '.join(sorted(known))}" if known else "it takes none",
            )


def _plain(value: Any) -> Any:
    if isinstance(value, float | Decimal):
        number = Decimal(repr(value) if isinstance(value, float) else value)
        if not number.is_finite():
            raise CanonicalError(f"{number} is no number that can be stored")
        return shortest(number)
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
