"""`probatum tag`: name a session."""

from __future__ import annotations

from probatum.cli.naming import naming_command

command = naming_command(
    "tags",
    "tag",
    "Give session REF (by default latest) the name NAME; without NAME, list all tags.",
)
