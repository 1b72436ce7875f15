"""probatum: git for reliability evidence.

The library's public facade is :mod:`probatum.workspace`; this module holds
only what must be cheap to import.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
