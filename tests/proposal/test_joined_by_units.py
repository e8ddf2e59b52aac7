"""Where units are known, columns that act together are joined as these allow, and groups without a unit as columns."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from test_dimensions import context_of
from test_joined import is_function_of, rows_of

from mosaic_sr import MosaicRegressor
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.by_units import groups_with_one_each, view_of_groups
from mosaic_sr.proposal.joined import find_joined
from mosaic_sr.units.dimensions import Dimensions
from mosaic_sr.units.stated import state_units

COLUMNS, UNITS = ("w", "t", "v", "u"), ["1/s", "s", "m", "1/s"]


def beat(X):
    """v*exp(-((w - u)*t)^2/2), as the columns stand."""
    w, t, v, u = X.T
    return v * np.exp(-0.5 * ((w - u) * t) ** 2)


def noisy_rows(seed=3, num_rows=600):
    rng = np.random.default_rng(seed)
    X = rng.uniform(1.0, 3.0, (num_rows, 4))
    return X, beat(X) + 0.05 * np.std(beat(X)) * rng.standard_normal(num_rows)


def dimensions_of(units, target, are_pure):
    names = tuple("abcdefgh"[: len(units)])
    return Dimensions.of_columns(state_units(units, target, names, "y"), range(len(units)), are_pure)


@pytest.mark.parametrize("are_pure", [True, False])
def test_a_difference_of_unlike_columns_is_no_quantity(are_pure):
    rows = rows_of(lambda a, b, c: 1.0 / (1.0 + np.exp((a - b) / c)), 3)
    for units, is_found in ((["m", "m", "s"], True), (["m", "kg", "s"], False)):
        joined = find_joined(rows, range(3), NAMES, (), dimensions_of(units, "m", are_pure))
        quantities = () if joined is None else joined.quantities
        difference = rows.columns[0] - rows.columns[1], (rows.columns[0] - rows.columns[1]) / rows.columns[2]
        found = [is_function_of(each, wanted, rows.columns) for each in quantities for wanted in difference]
        assert any(found) == is_found


def test_quantities_and_the_target_behind_the_front_keep_their_units():
    dimensions = dimensions_of(["m", "s", "kg"], "kg*m/s", False)
    own = dimensions.of_quantities([parse("a/b", "abc"), parse("a^2", "abc")], parse("c", "abc"))
    metre, second, _ = dimensions.columns
    assert own.columns == (metre - second, 2 * metre)
    assert own.target == metre - second
    assert own.may_be(parse("2.5*x", "xy"))
    assert not replace(own, are_constants_pure=True).may_be(parse("x + y", "xy"))


def test_like_columns_are_in_groups_of_their_own():
    # w/u, w*t: a difference of w and u is none of these two, but of w*t and u*t.
    basis = [(Fraction(1), Fraction(0), Fraction(-1)), (Fraction(1), Fraction(1), Fraction(0))]
    assert groups_with_one_each(basis, [0, 2]) == [(1, 1, 0), (0, 1, 1)]


def test_groups_stand_behind_the_shortest_product():
    context = context_of(COLUMNS, UNITS, "m", *noisy_rows())
    view = view_of_groups(context.table, context.limits.dimensions)
    assert [set(each.columns) for each in view.quantities] == [{0, 1}, {1, 3}]
    assert view.front.columns == (2,)
    assert view_of_groups(context.table, None) is None


def test_groups_are_joined_like_columns():
    context = replace(context_of(COLUMNS, UNITS, "m", *noisy_rows()), looks_noisy=True)
    (quantity,) = context.joined.quantities
    columns = context.table.training.columns
    w, t, _, u = columns * np.exp2(np.array(context.table.column_exponents))[:, None]
    assert is_function_of(quantity, np.abs(w - u) * t, columns) or is_function_of(quantity, (w - u) * t, columns)


def test_nothing_is_joined_where_one_product_is_the_only_law():
    X = np.random.default_rng(0).uniform(1.0, 3.0, (300, 2))
    context = context_of(("a", "b"), ["m", "s"], "m/s", X, X[:, 0] / X[:, 1])
    assert replace(context, looks_noisy=True).joined is None


@pytest.mark.parametrize("are_pure", [True, False])
def test_a_noisy_law_of_a_difference_is_found_with_units(are_pure):
    X, y = noisy_rows()
    model = MosaicRegressor(max_evaluations=3000, random_state=0, dimensionless_constants_only=are_pure)
    model.fit(X, y, X_units=UNITS, y_units="m")
    law = evaluate_expression(model.law_.expression, X.T)
    assert np.std(law - beat(X)) < 0.2 * np.std(y - beat(X))
