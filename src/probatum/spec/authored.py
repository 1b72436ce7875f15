"""The shape of an authored spec: which keys there are and what they take.

These models check structure. What a perturbation or an invariant takes is
declared by its own parameter struct (`params`), what a provider takes by
`systems`.
"""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from probatum.canonical import MAX_INT
from probatum.spec import scalars

STRING, PARTS, MAPPING = LABELS = ("~string", "~parts", "~mapping")
"""What pydantic calls the shapes of a value that may have several; no part of a path."""

DEFAULT_PARALLEL = 8
DEFAULT_TIMEOUT = Decimal(30)
LONGEST_TIMEOUT = 86_400
_NEVER = "no number of passes shows that; 59 show 0.95 with confidence 0.95"


def _whole(value: object) -> int:
    try:
        return scalars.whole(value)
    except ValueError as error:
        raise PydanticCustomError("scalar", "{words}", {"words": str(error)}) from None


def _number(value: object) -> Decimal:
    try:
        return scalars.number(value)
    except ValueError as error:
        raise PydanticCustomError("scalar", "{words}", {"words": str(error)}) from None


def _ratio(value: object) -> Decimal:
    found = _number(value)
    if not 0 <= found <= 1:
        raise PydanticCustomError("range", "must be between 0 and 1")
    if len(scalars.shortest(found)) > 20:
        raise PydanticCustomError("range", "has more than 18 decimals")
    return found


def _below_one(value: object) -> Decimal:
    found = _ratio(value)
    if found == 1:
        raise PydanticCustomError("range", "must be below 1", {"hint": _NEVER})
    return found


def _truth(value: object) -> bool:
    try:
        return scalars.truth(value)
    except ValueError as error:
        raise PydanticCustomError("scalar", "{words}", {"words": str(error)}) from None


def _absent(value: object) -> object:
    return None if scalars.nothing(value) else value


Whole = Annotated[int, BeforeValidator(_whole, json_schema_input_type=int)]
Truth = Annotated[bool, BeforeValidator(_truth, json_schema_input_type=bool)]
Number = Annotated[Decimal, BeforeValidator(_number), WithJsonSchema({"type": "number"})]
Ratio = Annotated[
    Decimal,
    BeforeValidator(_ratio),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1}),
]
BelowOne = Annotated[
    Decimal,
    BeforeValidator(_below_one),
    WithJsonSchema({"type": "number", "minimum": 0, "exclusiveMaximum": 1}),
]
Filled = Annotated[str, Field(min_length=1)]
Positive = Annotated[Whole, Field(ge=1, le=1_000_000)]
Mapping = dict[str, Any]


class Authored(BaseModel):
    """Base of every authored mapping: no key is ignored, no value is guessed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, protected_namespaces=())


class Falsify(Authored):
    """The header of the 1.0 format."""

    version: Literal["1.0"]
    name: Filled


class Probatum(Authored):
    """The header of this project's own format."""

    version: Literal["1"]
    name: Filled


class Model(Authored):
    """The system under test; which keys a provider takes is checked by `systems`."""

    provider: Filled
    model: Filled | None = Field(default=None, description="Name of the system.")
    name: Filled | None = Field(default=None, description="Another word for `model`.")
    temperature: Annotated[Number, Field(ge=0, le=2)] | None = None
    max_tokens: Positive | None = None
    seed: Annotated[Whole | None, BeforeValidator(_absent)] = None
    command: list[Filled] | None = Field(
        default=None, min_length=1, description="Program and arguments."
    )
    mode: Literal["lines", "call"] | None = None
    api_key: Filled | None = None
    base_url: Filled | None = None
    headers: dict[str, str] | None = None
    api_version: Filled | None = None
    organization: Filled | None = None


class Run(Authored):
    """How the cases are run."""

    seed: Whole
    control: Annotated[Whole, Field(ge=0, le=10_000)] | None = None
    repeats: Positive | None = None
    replications: Positive | None = None
    parallel: Annotated[Whole, Field(ge=1, le=1_024)] = DEFAULT_PARALLEL
    timeout_seconds: Annotated[Number, Field(gt=0, le=LONGEST_TIMEOUT)] = DEFAULT_TIMEOUT
    cache: Truth = True


class Part(Authored):
    """A piece of a message: `text`, or a file given by `path` and `media_type`."""

    type: Literal["text", "file"]
    text: str | None = None
    path: Filled | None = None
    media_type: Annotated[str, Field(pattern=r"^[a-z]+/[A-Za-z0-9.+-]+$")] | None = None


def _content_label(value: object) -> str:
    return PARTS if isinstance(value, list) else STRING


Content = Annotated[
    Annotated[str, Tag(STRING)] | Annotated[list[Part], Tag(PARTS)],
    Discriminator(_content_label),
]


def _arguments_label(value: object) -> str:
    return MAPPING if isinstance(value, dict) else STRING


class Call(Authored):
    """A tool call that a conversation already holds."""

    name: Filled
    arguments: Annotated[
        Annotated[str, Tag(STRING)] | Annotated[Mapping, Tag(MAPPING)],
        Discriminator(_arguments_label),
    ]
    id: Filled | None = None


class ChatMessage(Authored):
    """One chat message."""

    role: Literal["system", "user", "assistant", "tool"]
    content: Content
    name: Filled | None = None
    tool_calls: list[Call] | None = None
    tool_call_id: Filled | None = None


class OfferedTool(Authored):
    """A tool that the system may call."""

    name: Filled
    description: str = ""
    parameters: Mapping = Field(default_factory=dict)


class CaseInput(Authored):
    """What is asked: `text`, or `messages`."""

    text: Filled | None = None
    messages: list[ChatMessage] | None = Field(default=None, min_length=1)
    tools: list[OfferedTool] | None = None


class Expected(Authored):
    """What is known to be right; tells wrong from fragile."""

    contains: list[str] = Field(default_factory=list)
    not_contains: list[str] = Field(default_factory=list)
    reference: Annotated[str | None, BeforeValidator(_absent)] = None


class ClaimSection(Authored):
    """A bound that the author wants shown."""

    stability: BelowOne
    confidence: BelowOne = Decimal("0.95")


class VerdictConfig(Authored):
    """The thresholds of a case's verdict."""

    stable_threshold: Ratio = Decimal("0.95")
    min_perturbations: Annotated[Whole, Field(ge=1, le=MAX_INT)] = 2
    claim: ClaimSection | None = None
    fragile_threshold: Ratio | None = None
    use_worst_case_stability: Truth | None = None


class CaseSection(Authored):
    """One input, how to perturb it, and what must hold."""

    id: Annotated[str, WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 128})]
    input: CaseInput
    tags: list[Filled] = Field(default_factory=list)
    expected: Expected | None = None
    perturbations: list[Mapping] = Field(default_factory=list)
    invariants: list[Mapping] = Field(default_factory=list)
    verdict_config: VerdictConfig = VerdictConfig()


class SpecFile(Authored):
    """A whole file."""

    falsify: Falsify | None = None
    probatum: Probatum | None = None
    model: Model
    run: Run
    cases: list[CaseSection] = Field(min_length=1)

    @property
    def header(self) -> Falsify | Probatum:
        """The header that is given."""
        found = self.falsify or self.probatum
        if found is None:  # pragma: no cover
            raise AssertionError("structure has been checked")
        return found
