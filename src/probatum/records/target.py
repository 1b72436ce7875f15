"""The noun `target`: the system under test."""

from probatum.records.base import UNSET, Record, UnsetType


class Target(Record, frozen=True, kw_only=True, tag="target"):
    """A system, as far as it can be named.

    Attributes:
        provider: How it is called, such as ``python`` or ``command``.
        model: Its name; for a callable ``file.py:function``.
        params: Canonical JSON text of sampling and call parameters.
        endpoint: Where it answers, credentials taken out.
        tools: Digest of the tools that are offered in every call.
        code: SHA-256 of a callable's or command's code, where it can be read.
    """

    provider: str
    model: str
    params: str
    endpoint: str | UnsetType = UNSET
    tools: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
