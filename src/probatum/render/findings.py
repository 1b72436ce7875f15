"""What each finding means, and what to do next; ``docs/findings.md`` is made of these words."""

from __future__ import annotations

from typing import Final

_RESTORE: Final = "restore the store from a copy"
_DOUBT: Final = "do not rely on this session; ask whoever made it"

MEANINGS: Final[dict[str, tuple[str, str]]] = {
    "object-corrupt": ("stored bytes are not what their id says", _RESTORE),
    "object-header": ("an object has no proper kind and size", _RESTORE),
    "pack-header": ("a pack is of another format", "open it with a newer release, or restore it"),
    "pack-truncated": ("a pack is cut short, or has something behind it", _RESTORE),
    "pack-index": ("a pack's index contradicts itself", _RESTORE),
    "pack-block": ("a block of a pack does not open", _RESTORE),
    "pack-checksum": ("a pack's bytes are not those that it was named by", _RESTORE),
    "pack-gone": ("a pack went away while it was read", "verify again"),
    "file-empty": ("a file has no bytes, as after a power cut", _RESTORE),
    "lfs-pointer": ("a Git LFS pointer stands in place of the content", "run `git lfs pull`"),
    "not-a-file": ("something that is no file stands where one belongs", "move it away"),
    "not-a-folder": ("something that is no folder stands where one belongs", "move it away"),
    "dangling-ref": ("a ref leads to a statement that is not here", _RESTORE),
    "too-large": ("a file is over its limit", "move it away"),
    "unreadable": (
        "the machine refuses to read a file, which may be good",
        "check permissions and the disk",
    ),
    "ref-corrupt": ("a ref is not what its name says", "remove the file, or restore it"),
    "stray-file": ("a file in the store is none of its own", "look at it, then remove it"),
    "bytes-quick": (
        "only checksums of whole files were compared",
        "verify without --quick reads every object",
    ),
    "bad-record": ("an object does not have the fields of its kind", _DOUBT),
    "non-canonical": ("an object is not in its only permitted spelling", _DOUBT),
    "unknown-kind": (
        "an object is of a kind that this release does not know",
        "verify with a newer release",
    ),
    "object-missing": ("an object that the session needs is missing", _RESTORE),
    "bad-reference": ("what stands where an id must be is no id", _DOUBT),
    "wrong-kind": ("an id leads to an object of another kind", _DOUBT),
    "unreferenced-object": (
        "objects belong to no session",
        "nothing to do; they came from a removed session, an interrupted run or from elsewhere",
    ),
    "inventory-mismatch": ("the objects are not those that were signed", _DOUBT),
    "object-counts-mismatch": ("there are other numbers of objects than were signed", _DOUBT),
    "merkle-root-mismatch": ("the signed tree root is not that of the objects", _DOUBT),
    "signature-invalid": (
        "a signature does not verify",
        "remove the signature file if it is damaged, and do not rely on it",
    ),
    "unsigned": (
        "nobody has signed this session",
        "take it as unattributed; `run` signs what it makes unless --no-sign is given",
    ),
    "trust-not-given": (
        "no trust file is at hand, so no signer can be trusted",
        "give one with --trust",
    ),
    "key-not-trusted": (
        "it is signed by a key that the trust file does not trust",
        "if you know whose key it is: `probatum trust add NAME KEY`; a revoked one stays out",
    ),
    "key-retired": ("it is signed by a key that was retired since", "nothing to do"),
    "key-out-of-time": (
        "it is signed by an expired or retired key, and nothing proves when",
        "ask for a signature by a current key",
    ),
    "threshold-not-met": (
        "fewer trusted keys have signed than the trust file asks for",
        "ask for the missing signatures",
    ),
    "time-order": ("its claimed times are impossible", _DOUBT),
    "time-outside-session": (
        "runs lie outside the session's claimed times",
        "check the clocks of the machine that ran it",
    ),
    "time-in-future": (
        "it claims to have ended in the future",
        "check this clock and that of the machine that ran it",
    ),
    "time-claimed": (
        "its times are the runner's claim; nothing proves them",
        "a time token or a log receipt would",
    ),
    "session-dropped": (
        "dropped or withheld session: a predecessor is nowhere here",
        "ask for the missing session; a better result may have been chosen over it",
    ),
    "sequence-mismatch": ("its number does not follow from its predecessors", _DOUBT),
    "foreign-origin": ("it was made in another store", "nothing to do"),
    "session-removed": ("a predecessor was removed on purpose", "the removal says why"),
    "statement-mismatch": ("what was signed is not what the session says", _DOUBT),
    "table-mismatch": ("a table is not built as it must be", _DOUBT),
    "session-mismatch": ("the session is not what its spec says", _DOUBT),
    "case-mismatch": ("a case contradicts itself or its place", _DOUBT),
    "plan-mismatch": ("the plan does not follow from the spec", _DOUBT),
    "input-mismatch": ("a perturbation starts from another input than the case's", _DOUBT),
    "edits-mismatch": ("a perturbation's edits do not give its text", _DOUBT),
    "vacuous-perturbation": (
        "a perturbation changes nothing, or repeats another, and was counted",
        _DOUBT,
    ),
    "trials-mismatch": ("the runs are not those that were planned", _DOUBT),
    "output-mismatch": ("an answer is not stored as it must be", _DOUBT),
    "judgments-mismatch": ("a judgment does not belong to its run", _DOUBT),
    "executions-mismatch": ("times and costs do not belong to the runs", _DOUBT),
    "verdict-mismatch": ("the verdict does not follow from the judgments", _DOUBT),
    "summary-mismatch": ("a results table says other than the verdict", _DOUBT),
    "totals-mismatch": ("the session counts other than its cases give", _DOUBT),
    "completeness-mismatch": ("the session is wrong about being complete", _DOUBT),
    "spec-not-rederived": (
        "the authored files give another spec, seed or system than the stored one",
        _DOUBT,
    ),
    "perturbation-not-rederived": (
        "the seed gives another perturbation than the stored one",
        _DOUBT,
    ),
    "judgment-not-rederived": (
        "judging the stored answer again gives another result",
        _DOUBT,
    ),
    "falsifiability-not-rederived": ("the invariants give another falsifiability", _DOUBT),
    "incomplete": (
        "the session says itself that runs are missing",
        "`probatum run --resume` makes them",
    ),
}
"""Meaning and next step of each finding id."""
