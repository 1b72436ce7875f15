"""The rule `json_valid`: the answer is JSON, all of it."""

from fractions import Fraction

import msgspec

from probatum.invariants.normalize import normalizer
from probatum.invariants.parsing import parse
from probatum.plugins.protocols import Check, Outcome


class JsonValidParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of `json_valid`: none."""


class JsonValid:
    """The whole answer is one JSON value.

    What it does:
        Passes when the raw answer, with nothing but white space around it, is
        one JSON value of at most 64 levels. Evidence: `not-json`,
        `duplicate-key` or `too-deep`.

    Why it matters:
        A parser does not skip `Sure, here is the JSON you asked for`.

    Example:
        `{"a": 1}` passes; a fenced code block, `{"a": 1,}` and
        `{"a": 1, "a": 2}` fail.

    Parameters:
        None.

    Limits:
        Form only: use `schema_match` for what must be in it. `NaN` and
        `Infinity`, which some writers produce, are not JSON. Declared
        falsifiability is 0.2.
    """

    name = "json_valid"
    version = 1
    params = JsonValidParams

    def document(self, params: JsonValidParams) -> bytes | None:  # noqa: ARG002
        """Return nothing: there is nothing to say."""
        return None

    def prepare(
        self,
        params: JsonValidParams,  # noqa: ARG002
        document: bytes | None,  # noqa: ARG002
        normalize: tuple[str, ...],
    ) -> Check:
        """Return the check."""
        apply = normalizer(normalize)

        def check(text: str) -> Outcome:
            flaw = parse(apply(text)).flaw
            return Outcome("pass") if flaw is None else Outcome("fail", (flaw,))

        return check

    def contribution(self, params: JsonValidParams, document: bytes | None) -> Fraction:  # noqa: ARG002
        """Return 0.2."""
        return Fraction(1, 5)
