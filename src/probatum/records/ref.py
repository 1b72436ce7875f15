"""The noun `ref`: an immutable entry that names a statement."""

from probatum.digest import Digest
from probatum.records.base import UNSET, StatementId, UnsetType, Value


class RefEntry(Value, frozen=True, kw_only=True):
    """One move of a tag or baseline; never changed once written.

    Heads are the entries that no other entry replaces. A file of this form is
    named by the plain SHA-256 of its bytes.

    Attributes:
        target: Where the name now leads; absent when the name was deleted.
        replaces: Entries that this one supersedes.
        nonce: 32 hex digits that keep two equal moves apart.
    """

    replaces: tuple[Digest, ...]
    nonce: str
    target: StatementId | UnsetType = UNSET
