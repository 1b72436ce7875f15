"""An independent reader of format 1, written from docs/format alone.

Verifies the newest session of a store with nothing of probatum: ids, closure,
inventory, signature. Prints its verdict and the number of objects; whatever
is wrong is an assertion.
"""

import base64
import hashlib
import json
import pathlib
import struct
import sys

import zstandard
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

WEAK = {"prev", "continues", "reused_from", "text"}


def preimages(store):
    for path in store.glob("obj/??/*"):
        yield path.parent.name + path.name, path.read_bytes()
    for path in store.glob("pack/*.pbp"):
        data = path.read_bytes()
        assert hashlib.sha256(data).hexdigest() == path.stem
        assert data[:8] == b"PBPACK1\n"
        end, at = struct.unpack_from("<Q", data, len(data) - 64)[0], 12
        while at < end:
            _, stored, raw = struct.unpack_from("<4sII", data, at)
            block = zstandard.ZstdDecompressor().decompress(data[at + 12 : at + 12 + stored])
            at, start = at + 12 + stored, 0
            while start < raw:
                nul = block.index(b"\0", start)
                stop = nul + 1 + int(block[start:nul].split()[2])
                yield hashlib.sha256(block[start:stop]).hexdigest(), block[start:stop]
                start = stop


def named(value, known):
    if isinstance(value, dict):
        return {i for key, item in value.items() if key not in WEAK for i in named(item, known)}
    if isinstance(value, list):
        return {i for item in value for i in named(item, known)}
    return {value} & known.keys() if isinstance(value, str) else set()


def main(store):
    known = {}
    for name, preimage in preimages(store):
        assert hashlib.sha256(preimage).hexdigest() == name
        header, _, payload = preimage.partition(b"\0")
        known[name] = (header.decode().split()[1], payload)
    said = {p.name: json.loads(known[p.name][1]) for p in store.glob("ref/sessions/*")}
    newest = max(said, key=lambda s: (said[s]["predicate"]["seq"], said[s]["predicate"]["end"], s))
    closure, todo = set(), {said[newest]["predicate"]["root"]}
    while todo := todo - closure:
        closure |= todo
        records = [json.loads(known[name][1]) for name in todo if known[name][0] != "blob"]
        todo = named(records, known)
    lines = sorted(
        b"%b %b %d\n" % (known[n][0].encode(), n.encode(), len(known[n][1])) for n in closure
    )
    inventory = hashlib.sha256(b"".join(lines)).hexdigest()
    assert said[newest]["subject"] == [{"digest": {"sha256": inventory}, "name": "inventory"}]
    for path in store.glob(f"sig/{newest}.*.json"):
        signature, body = json.loads(path.read_bytes()), known[newest][1]
        key = base64.b64decode(signature["key"].split()[1])[-32:]
        signed = b"DSSEv1 28 application/vnd.in-toto+json %d %b" % (len(body), body)
        Ed25519PublicKey.from_public_bytes(key).verify(base64.b64decode(signature["sig"]), signed)
    print(said[newest]["predicate"]["verdict"], len(closure))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
