"""`probatum baseline`: name the session that later ones are held against."""

from __future__ import annotations

from probatum.cli.naming import naming_command

command = naming_command(
    "baselines",
    "baseline",
    "Make session REF (by default latest) the baseline NAME; without NAME, list all baselines.",
)
