"""Frozen samples of every family: the same text, plan and index give the same edits for ever.

A change here changes what stored plans re-derive to, and needs a new version
of the family.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from probatum.plugins.draws import Draws, seed_material
from probatum.plugins.edits import apply_to_text
from probatum.plugins.protect import protected_spans
from probatum.plugins.protocols import Members, NotApplicable, Sample, Subject
from probatum.plugins.registry import FAMILIES, Registry

HERE = Path(__file__).parent
SAMPLES = 4

TEXTS = {
    "prompt": "How do I return a jacket that I bought online 3 weeks ago?",
    "facts": "Pay $1,234.50 to DE89 3704 by mail to a.b@example.org, see `x = 1` and {{name}}.",
    "accents": "L'\u00e9t\u00e9 dernier, la stra\u00dfe \u00e9tait ferm\u00e9e; e\u0301t\u00e9.",
    "greek": "\u039f \u0394\u03a1\u039f\u039c\u039f\u03a3 \u03b5\u03af\u03bd\u03b1\u03b9 AB.",
    "russian": "\u0412\u0435\u0440\u043d\u0443\u0442\u044c \u0437\u0430\u043a\u0430\u0437 42?",
    "japanese": "\u8fd4\u54c1\u306f\u4f55\u65e5\u4ee5\u5185\u3067\u3059\u304b\u3002",
    "hindi": "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e",
    "korean": "\ubc18\ud488\uc740 \uba70\uce60 \uc774\ub0b4",
    "emoji": "\U0001f469\u200d\U0001f469\u200d\U0001f467 ok \U0001f1e9\U0001f1ea \U0001f44d",
    "later": "new \U0001e4f0 \u019b \U00010d70 \U0001fae9 end",
    "short": "hi",
    "digits": "42",
}
PARAMS = {
    "typo_noise": ["{}", '{"rate":"0.2","protect":true}', '{"rate":"1"}'],
    "casing": ["{}", '{"variants":["title"],"protect":true}'],
    "unicode": ["{}", '{"methods":["homoglyph","zero_width"],"rate":"1","protect":true}'],
}


def edits(text: str, sample: Sample) -> dict[str, Any]:
    return {
        "method": sample.method,
        "edits": [f"{edit.op} {edit.at} {edit.old!a} {edit.new!a}" for edit in sample.edits],
        "text": apply_to_text(text, sample.edits),
    }


def drawn(name: str, text: str, written: str) -> Any:
    family = Registry().family(name)
    params = msgspec.json.decode(written, type=family.params)
    spans = protected_spans(text, ["Jacket", "\u03b5\u03af"])
    found = family.prepare(Subject(text, 0, spans), params)
    if isinstance(found, NotApplicable):
        return found.reason
    if isinstance(found, Members):
        return [edits(text, sample) for sample in found.samples]
    return [
        edits(
            text,
            found(
                Draws(
                    seed_material(
                        seed=20_250_101,
                        beacon="",
                        case="golden",
                        declaration=name,
                        family=name,
                        version=family.version,
                        params=written,
                        index=index,
                    )
                )
            ),
        )
        for index in range(SAMPLES)
    ]


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_samples_are_frozen(name: str, update_goldens: bool) -> None:
    found = {
        "family": name,
        "version": Registry().family(name).version,
        "samples": {
            written: {label: drawn(name, text, written) for label, text in TEXTS.items()}
            for written in PARAMS[name]
        },
    }
    path = HERE / f"draws-{name}.json"
    if update_goldens:
        path.write_text(json.dumps(found, indent=1, ensure_ascii=True) + "\n", "utf-8")
    assert json.loads(path.read_text("utf-8")) == found
