"""The store: content-addressed objects, journals of running sessions, packs and refs.

``Store`` is the one door. Everything below it works on a ``Backend``, of
which there are two: a folder on disk and plain memory. The normative
description of every byte is ``docs/format/``.
"""

from probatum.store.journal import Journal, JournalInfo
from probatum.store.objects import Stored
from probatum.store.refs import Head, Space
from probatum.store.scan import Finding, Scanned
from probatum.store.sessions import SessionHead
from probatum.store.store import Store
from probatum.store.walk import Closure, Entry, Gap, closure, inventory_bytes, merkle_root

__all__ = [
    "Closure",
    "Entry",
    "Finding",
    "Gap",
    "Head",
    "Journal",
    "JournalInfo",
    "Scanned",
    "SessionHead",
    "Space",
    "Store",
    "Stored",
    "closure",
    "inventory_bytes",
    "merkle_root",
]
