"""Recorded answers as a system under test."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from probatum import canonical
from probatum.digest import sha256_hex
from probatum.errors import CanonicalError, LimitError, ProviderFault
from probatum.plugins.protocols import Answer, Failed, Missing, Request, SystemConfig
from probatum.providers.asked import only_known, params_text
from probatum.providers.wire import WireAnswer, WireCall
from probatum.records.base import UNSET, Count, UnsetType
from probatum.records.inputs import Input, Message, Tool, text_input
from probatum.records.output import Finish
from probatum.records.target import Target
from probatum.records.trials import Arm

_NARROW: Final = ("case", "arm", "declaration", "index", "repeat")


class Recording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a recordings file."""

    text: str | UnsetType = UNSET
    messages: tuple[Message, ...] | UnsetType = UNSET
    tools: tuple[Tool, ...] | UnsetType = UNSET
    output: str | UnsetType = UNSET
    error: str | UnsetType = UNSET
    finish: Finish = "stop"
    tool_calls: tuple[WireCall, ...] = ()
    model: str | None = None
    case: str | UnsetType = UNSET
    arm: Arm | UnsetType = UNSET
    declaration: str | UnsetType = UNSET
    index: Count | UnsetType = UNSET
    repeat: Count | UnsetType = UNSET

    def input(self) -> Input:
        """Return the input that was recorded; ValueError if there is not exactly one."""
        if (self.text is UNSET) is (self.messages is UNSET):
            raise ValueError("give exactly one of text and messages")
        if self.messages is not UNSET:
            return Input(messages=self.messages, tools=self.tools)
        return msgspec.structs.replace(text_input(str(self.text)), tools=self.tools)

    def answer(self) -> Answer | Failed:
        """Return the recorded answer; ValueError if there is not exactly one."""
        if (self.output is UNSET) is (self.error is UNSET):
            raise ValueError("give exactly one of output and error")
        return WireAnswer(
            text=None if self.output is UNSET else self.output,
            error=None if self.error is UNSET else self.error,
            finish=self.finish,
            tool_calls=self.tool_calls,
            model=self.model,
        ).result()

    def place(self) -> tuple[object, ...]:
        """Return the narrower keys, in the order of `_NARROW`."""
        return tuple(getattr(self, name) for name in _NARROW)


class FixturesProvider:
    """Answer from a file of recordings.

    What it does:
        Looks up the exact input in a JSON Lines file. A line may be narrowed
        to a case, arm, declaration, index or repeat; of the lines that fit,
        the narrowest answers.

    Why it matters:
        Evidence without calls: for tests, for demonstrations, and for systems
        that cannot be reached from where the judging is done.

    Example:
        ``model: {provider: fixtures, model: recorded.jsonl}``

    Parameters:
        None.

    Limits:
        An input that was not recorded is a missing run, so the session is
        incomplete until the file has it.
    """

    name = "fixtures"

    def open(self, config: SystemConfig) -> FixturesSystem:
        """Read the whole file.

        Raises:
            ProviderFault: If it cannot be read, or a line is wrong or given twice.
        """
        only_known(config.options, (), self.name)
        params = params_text(config.params)
        path = config.folder / config.name
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ProviderFault(
                f"cannot read {config.name!r}: {error.strerror}",
                code="no-such-file",
                hint="relative to the spec",
            ) from None
        target = Target(provider=self.name, model=config.name, params=params, code=sha256_hex(data))
        return FixturesSystem(target, _index(data, Path(config.name).name))


Answers = dict[bytes, list[tuple[tuple[object, ...], Answer | Failed]]]


class FixturesSystem:
    """A file of recordings, by input."""

    bounded = True

    def __init__(self, target: Target, answers: Answers) -> None:
        self.target = target
        self._answers = answers

    def call(self, request: Request) -> Answer | Failed | Missing:
        """Return the narrowest recording of this input."""
        here = tuple(getattr(request, name) for name in _NARROW)
        best: Answer | Failed | None = None
        most = -1
        for place, answer in self._answers.get(_key(request.input), ()):
            fits = [wanted == given for wanted, given in zip(place, here, strict=True)]
            given = sum(wanted is not UNSET for wanted in place)
            if sum(fits) == given and given > most:
                best, most = answer, given
        if best is None:
            where = f"{request.case}, {request.arm}"
            if request.declaration:
                where += f" {request.declaration}"
            return Missing(f"no recorded answer for {where} {request.index}".rstrip())
        return best

    def close(self) -> None:
        """Nothing is held open."""


def _index(data: bytes, name: str) -> Answers:
    answers: Answers = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            recording = msgspec.convert(canonical.foreign_json(line), Recording)
            key, answer = _key(recording.input()), recording.answer()
        except (CanonicalError, LimitError, msgspec.ValidationError, ValueError) as error:
            raise ProviderFault(f"{name}:{number}: {error}", code="bad-recording") from None
        place = recording.place()
        known = answers.setdefault(key, [])
        if any(place == other for other, _ in known):
            raise ProviderFault(
                f"{name}:{number}: this input is recorded twice for the same place",
                code="bad-recording",
                hint="narrow one of them by case, arm, declaration, index or repeat",
            )
        known.append((place, answer))
    return answers


def _key(value: Input) -> bytes:
    return bytes.fromhex(sha256_hex(canonical.encode_record(value)))
