"""Curves: laws with arbitrary numbers inside their functions are found, and bad rows do no harm."""

import numpy as np
import pytest

from mosaic_sr.exactness import is_exact
from mosaic_sr.expressions.expression import apply, constant, variable
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.sums.curve_scan import evaluate_slopes, make_rest, refine_numbers
from mosaic_sr.proposal.sums.curves import propose_curves
from mosaic_sr.proposal.terms.families import BENT, SIMPLE
from tests.proposal.questions import sketches_in
from tests.proposal.tables import columns_between, question_about, values_of

COLUMNS = columns_between([0.5] * 3, [3.0] * 3, num_rows=100)
SIGNED = columns_between([-5.0] * 2, [5.0] * 2, num_rows=120)


def proposed(context):
    """The sketches up to the first that is exact on the rows."""
    found = []
    for batch in sketches_in(propose_curves(context)):
        found += batch
        if any(is_exact(each.expression, context.rows, context.table) for each in batch):
            break
    return found


def has_law(context):
    return any(is_exact(each.expression, context.table.validation, context.table) for each in proposed(context))


@pytest.mark.parametrize(
    ("law", "columns"),
    [
        ("1.7 - 2.3*exp(-1.31*x0)*x1", COLUMNS),  # one term
        ("0.83*tanh(0.77*x0 - 1.1)/x2", COLUMNS),
        ("sqrt(2.2 + 1.9*x1/(x0 + 0.37))", COLUMNS),  # behind a link
        ("0.4 + 1.3*log(x0 + 0.21)*exp(-0.9*(x1 - 1.7)^2)", COLUMNS),  # a product of two
        ("3.1*sin(0.61*x0 - 0.4) + 0.27*exp(0.53*x0)", SIGNED),  # a sum of two over one column
    ],
)
def test_numbers_inside_functions_are_found(law, columns):
    assert has_law(question_about(columns, values_of(law, columns)))


def test_terms_of_single_columns_are_put_together():
    law = "1.1*exp(-0.7*x0) + 0.9*x1^1.37 - 2.1/(x2 + 0.4)"
    assert has_law(question_about(COLUMNS, values_of(law, COLUMNS)))


def test_terms_of_single_columns_are_put_together_behind_a_link():
    law = "1/(0.8*x0^1.7 + 2.1*exp(-0.9*x1))"
    assert has_law(question_about(COLUMNS[:2], values_of(law, COLUMNS)))


def test_operators_that_are_not_allowed_are_not_used():
    operators = tuple(name for name in NAMES if name not in ("exp", "tanh", "pow"))
    context = question_about(COLUMNS[:1], values_of("exp(-1.31*x0) + x0^1.7", COLUMNS), operators)
    texts = [each.expression for each in proposed(context)]
    used = {operator.name for each in texts for operator in _operators(each)}
    assert texts
    assert used <= set(operators)


def _operators(expression):
    return expression.fold(
        lambda operator, operands: [operator, *(one for each in operands for one in each)], lambda _: [], lambda _: []
    )


@pytest.mark.parametrize("column", [[0.05, 1.0, 10.0], [-50.0, 0.0, 50.0], [1e-3, 2.0, 1e3], [3.0, 3.5, 4.0]])
def test_every_family_has_curves_that_are_finite_on_ordinary_columns(column):
    values = np.array(column)
    for family in (*SIMPLE, *BENT):
        starts = family.starts(values)
        assert starts.shape[1] == family.form.num_constants
        if values.min() > 0:
            finite = [
                np.all(np.isfinite(evaluate_slopes(family.form.with_constants(row), values[None])[0])) for row in starts
            ]
            assert np.mean(finite) > 0.5


def test_all_curves_of_a_family_are_evaluated_at_once():
    x = np.linspace(0.1, 3.0, 20)
    for family in (*SIMPLE, *BENT):
        numbers = family.starts(x)[::7]
        expected = [evaluate_slopes(family.form.with_constants(row), x[None])[0] for row in numbers]
        np.testing.assert_allclose(family.values(x, numbers), expected, rtol=1e-12)


def test_refined_numbers_are_those_of_the_law_beside_its_background():
    x = np.linspace(0.1, 3.0, 40)
    target = 2.5 * np.exp(-1.3 * x) + 0.7 * x - 4.0
    rest = make_rest(x[None], target, np.ones(40), np.array([np.ones(40), x]))
    found = refine_numbers(apply("exp", apply("mul", constant(-0.6), variable(0))), rest, 20)
    assert found.expression.constants == pytest.approx([-1.3], rel=1e-9)
    assert found.factor * rest.size == pytest.approx(2.5, rel=1e-9)
    assert found.left < 1e-20


@pytest.mark.parametrize(
    "columns",
    [
        columns_between([1.0], [2.0], num_rows=11),  # too few rows
        np.array([np.arange(40.0) % 2, np.arange(40.0)]),  # two values
        columns_between([1e6], [1e6 + 1e-3], num_rows=40),  # hardly more than one number
        columns_between([0.0], [1e-160], num_rows=40),  # squares that vanish
    ],
)
def test_poor_tables_do_no_harm(columns):
    target = np.random.default_rng(1).standard_normal(columns.shape[1])
    context = question_about(columns, target)
    assert not any(is_exact(each.expression, context.rows, context.table) for each in proposed(context))


def test_a_column_that_the_others_tell_has_no_curve_of_its_own():
    kinds = np.arange(150) % 3
    one_hot = [(kinds == kind).astype(float) for kind in range(3)]  # the last is 1 less the other two
    columns = np.array([columns_between([0.5], [9.0], num_rows=150)[0], *one_hot])
    noise = 1.0 + 0.01 * np.random.default_rng(2).standard_normal(150)
    target = values_of("2.1*sqrt(x0)*exp(0.48*x2 + 0.91*x3)", columns) * noise
    assert proposed(question_about(columns, target))


@pytest.mark.parametrize("exponent", [300.0, 600.0])
def test_targets_over_hundreds_of_decades_are_left_alone(exponent):
    assert proposed(question_about(SIGNED, np.sign(SIGNED[0]) * np.exp(exponent * SIGNED[1] / 5.0))) == []
