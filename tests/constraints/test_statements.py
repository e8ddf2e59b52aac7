"""Constraints are read from text, and bad texts are refused with the place."""

import math

import numpy as np
import pytest

from mosaic_sr import InvalidSettings
from mosaic_sr.constraints import (
    Constraint,
    Placed,
    read_constraint,
    refuse_contradictions,
    refuse_contradictions_here,
    region_of,
)

READ = {
    "y > 0": {"kind": "bounds", "subject": "y", "low": 0.0, "is_low_open": True},
    "y >= -1.5e-3": {"kind": "bounds", "subject": "y", "low": -1.5e-3},
    "0 <= y <= 1": {"kind": "bounds", "subject": "y", "low": 0.0, "high": 1.0},
    "1 > y > 0": {
        "kind": "bounds", "subject": "y", "low": 0.0, "high": 1.0, "is_low_open": True, "is_high_open": True,
    },
    "positive": {"kind": "bounds", "low": 0.0, "is_low_open": True},
    "rate is nonnegative": {"kind": "bounds", "subject": "rate", "low": 0.0},
    "negative": {"kind": "bounds", "high": 0.0, "is_high_open": True},
    "increasing in t": {"kind": "increasing", "columns": ("t",)},
    "y is decreasing in x for x in 0..10": {
        "kind": "decreasing", "subject": "y", "columns": ("x",), "region": (("x", 0.0, 10.0),),
    },
    "0 <= y <= 1 for t in 0..inf": {
        "kind": "bounds", "subject": "y", "low": 0.0, "high": 1.0, "region": (("t", 0.0, math.inf),),
    },
    "y > 0 for x in -1.5..-0.5, z in [0, 2]": {
        "kind": "bounds", "subject": "y", "low": 0.0, "is_low_open": True,
        "region": (("x", -1.5, -0.5), ("z", 0.0, 2.0)),
    },
    "y > 0 for x > 2": {
        "kind": "bounds", "subject": "y", "low": 0.0, "is_low_open": True, "region": (("x", 2.0, math.inf),),
    },
    "y = 0 at x = 0": {"kind": "value", "subject": "y", "value": 0.0, "point": (("x", 0.0),)},
    "y = 1 at x = 0, z = -2": {"kind": "value", "subject": "y", "value": 1.0, "point": (("x", 0.0), ("z", -2.0))},
    "y -> 0 for t -> inf": {"kind": "limit", "subject": "y", "columns": ("t",), "value": 0.0, "end": math.inf},
    "y → 1 as t → -inf": {"kind": "limit", "subject": "y", "columns": ("t",), "value": 1.0, "end": -math.inf},
    "y -> inf for t -> 0": {"kind": "limit", "subject": "y", "columns": ("t",), "value": math.inf, "end": 0.0},
    "even in x": {"kind": "even", "columns": ("x",)},
    "symmetric in x": {"kind": "even", "columns": ("x",)},
    "odd in `my column`": {"kind": "odd", "columns": ("my column",)},
    "symmetric in a, b": {"kind": "symmetric", "columns": ("a", "b")},
    "symmetric in a and b": {"kind": "symmetric", "columns": ("a", "b")},
    "convex in x": {"kind": "convex", "columns": ("x",)},
    "concave in x for x in 0..1": {"kind": "concave", "columns": ("x",), "region": (("x", 0.0, 1.0),)},
    "even > 0": {"kind": "bounds", "subject": "even", "low": 0.0, "is_low_open": True},
    "`increase %` ≤ 2": {"kind": "bounds", "subject": "increase %", "high": 2.0},
}  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_constraints_are_read(text):
    assert read_constraint(text) == Constraint(text, **READ[text])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected a statement such as"),
        ("y", "found the end"),
        ("y > ", "expected a number, found the end"),
        ("y > x", "expected a number, found 'x'"),
        ("0 < y > 1", "same direction"),
        ("increasing", "expected `in` and a column"),
        ("increasing in", "expected a column"),
        ("y = 0", "expected `at` and a point"),
        ("y = inf at x = 0", "a finite number"),
        ("y -> 0", "expected `for` and where a column goes"),
        ("y > 0 for x in 2..1", "is empty"),
        ("y > 0 for x in 1..2, x in 3..4", "two ranges"),
        ("y > 0 for x", "`in` and a range"),
        ("y > 0 and x > 0", "expected the end"),
        ("symmetric in a, b, c", "one column, or two"),
        ("symmetric in a, a", "the same"),
        ("y = 0 at x = 0, x = 1", "set twice"),
        ("y @ 0", "unexpected character '@'"),
        ("__import__('os')", "position 1"),
        ("y > 0" * 300, "at most 1000 characters"),
    ],
)
def test_bad_constraints_are_refused_with_what_was_expected(text, words):
    with pytest.raises(InvalidSettings) as refused:
        read_constraint(text)
    assert words in str(refused.value)


def test_no_text_breaks_the_reader():
    """Random rows of tokens and characters are read or refused, and nothing else happens."""
    rng = np.random.default_rng(7)
    pieces = [*"<>=-,.[]()`\"' \n\t0123456789xyzt→≤∞\0é", "..", "->", "<=", " for ", " in ", " at ", " inf", "even",
              "increasing", " is ", "y", "1e9", "1e999", "symmetric"]  # fmt: skip
    num_read = 0
    for _ in range(4_000):
        text = "".join(rng.choice(pieces, size=rng.integers(1, 12)))
        try:
            num_read += isinstance(read_constraint(text), Constraint)
        except InvalidSettings:
            continue
    assert num_read > 0


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("y > 0", "y < 0"), "leave no value"),
        (("y > 0", "y <= 0"), "leave no value"),
        (("2 < y < 1",), "leave no value"),
        (("increasing in t", "decreasing in t"), "only a law without 't'"),
        (("even in x", "odd in x"), "only a law without 'x'"),
        (("y = 0 at x = 0", "y = 1 at x = 0"), "two values"),
        (("y -> 0 for t -> inf", "y -> 1 for t -> inf"), "one limit"),
        (("y > 0 for x in 0..5", "y < 0 for x in 4..9"), "leave no value"),
    ],
)
def test_constraints_that_contradict_each_other_are_refused(texts, words):
    with pytest.raises(InvalidSettings, match=words):
        refuse_contradictions([read_constraint(text) for text in texts])


@pytest.mark.parametrize(
    "texts",
    [
        ("y > 0", "y < 1", "increasing in t", "decreasing in x"),
        ("y > 0 for x in 0..5", "y < 0 for x in 6..9"),
        ("y -> 0 for t -> inf", "y -> 1 for t -> -inf", "y = 0 at x = 0", "y = 1 at x = 1"),
        ("y >= 0", "y <= 0"),
        ("increasing in t for t in 0..1", "decreasing in t for t in 2..3"),
    ],
)
def test_constraints_that_a_law_can_keep_are_accepted(texts):
    refuse_contradictions([read_constraint(text) for text in texts])


def placed_at(text, low, high):
    """A constraint on a table of the columns x and t; x is sampled from low to high."""
    stated, places = read_constraint(text), {"x": 0, "t": 1}
    region = region_of([(low, high), (0.0, 4.0)], [(places[name], *own) for name, *own in stated.region])
    point = tuple((places[name], value) for name, value in stated.point)
    return Placed(stated, region, tuple(places[name] for name in stated.columns), point, 1.0)


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("odd in x", "y > 0"), "with the sign of x an odd law changes its own"),
        (("y >= 0", "odd in x"), "with the sign of x"),
        (("odd in x", "1 < y < 2"), "with the sign of x"),
        (("odd in x", "y = 1 at x = 0"), "an odd law is 0 at x = 0"),
        (("even in x", "increasing in x"), "an even law rises on one side"),
        (("y > 0", "y = -1 at x = 1"), "the value is beyond the bounds"),
        (("y > 0", "y = 0 at t = 1"), "the value is beyond the bounds"),
        (("odd in x", "y > 0 for x in -0.5..9"), "with the sign of x"),
    ],
)
def test_constraints_that_contradict_each_other_over_the_sampled_range_are_refused(texts, words):
    with pytest.raises(InvalidSettings, match=words):
        refuse_contradictions_here([placed_at(text, -2.0, 3.0) for text in texts])


@pytest.mark.parametrize(
    ("texts", "low"),
    [
        (("odd in x", "y > 0"), 0.0),  # 1/x
        (("odd in x", "y > 0"), 0.5),
        (("odd in x", "y > 0 for x in 0.1..3"), -2.0),
        (("odd in x", "-1 < y < 2"), -2.0),
        (("even in x", "increasing in x"), 0.5),
        (("even in x", "increasing in t", "y > 0", "y = 0 at x = 9"), -2.0),
        (("odd in x for t in 0..1", "y > 0 for t in 2..3"), -2.0),
    ],
)
def test_constraints_that_a_law_can_keep_over_the_sampled_range_are_accepted(texts, low):
    refuse_contradictions_here([placed_at(text, low, 3.0) for text in texts])
