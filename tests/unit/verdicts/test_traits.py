"""Traits, one by one; none of them changes a verdict."""

from pathlib import Path

import pytest

from probatum.verdicts import TRAITS


@pytest.fixture
def traits(scene):
    return lambda *families, **rest: scene(families, **rest).verdict().traits


def test_a_stable_case_has_none(traits, fam):
    assert traits(fam("a", 5, 5), fam("b", 5, 5), control=("pass", "pass")) == ()


@pytest.mark.parametrize(
    ("passed", "shape"),
    [
        ((5,), ()),
        ((4,), ()),
        ((4, 5), ("failure-targeted",)),
        ((4, 5, 5, 5), ("failure-targeted",)),
        ((4, 4), ("failure-diffuse",)),
        ((4, 4, 5), ("failure-diffuse",)),
        ((4, 4, 5, 5), ()),
        ((4, 4, 4, 5), ("failure-diffuse",)),
    ],
)
def test_failure_shape(traits, fam, passed, shape):
    assert traits(*(fam(f"f{at}", 5, k) for at, k in enumerate(passed))) == shape


def test_a_family_without_a_judged_run_has_no_part_in_the_shape(traits, fam, runs_of):
    found = traits(fam("a", 5, 4), runs_of("b", "empty"))
    assert found == ()


@pytest.mark.parametrize(
    ("baseline", "control", "expected"),
    [
        ("pass", ("pass",), ()),
        ("fail", (), ("fails-at-rest",)),
        ("fail", ("fail",), ("fails-at-rest",)),
        ("pass", ("fail",), ("fails-at-rest", "flaky-at-rest")),
        ("fail", ("pass",), ("fails-at-rest", "flaky-at-rest")),
        ("pass", ("raised",), ("breaking", "fails-at-rest", "flaky-at-rest")),
        ("pass", ("empty",), ()),
        ("fail", ("empty",), ("fails-at-rest",)),
        ("raised", ("raised",), ("breaking", "fails-at-rest")),
    ],
)
def test_at_rest(traits, fam, baseline, control, expected):
    assert traits(fam("a", 2, 2), baseline=baseline, control=control) == expected


@pytest.mark.parametrize(
    ("word", "trait"),
    [
        ("raised", "breaking"),
        ("exited", "breaking"),
        ("filtered", "refusing"),
        ("filtered-by-system", "refusing"),
        ("truncated", "truncating"),
    ],
)
def test_how_runs_ended(traits, runs_of, word, trait):
    assert traits(runs_of("a", "pass", "pass", word)) == (trait,)


def test_repeats_that_disagree(traits, runs_of):
    pairs = [("pass", "pass"), ("pass", "fail")]
    assert traits(runs_of("a", *pairs), repeats=2) == ("flaky-under-pressure",)
    assert traits(runs_of("a", ("fail", "fail"), ("pass", "empty")), repeats=2) == ()


def test_every_trait_can_be_seen_and_is_documented(scene, fam, runs_of):
    seen = set()
    for families, rest in [
        ((fam("a", 5, 4), fam("b", 5, 5)), {"control": ("raised",)}),
        ((fam("a", 5, 4), fam("b", 5, 4)), {"control": ("filtered", "truncated")}),
        ((runs_of("a", ("pass", "fail")),), {"repeats": 2}),
    ]:
        seen.update(scene(families, **rest).verdict().traits)
    assert seen == set(TRAITS)
    assert list(TRAITS) == sorted(TRAITS)
    page = Path(__file__).parents[3] / "docs" / "format" / "verdict-rules.md"
    assert all(f"`{trait}`" in page.read_text() for trait in TRAITS)
