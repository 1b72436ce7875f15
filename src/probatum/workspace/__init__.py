"""The one place that wires everything, and the library's public facade.

``Workspace`` holds a store and offers what the command line offers, as plain
calls with plain values. Nothing here reads an environment, a clock, a home
folder or a terminal: whoever calls passes what is needed.
"""

from __future__ import annotations

from probatum.workspace.keyring import Keyring
from probatum.workspace.manifests import diff_manifests
from probatum.workspace.unfinished import Unfinished
from probatum.workspace.workspace import Workspace

__all__ = ["Keyring", "Unfinished", "Workspace", "diff_manifests"]
