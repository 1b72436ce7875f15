"""Applying edits to text: the one place where a perturbed text is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from probatum.errors import IntegrityError
from probatum.records.inputs import Input
from probatum.records.perturbation import Edit


def apply_to_text(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with edits applied; they are sorted and do not overlap.

    Raises:
        IntegrityError: If the edits do not fit the text.
    """
    pieces: list[str] = []
    done = 0
    for edit in edits:
        end = edit.at + len(edit.old)
        if edit.at < done or text[edit.at : end] != edit.old:
            raise IntegrityError("edits do not fit the text they claim to change", code="bad-edits")
        pieces.append(text[done : edit.at])
        pieces.append(edit.new)
        done = end
    pieces.append(text[done:])
    return "".join(pieces)


def apply_to_input(original: Input, edits: Sequence[Edit]) -> Input:
    """Return the input with each edited message replaced.

    Raises:
        IntegrityError: If the edits do not fit the input.
    """
    messages = list(original.messages)
    edited = {edit.message for edit in edits}
    for index in sorted(edited):
        content = messages[index].content if index < len(messages) else None
        if not isinstance(content, str):
            raise IntegrityError("edits name a message that holds no plain text", code="bad-edits")
        own = edits if len(edited) == 1 else [edit for edit in edits if edit.message == index]
        changed = apply_to_text(content, own)
        messages[index] = msgspec.structs.replace(messages[index], content=changed)
    return msgspec.structs.replace(original, messages=tuple(messages))
