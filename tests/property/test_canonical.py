"""In our profile the encoder writes exactly RFC 8785, as others implement it."""

from __future__ import annotations

from typing import Any

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from probatum import canonical
from probatum.errors import IntegrityError

ascii_keys = st.text(st.characters(max_codepoint=127), max_size=8)
texts = st.text(st.characters(exclude_categories=("Cs",)))
scalars = st.booleans() | st.integers(-canonical.MAX_INT, canonical.MAX_INT) | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ascii_keys, inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_it_is_jcs(value: Any) -> None:
    data = canonical.encode(value)
    assert data == rfc8785.dumps(value)
    assert canonical.decode(data) == value


@given(st.binary(max_size=64))
def test_reading_raises_only_its_own_error(data: bytes) -> None:
    try:
        value = canonical.decode(data)
    except IntegrityError:
        return
    assert canonical.encode(value) == data


@given(values, st.data())
def test_a_byte_put_in_is_noticed_or_means_something_else(value: Any, data: st.DataObject) -> None:
    good = canonical.encode(value)
    place = data.draw(st.integers(0, len(good)))
    byte = data.draw(st.integers(0, 255))
    bad = good[:place] + bytes([byte]) + good[place:]
    try:
        found = canonical.decode(bad)
    except IntegrityError:
        return
    assert canonical.encode(found) == bad != good
