"""Interval arithmetic encloses every value, for each operator and for random expressions over random boxes."""

import math

import numpy as np
import pytest

from mosaic_sr.constraints.interval import RULES, _applied, enclose, parsed_text
from mosaic_sr.constraints.slopes import slope_of
from mosaic_sr.expressions.definitions import define
from mosaic_sr.expressions.expression import apply, constant, variable
from mosaic_sr.expressions.parser import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES, OPERATORS, Operator

INSIDE = 40


def drawn_boxes(rng, count):
    """Boxes of two columns: around 0, far from it, of one point, touching 0, and unbounded ones."""
    centres, widths = (
        rng.normal(size=(2, count)) * 10.0 ** rng.integers(-2, 3, (2, count)),
        rng.uniform(size=(2, count)),
    )
    lows, highs = centres - widths * np.abs(centres), centres + widths
    lows[:, ::5], highs[:, 1::7] = 0.0, np.maximum(lows[:, 1::7], 0.0)
    highs = np.maximum(lows, highs)
    highs[:, 3::11] = lows[:, 3::11]
    return lows, highs


def points_in(rng, lows, highs):
    """Points of each box, its corners among them: (columns, boxes, points)."""
    shares = rng.uniform(size=(*lows.shape, INSIDE))
    shares[:, :, :4] = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])[:, None, :]
    return np.clip(lows[..., None] + shares * (highs - lows)[..., None], lows[..., None], highs[..., None])


def check_encloses(expression, rng, lows, highs):
    found, points = enclose(expression, lows, highs), points_in(rng, lows, highs)
    with np.errstate(all="ignore"):
        values = evaluate_expression(expression, points.reshape(2, -1)).reshape(points.shape[1:])
    # At a pole the sign of zero decides which infinity is the value: it is none of the law's.
    is_value = ~np.isnan(values) & (found.is_whole[:, None] | np.isfinite(values))
    assert not np.any(is_value & np.isnan(found.low)[:, None]), "a value where nothing was expected"
    assert not np.any(is_value & (values < found.low[:, None])), expression
    assert not np.any(is_value & (values > found.high[:, None])), expression
    return found.is_whole & np.isfinite(found.low) & np.isfinite(found.high), np.isnan(values)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_every_operator_encloses_its_values(operator):
    rng = np.random.default_rng(5)
    lows, highs = drawn_boxes(rng, 300)
    law = apply(operator.name, *map(variable, range(operator.arity)))
    is_whole, has_gap = check_encloses(law, rng, lows, highs)
    assert is_whole.any()
    assert not np.any(has_gap & is_whole[:, None])
    if operator.name == "pow":
        for exponent in (0.0, 1.0, 2.0, 3.0, 0.5, -1.0, -2.0, -0.5, 1.7, 4.0):
            check_encloses(apply("pow", variable(0), constant(exponent)), rng, lows, highs)


def test_every_operator_of_the_table_has_a_rule_or_is_read_from_its_text():
    for operator in OPERATORS:
        assert operator.name in RULES or parsed_text(operator.value, tuple(RULES)) is not None


def test_an_operator_without_a_rule_is_read_from_its_text_or_may_have_any_value():
    sech = Operator("sech", 1, "1.0 / cosh(a)", ("-v * tanh(a)",), 0.2)
    column = enclose(variable(0), np.array([[-1.0]]), np.array([[2.0]]))
    found = _applied(sech, [column])
    assert (found.low[0], found.high[0]) == pytest.approx((1.0 / math.cosh(2.0), 1.0))
    other = _applied(Operator("erf", 1, "erf(a)", (), 0.2), [column])
    assert (other.low[0], other.high[0], other.is_whole[0]) == (-np.inf, np.inf, False)


def drawn_expression(rng, depth):
    if depth == 0 or rng.uniform() < 0.2:
        return variable(int(rng.integers(2))) if rng.uniform() < 0.7 else constant(float(np.round(rng.normal() * 3, 1)))
    operator = OPERATORS[rng.integers(len(OPERATORS))]
    return apply(operator.name, *(drawn_expression(rng, depth - 1) for _ in range(operator.arity)))


def test_random_expressions_are_enclosed_over_random_boxes():
    rng = np.random.default_rng(11)
    for _ in range(250):
        check_encloses(drawn_expression(rng, 4), rng, *drawn_boxes(rng, 12))


def test_operators_that_a_user_defines_are_written_out():
    own = define("sech(x) = 1/cosh(x)", 1)
    found = enclose(apply(own.name, variable(0)), np.array([[-1.0]]), np.array([[1.0]]))
    assert (found.low[0], found.high[0]) == pytest.approx((1.0 / math.cosh(1.0), 1.0))


def test_ranges_are_tight_where_each_column_stands_once():
    for text, low, high in (
        ("x^2", 0.0, 9.0), ("sin(x)", -1.0, 1.0), ("exp(-x)", math.exp(-3), math.e**2),
        ("1/(4 + x)", 1 / 7, 1 / 2), ("abs(x)", 0.0, 3.0), ("x^3", -8.0, 27.0), ("cosh(x)", 1.0, math.cosh(3.0)),
    ):  # fmt: skip
        found = enclose(parse(text, ["x"]), np.array([[-2.0]]), np.array([[3.0]]))
        assert found.low[0] == pytest.approx(low, abs=1e-12), text
        assert found.high[0] == pytest.approx(high, abs=1e-12), text
        assert found.low[0] <= low <= high <= found.high[0]


@pytest.mark.parametrize("text", ["log(x)", "sqrt(x)", "1/x", "tan(x)", "asin(x)", "x^0.5", "x^(-1)", "1/(x*x)"])
def test_a_law_with_a_gap_in_the_box_is_not_whole(text):
    law = parse(text, ["x"])
    assert not enclose(law, np.array([[-2.0]]), np.array([[2.0]])).is_whole[0]
    assert enclose(law, np.array([[0.25]]), np.array([[0.75]])).is_whole[0]


def test_a_box_outside_the_domain_has_no_values():
    assert np.isnan(enclose(parse("log(x) + 1", ["x"]), np.array([[-2.0]]), np.array([[-1.0]])).low[0])


def test_slopes_are_those_of_differences():
    rng = np.random.default_rng(2)
    points = rng.uniform(0.3, 0.9, size=(2, 50))
    for name in NAMES:
        arity = next(one.arity for one in OPERATORS if one.name == name)
        law = apply("mul", variable(1), apply(name, *(variable(0), variable(1))[:arity]))
        for column in (0, 1):
            slope = slope_of(law, column)
            assert slope is not None, name
            step = np.zeros((2, 1))
            step[column] = 1e-6
            ends = [evaluate_expression(law, points + side * step) for side in (1.0, -1.0)]
            expected = (ends[0] - ends[1]) / 2e-6
            np.testing.assert_allclose(evaluate_expression(slope, points), expected, rtol=1e-5, atol=1e-7, err_msg=name)
