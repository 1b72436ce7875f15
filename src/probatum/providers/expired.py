"""The one way to say that a system took too long."""

from __future__ import annotations


class Expired(Exception):
    """The deadline passed; told apart from a TimeoutError of the system's own."""
