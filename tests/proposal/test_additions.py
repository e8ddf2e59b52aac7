"""Additions: terms that the residuals of a law ask for, at any part of it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from mosaic_sr.equation import UNKNOWN, Equation
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import apply, constant
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.context import Coverage, ProposalContext, Signal
from mosaic_sr.proposal.enumeration.additions import AdditionConfig, propose_additions
from mosaic_sr.proposal.enumeration.places import Place, places_of, slopes_at_places
from mosaic_sr.relevance import relevance
from mosaic_sr.table import Rows

COLUMNS = ("x", "y", "z", "w")
FEW = ("add", "sub", "mul", "div", "sq", "exp")  # all operators make thousands of terms
BRIEF = AdditionConfig(num_terms=800, num_turns=1)


def question(truth, start, noise, is_noise_left=False, looks_noisy=True, num_forms=500, is_improbable=False):
    """The context about noisy rows of a law, of which another one is the most probable so far."""
    rng = np.random.default_rng(len(truth))
    X = rng.uniform(0.5, 3.0, size=(300, 4))
    y = evaluate_expression(parse(truth, COLUMNS), X.T)
    rows = Rows(np.ascontiguousarray(X.T), y + noise * np.std(y) * rng.standard_normal(len(y)), np.empty(0))
    # A whole table would be scaled, and the laws of the test would not.
    table = SimpleNamespace(training=rows)
    law = Equation(canonical(parse(start, COLUMNS)), COLUMNS, UNKNOWN, UNKNOWN, "sums")
    return ProposalContext(
        table, rows, relevance(rows), FEW, lambda table: None,
        is_noise_left=lambda: is_noise_left, is_improbable=lambda: is_improbable, likeliest=lambda: [law],
        looks_noisy=looks_noisy, coverage=Coverage(num_forms=num_forms, has_begun=True),
    )  # fmt: skip


def said(context, num_turns=1):
    """What is said in the first turns in which something is, a list of sketches each."""
    events = propose_additions(replace(BRIEF, num_turns=num_turns), context, np.random.default_rng(0))
    return [event for event in events if not isinstance(event, Signal)]


def grown(context):
    """The laws of the first turn."""
    return [sketch.expression for sketches in said(context) for sketch in sketches]


@pytest.mark.parametrize(
    ("truth", "start"),
    [
        ("1.3*x + 0.8*y^2", "1.91734512*x"),
        ("x*y + 0.5*z/w", "x*y"),
        ("exp(0.6*x + 0.3*y^2)", "exp(0.91734512*x)"),
        ("(x + y)*(1 + 0.6*z^2)", "3.11734512*(x + y)"),
        ("x*y^2*z + 0.7*sqrt(w)*x^3/(y*z^2)", "x*y^2*z"),
        ("exp(0.2*x)*(1 + 0.02*y^2*w^3/z)", "1.91734512*exp(0.2*x)"),
    ],
)
def test_a_law_gets_the_term_that_it_lacks(truth, start):
    context = question(truth, start, noise=0.02)
    target, columns = context.rows.target, context.rows.columns
    before = np.std(target - evaluate_expression(parse(start, COLUMNS), columns)) / np.std(target)
    left = [np.std(target - evaluate_expression(law, columns)) / np.std(target) for law in grown(context)]
    assert before > 0.1
    assert min(left) < 0.025, "little more than the noise"


def test_nothing_is_added_where_noise_is_left_or_rows_are_exact():
    truth, start = "1.3*x + 0.8*y^2", "1.9173451234512*x"
    assert len(said(question(truth, start, 0.02), num_turns=2)) == 2
    assert not said(question(truth, start, 0.02, is_noise_left=True))
    assert said(question(truth, start, 0.02, is_noise_left=True, num_forms=0)), "there may be a simpler law"
    assert not said(question(truth, start, 0.02, looks_noisy=False))


def test_a_law_that_leaves_noise_and_is_improbable_gets_terms_and_the_turn_is_counted():
    context = question("1.3*x + 0.8*y^2", "1.9173451234512*x", 0.02, is_noise_left=True, is_improbable=True)
    assert said(context)
    assert context.coverage.num_additions == 1
    without_enumeration = replace(context, coverage=Coverage())
    assert not said(without_enumeration), "outliers are not known"
    assert without_enumeration.coverage.num_additions == 0


@pytest.mark.parametrize(
    "text", ["2*x/(y + 0.7*z^2)", "exp(0.9*x)*y", "x^1.7 + sin(y*z)", "sqrt(1.2 + x*y) - 3*w", "log(x + y)/(1.5*z)"]
)
def test_slopes_are_those_of_small_changes(text):
    law = canonical(parse(text, COLUMNS))
    columns = np.random.default_rng(1).uniform(0.5, 3.0, size=(4, 40))
    slopes = slopes_at_places(law, Rows(columns, np.zeros(40), np.empty(0)))
    assert {place.is_factor for place in slopes.places} == {True, False}
    for place, slope in zip(slopes.places, slopes.by_place, strict=True):
        low, high = (evaluate_expression(place.grown(law, constant(step)), columns) for step in (-1e-6, 1e-6))
        # Differences of this size are right to 1e-9 of the values.
        assert slope == pytest.approx((high - low) / 2e-6, rel=1e-6, abs=1e-6 * np.abs(slopes.values).max())


def test_each_way_to_write_a_law_with_a_term_more_comes_once():
    law = canonical(parse("2.5*x + y*exp(z)", COLUMNS))
    term = apply("mul", constant(0.37), parse("w^3", COLUMNS))
    forms = [canonical(place.grown(law, term)).key for place in places_of(law)]
    assert len(forms) == len(set(forms))
    assert Place(len(law) - 1, is_factor=False) in set(places_of(law))
    exponent = canonical(parse("x^(y + 1)", COLUMNS))
    assert all(place.node in (0, len(exponent) - 1) for place in places_of(exponent))
