"""The shape of an authored spec: which keys there are and what they take.

These models check structure. What a perturbation or an invariant takes is
declared by its own parameter struct (`params`), what a provider takes by
`systems`.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Literal

from pydantic_core import PydanticCustomError, core_schema

from probatum.canonical import MAX_INT
from probatum.spec import shapes
from probatum.spec.shapes import Authored, needed, optional

DEFAULT_PARALLEL = 8
DEFAULT_TIMEOUT = Decimal(30)
LONGEST_TIMEOUT = 86_400
_MANY = 1_000_000
_NEVER = "no number of passes shows that; 59 show 0.95 with confidence 0.95"

Unchecked = dict[str, Any]
"""A mapping whose keys are checked elsewhere, or by nobody."""


class Falsify(Authored):
    """The header of the 1.0 format."""

    version: Literal["1.0"] = needed(shapes.one_of("1.0"))
    name: str = needed(shapes.filled())


class Probatum(Authored):
    """The header of this project's own format."""

    version: Literal["1"] = needed(shapes.one_of("1"))
    name: str = needed(shapes.filled())


class Model(Authored):
    """The system under test; which keys a provider takes is checked by `systems`."""

    provider: str = needed(shapes.filled())
    model: str | None = optional(shapes.filled(), about="Name of the system.")
    name: str | None = optional(shapes.filled(), about="Another word for `model`.")
    temperature: Decimal | None = optional(shapes.number(least=0, most=2))
    max_tokens: int | None = optional(shapes.whole(1, _MANY))
    seed: int | None = optional(shapes.or_nothing(shapes.whole()))
    command: Sequence[str] | None = optional(
        shapes.many(shapes.filled(), least=1), about="Program and arguments."
    )
    mode: Literal["lines", "call"] | None = optional(shapes.one_of("lines", "call"))
    api_key: str | None = optional(shapes.filled())
    base_url: str | None = optional(shapes.filled())
    headers: dict[str, str] | None = optional(core_schema.dict_schema(shapes.text(), shapes.text()))
    api_version: str | None = optional(shapes.filled())
    organization: str | None = optional(shapes.filled())


class Run(Authored):
    """How the cases are run."""

    seed: int = needed(shapes.whole())
    control: int | None = optional(shapes.whole(0, 10_000))
    repeats: int | None = optional(shapes.whole(1, _MANY))
    replications: int | None = optional(shapes.whole(1, _MANY))
    parallel: int = optional(shapes.whole(1, 1_024), DEFAULT_PARALLEL)
    timeout_seconds: Decimal = optional(
        shapes.number(above=0, most=LONGEST_TIMEOUT), DEFAULT_TIMEOUT
    )
    cache: bool = optional(shapes.truth(), True)


class Part(Authored):
    """A piece of a message: `text`, or a file given by `path` and `media_type`."""

    type: Literal["text", "file"] = needed(shapes.one_of("text", "file"))
    text: str | None = optional(shapes.text())
    path: str | None = optional(shapes.filled())
    media_type: str | None = optional(shapes.text(r"^[a-z]+/[A-Za-z0-9.+-]+$"))


class Call(Authored):
    """A tool call that a conversation already holds."""

    name: str = needed(shapes.filled())
    arguments: str | Unchecked = needed(shapes.text_or(shapes.MAPPING, dict, shapes.mapping()))
    id: str | None = optional(shapes.filled())


class ChatMessage(Authored):
    """One chat message."""

    role: Literal["system", "user", "assistant", "tool"] = needed(
        shapes.one_of("system", "user", "assistant", "tool")
    )
    content: str | Sequence[Part] = needed(
        shapes.text_or(shapes.PARTS, list, shapes.many(Part.schema))
    )
    name: str | None = optional(shapes.filled())
    tool_calls: Sequence[Call] | None = optional(shapes.many(Call.schema))
    tool_call_id: str | None = optional(shapes.filled())


class OfferedTool(Authored):
    """A tool that the system may call."""

    name: str = needed(shapes.filled())
    description: str = optional(shapes.text(), "")
    parameters: Unchecked = optional(shapes.mapping(), {})


class CaseInput(Authored):
    """What is asked: `text`, or `messages`."""

    text: str | None = optional(shapes.filled())
    messages: Sequence[ChatMessage] | None = optional(shapes.many(ChatMessage.schema, least=1))
    tools: Sequence[OfferedTool] | None = optional(shapes.many(OfferedTool.schema))


class Expected(Authored):
    """What is known to be right; tells wrong from fragile."""

    contains: Sequence[str] = optional(shapes.many(shapes.text()), ())
    not_contains: Sequence[str] = optional(shapes.many(shapes.text()), ())
    reference: str | None = optional(shapes.or_nothing(shapes.text()))


def _below_one(found: Decimal) -> None:
    if found == 1:
        raise PydanticCustomError("range", "must be below 1", {"hint": _NEVER})


class ClaimSection(Authored):
    """A bound that the author wants shown."""

    stability: Decimal = needed(shapes.ratio(below=_below_one))
    confidence: Decimal = optional(shapes.ratio(below=_below_one), Decimal("0.95"))


class VerdictConfig(Authored):
    """The thresholds of a case's verdict."""

    stable_threshold: Decimal = optional(shapes.ratio(), Decimal("0.95"))
    min_perturbations: int = optional(shapes.whole(1, MAX_INT), 2)
    claim: ClaimSection | None = optional(ClaimSection.schema)
    fragile_threshold: Decimal | None = optional(shapes.ratio())
    use_worst_case_stability: bool | None = optional(shapes.truth())


class CaseSection(Authored):
    """One input, how to perturb it, and what must hold."""

    id: str = needed(shapes.text())
    input: CaseInput = needed(CaseInput.schema)
    tags: Sequence[str] = optional(shapes.many(shapes.filled()), ())
    expected: Expected | None = optional(Expected.schema)
    perturbations: Sequence[Unchecked] = optional(shapes.many(shapes.mapping()), ())
    invariants: Sequence[Unchecked] = optional(shapes.many(shapes.mapping()), ())
    verdict_config: VerdictConfig = optional(VerdictConfig.schema, VerdictConfig())


class SpecFile(Authored):
    """A whole file."""

    falsify: Falsify | None = optional(Falsify.schema)
    probatum: Probatum | None = optional(Probatum.schema)
    model: Model = needed(Model.schema)
    run: Run = needed(Run.schema)
    cases: Sequence[CaseSection] = needed(shapes.many(CaseSection.schema, least=1))

    @property
    def header(self) -> Falsify | Probatum:
        """The header that is given."""
        found = self.falsify or self.probatum
        if found is None:  # pragma: no cover
            raise AssertionError("structure has been checked")
        return found
