"""The command line: the only part that knows an environment, a clock and a terminal.

One file a verb. Each parses options, calls the workspace, writes what `render`
makes of the answer to standard output, and answers with a code of the table in
`probatum.errors`. Nothing but data goes to standard output.
"""

from __future__ import annotations

from probatum.cli.app import main

__all__ = ["main"]
