"""Sums of two functions of one column each, read off splines."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.context import Coverage, ProposalContext, Signal
from mosaic_sr.proposal.enumeration.separable import SeparableConfig, propose_separable
from mosaic_sr.proposal.splines import Moments, fit_splines, splines_of
from mosaic_sr.relevance import relevance
from mosaic_sr.table import Rows

COLUMNS = ("x", "y", "z")
BRIEF = SeparableConfig(num_terms=80, num_sketches=60, num_turns=1)


def question(truth, noise=0.005, num_rows=120, operators=NAMES, **known):
    """The context about noisy rows of a law, of which the enumeration has found nothing."""
    rng = np.random.default_rng(len(truth))
    X = rng.uniform(0.3, 3.0, size=(num_rows, 3))
    y = evaluate_expression(parse(truth, COLUMNS), X.T)
    rows = Rows(np.ascontiguousarray(X.T), y + noise * np.std(y) * rng.standard_normal(len(y)), np.empty(0))
    context = ProposalContext(
        SimpleNamespace(training=rows, some_training=lambda count: rows, column_exponents=(0, 0, 0)),
        rows, relevance(rows), operators, lambda table: None,
        looks_noisy=True, coverage=Coverage(num_forms=500, has_begun=True),
    )  # fmt: skip
    return replace(context, **known)


def laws(context):
    """What is said in the first turn."""
    events = propose_separable(BRIEF, context, np.random.default_rng(0))
    return [sketch.expression for event in events if not isinstance(event, Signal) for sketch in event]


def structures(context):
    return [canonical(law).structure_key for law in laws(context)]


@pytest.mark.parametrize(
    "truth",
    [
        "2.17*exp(-1.37*x) + 0.83*y^2",
        "1.37*tanh(2.31*x - 3.17) - 0.73*log(1 + 2.71*y)",
        "1.73*y*exp(-1.37*x) + 2.17*sqrt(y)",
        "z*1.37*sin(2.31*x) + 0.73*y^2",
        "1.37*x^2/z + 2.31*y/(0.73 + y)",
        "1.37*y*x/(0.73 + x) - 0.83*x^2",
        "1.37*x*exp(-2.31*y) + 0.83*x*z*sqrt(y)",
        "1/(1.37*exp(0.83*x) + 2.17*sqrt(y))",
        "sqrt(1.37*x^2 + 2.17*exp(0.73*y))",
        "1.37*exp(-0.83*x^2)*z^1.73",
        # Without the number that is added, the root has no value in many rows.
        "1.37/sqrt(2.17 + 3.1*x^2 - 4.3*x*cos(1.21*y))",
        # One factor of the whole law, and a function beside its column.
        "1.37/sqrt(1 + 0.83*x^2)*(1 + 0.31*x*y)",
        "1/(0.73*exp(0.43*x)*(1 + 0.23*x*cos(1.51*y)))",
    ],
)
def test_sums_of_functions_of_two_columns_are_found(truth):
    context = question(truth)
    assert canonical(parse(truth, COLUMNS)).structure_key in structures(context)


@pytest.mark.parametrize(
    "truth",
    [
        "2.17*exp(-0.83*x) + 1.37*x^2*sin(2.31*y)",
        "1.37*sqrt(1 + 2.31*x^2)*cos(1.73*y) + 2.17*x",
        "1/(2.17*exp(0.83*x) + 0.73*x^2*cos(1.73*y))",
    ],
)
def test_a_function_may_be_multiplied_by_one_of_another_column(truth):
    context = question(truth, num_rows=300)
    assert canonical(parse(truth, COLUMNS)).structure_key in structures(context)


def test_functions_may_be_of_what_columns_make_together():
    context = question("1.37*exp(-0.83*x*y) + 0.73*z^2", num_rows=300)
    assert context.joined is not None
    assert canonical(parse("1.37*exp(-0.83*x*y) + 0.73*z^2", COLUMNS)).structure_key in structures(context)


def test_the_best_law_leaves_little_more_than_the_noise():
    truth = "2.17*exp(-1.37*x) + 0.83*y^2"
    context = question(truth, noise=0.02)
    columns, target = context.rows.columns, context.rows.target
    noise = np.std(target - evaluate_expression(parse(truth, COLUMNS), columns))
    assert min(np.std(target - evaluate_expression(law, columns)) for law in laws(context)) < 1.05 * noise


@pytest.mark.parametrize(
    "known",
    [
        {"looks_noisy": False},
        {"is_noise_left": lambda: True},
        {"coverage": Coverage()},
        {"operators": ("mul", "exp")},
        {"scores": np.ones(1)},
    ],
)
def test_nothing_is_said_where_nothing_can_be_gained(known):
    assert laws(question("2.17*exp(-1.37*x) + 0.83*y^2", **known)) == []


def test_a_law_that_is_no_such_sum_costs_no_fits():
    assert laws(question("sin(3*x*y*z)*exp(x*z)", noise=0.5)) == []


def test_columns_of_few_values_are_no_arguments():
    context = question("2.17*exp(-1.37*x) + 0.83*y^2")
    columns = context.rows.columns.copy()
    columns[1:] = np.round(columns[1:])
    assert laws(replace(context, rows=replace(context.rows, columns=columns))) == []


def test_splines_follow_a_smooth_sum_and_leave_the_noise():
    rng = np.random.default_rng(0)
    x, z = rng.uniform(0.0, 1.0, 200), rng.uniform(-3.0, 3.0, 200)
    smooth = np.exp(-3.0 * x) + np.tanh(4.0 * z)
    noise = 0.05 * rng.standard_normal(200)
    bases = splines_of(x), splines_of(z)
    coefficients = fit_splines(Moments.of(bases, smooth + noise)).coefficients
    assert np.std(np.column_stack(bases) @ coefficients - smooth) < 0.8 * 0.05
