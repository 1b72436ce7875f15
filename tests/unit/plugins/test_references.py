from __future__ import annotations

import pytest

from probatum.errors import ProviderFault
from probatum.plugins.references import expand, redactor

ENVIRON = {"TOKEN": "hunter2-hunter2", "LONG": "hunter2-hunter2-more", "WORD": "abc", "EMPTY": ""}


def test_references_are_replaced_by_their_values() -> None:
    assert expand("--key=${TOKEN}:${WORD}", ENVIRON) == "--key=hunter2-hunter2:abc"
    assert expand("$TOKEN ${1} ${}", ENVIRON) == "$TOKEN ${1} ${}"


@pytest.mark.parametrize("name", ["MISSING", "EMPTY"])
def test_what_is_not_set_is_named(name: str) -> None:
    with pytest.raises(ProviderFault) as caught:
        expand(f"x${{{name}}}", ENVIRON)
    assert caught.value.code == "missing-credential"
    assert str(caught.value) == f"{name} is not set"


def test_values_that_are_referred_to_are_taken_out_of_text() -> None:
    options = {"command": ["a", "--key=${TOKEN}", "${WORD}"], "headers": {"x": ("${LONG}", 3)}}
    redact = redactor(options, ENVIRON)
    assert redact is not None
    assert redact("hunter2-hunter2-more hunter2-hunter2 abc") == "${LONG} ${TOKEN} abc"


@pytest.mark.parametrize("options", [{}, {"command": ["a"]}, {"command": ["${WORD}", "${GONE}"]}])
def test_without_secrets_there_is_nothing_to_take_out(options: object) -> None:
    assert redactor(options, ENVIRON) is None
