"""What a perturbation family, an invariant rule and a provider must offer.

A plugin is any object that fits; nothing here is meant to be subclassed. It
has a ``name``, and a docstring with the headings What it does / Why it
matters / Example / Parameters / Limits.

A family or a rule also has an integer ``version`` that changes with its
meaning, and typed ``params``: a frozen msgspec struct whose defaults are the
documented ones and whose fractions are ``decimal.Decimal``, so that their
canonical text is exact. It may have ``format_defaults``: by format of the
authored file, the parameters whose default there is another than the
struct's. A rule may have ``sought``, which returns the values that it looks
for, and ``document_field``, the parameter that it stores as a document.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from probatum.plugins.draws import Draws
from probatum.records.inputs import Input, ToolCall
from probatum.records.judgment import Clue, Result
from probatum.records.output import Finish
from probatum.records.perturbation import Edit
from probatum.records.target import Target
from probatum.records.trials import Arm, Failure

Stance = Literal["preserving", "directional", "adversarial"]
Span = tuple[int, int]
"""Start and end offsets in code points."""


class Sample(NamedTuple):
    """One perturbation of one text: the variant used and its edits, sorted.

    Attributes:
        text: What the edits make of the text, from a family that has it at
            hand anyway; else they are applied.
    """

    method: str
    edits: tuple[Edit, ...]
    text: str | None = None


class NotApplicable(NamedTuple):
    """Why a family has nothing to do on a text, as a kebab-case code."""

    reason: str


class Sampler(Protocol):
    """A family prepared for one text; called once for every sample."""

    def __call__(self, draws: Draws) -> Sample:
        """Draw a sample; one without effect is allowed and is redrawn."""
        ...


class Members(NamedTuple):
    """An exhaustive family on one text: all its members, in declared order."""

    samples: tuple[Sample, ...]


class Subject(NamedTuple):
    """The text that a family changes.

    Attributes:
        text: Plain content of one message.
        message: Index of that message, for the edits.
        protected: Spans that no edit may touch, sorted, not overlapping.
    """

    text: str
    message: int
    protected: tuple[Span, ...]


class Family(Protocol):
    """A perturbation family."""

    name: str
    version: int
    stance: Stance
    params: type[msgspec.Struct]

    def count(self, params: Any) -> int:
        """Return how many perturbations the parameters ask for."""
        ...

    def prepare(self, subject: Subject, params: Any) -> Sampler | Members | NotApplicable:
        """Look at the text once, for all samples."""
        ...


class Outcome(NamedTuple):
    """What a rule says of one answer.

    Attributes:
        reason: Set exactly when `result` is ``unjudged``.
        score: A decimal at the rule's precision, if it has one.
    """

    result: Result
    clues: tuple[Clue, ...] = ()
    reason: str | None = None
    score: str | None = None


Check = Callable[[str], Outcome]
"""An invariant made ready: judges the text of an answer; never raises for any text."""


class Rule(Protocol):
    """An invariant rule."""

    name: str
    version: int
    params: type[msgspec.Struct]

    def document(self, params: Any) -> bytes | None:
        """Return the schema or rubric to be stored beside the parameters, if any."""
        ...

    def prepare(self, params: Any, document: bytes | None, normalize: tuple[str, ...]) -> Check:
        """Compile once, judge often; raises SpecError for parameters without meaning."""
        ...

    def contribution(self, params: Any, document: bytes | None) -> Fraction:
        """Return the declared falsifiability, in [0, 1]."""
        ...


class Request(msgspec.Struct, frozen=True, gc=False):
    """One call, with the place in the plan that it fills."""

    input: Input
    case: str
    arm: Arm
    declaration: str
    index: int
    repeat: int


class Answer(NamedTuple):
    """What a system gave back. `text` is bytes when it is not valid Unicode text."""

    text: str | bytes
    finish: Finish = "stop"
    tool_calls: tuple[ToolCall, ...] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None
    model: str | None = None
    response_id: str | None = None
    attempts: int = 1


class Failed(NamedTuple):
    """The system itself failed: a final row."""

    failure: Failure
    error: str


class Missing(NamedTuple):
    """No observation was made; the row stays open and can be resumed."""

    error: str


class SystemConfig(NamedTuple):
    """The authored ``model`` section, ready for a provider.

    Attributes:
        name: As authored, such as ``faq.py:answer``.
        options: The provider's own keys.
        params: Sampling parameters that the author wrote.
        folder: Where relative paths start: the folder of the spec.
        environ: What ``${NAME}`` in options stands for; never stored.
    """

    name: str
    options: Mapping[str, Any]
    params: Mapping[str, Any]
    folder: Path
    timeout: float
    parallel: int
    environ: Mapping[str, str] = MappingProxyType({})


class System(Protocol):
    """A system under test, opened.

    Attributes:
        bounded: Whether `call` itself keeps the timeout; where it cannot (a
            Python callable), the engine gives up waiting instead.
    """

    target: Target
    bounded: bool

    def call(self, request: Request) -> Answer | Failed | Missing:
        """Ask once; called from several threads at a time."""
        ...

    def close(self) -> None:
        """Release processes and files."""
        ...


class Provider(Protocol):
    """A way to reach systems."""

    name: str

    def open(self, config: SystemConfig) -> System:
        """Check everything that can be checked before the first call.

        Raises:
            ProviderFault: If the system cannot be set up.
        """
        ...


class Catalogue(Protocol):
    """What authored files may name."""

    def families(self) -> Sequence[str]:
        """Return the known family names, sorted."""
        ...

    def rules(self) -> Sequence[str]:
        """Return the known rule names, sorted."""
        ...

    def providers(self) -> Sequence[str]:
        """Return the known provider names, sorted."""
        ...

    def family(self, name: str) -> Family:
        """Return a family by name; raises NotFoundError."""
        ...

    def rule(self, name: str) -> Rule:
        """Return a rule by name; raises NotFoundError."""
        ...

    def provider(self, name: str) -> Provider:
        """Return a provider by name; raises NotFoundError."""
        ...
