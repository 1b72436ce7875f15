"""What specs may already say although this release cannot do it.

Such names parse in full, so that a mistake beside them is still found, and
are then refused before any call.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta

Filled = Annotated[str, Meta(min_length=1)]
Positive = Annotated[int, Meta(ge=1)]


def _proportion(name: str, value: Decimal) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be between 0 and 1")


class OtherModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model beside the one under test."""

    provider: Filled
    model: Filled
    temperature: Decimal = Decimal("0.7")
    max_tokens: Positive = 512
    seed: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.temperature <= 2:
            raise ValueError("temperature must be between 0 and 2")


class Paraphrase(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of `paraphrase`."""

    count: Positive = 3
    similarity_threshold: Decimal = Decimal("0.85")
    max_attempts: Positive = 3
    model: OtherModel | None = None

    def __post_init__(self) -> None:
        _proportion("similarity_threshold", self.similarity_threshold)


class SemanticEquivalence(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of `semantic_equivalence`."""

    threshold: Decimal
    embedding_model: Filled = "local:all-MiniLM-L6-v2"

    def __post_init__(self) -> None:
        _proportion("threshold", self.threshold)


class Plugin(msgspec.Struct, frozen=True, kw_only=True):
    """The name and the own parameters of a plugin."""

    name: Filled
    params: dict[str, Any] = {}


class Later(NamedTuple):
    """A name that is known and cannot be used yet.

    Attributes:
        extra: The extra that brings it, if it needs one.
    """

    params: type[msgspec.Struct]
    extra: str = ""


FAMILIES: Final[Mapping[str, Later]] = {
    "paraphrase": Later(Paraphrase, "semantic"),
    "plugin": Later(Plugin),
}
RULES: Final[Mapping[str, Later]] = {
    "plugin": Later(Plugin),
    "semantic_equivalence": Later(SemanticEquivalence, "semantic"),
}
PROVIDERS: Final = frozenset(
    {
        "anthropic",
        "azure",
        "bedrock",
        "cohere",
        "deepseek",
        "fireworks",
        "gemini",
        "groq",
        "http",
        "huggingface",
        "litellm",
        "mistral",
        "ollama",
        "openai",
        "openrouter",
        "perplexity",
        "together",
        "vertex_ai",
        "vllm",
        "xai",
    }
)


def refusal(what: str, name: str, extra: str = "") -> str:
    """Return the sentence that refuses a name of `FAMILIES`, `RULES` or `PROVIDERS`."""
    sentence = f"{what} {name!r} is not available in this release"
    return f"{sentence} (it will need the extra {extra!r})" if extra else sentence
