"""Laws that units suggest: products with the target's unit, laws of groups, and forms over groups on noisy rows."""

from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr import MosaicRegressor
from mosaic_sr.expressions.text import to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.limits import Limits
from mosaic_sr.operators import NAMES as OPERATORS
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.dimensions import propose_dimensions, set_even_errors
from mosaic_sr.proposal.enumeration.streams import all_in_order
from mosaic_sr.table import Table
from mosaic_sr.units.dimensions import Dimensions
from mosaic_sr.units.stated import state_units

RNG = np.random.default_rng(7)
COLUMNS = ("n0", "m", "g", "x", "k", "T")
X = RNG.uniform(1.0, 3.0, size=(400, 6))
FEW = ("add", "mul", "div", "sq", "sqrt", "exp")
UNITS = ["1/m^3", "kg", "m/s^2", "m", "J/K", "K"]


def context_of(names, units, target, X, y, limits=True):
    table = Table.from_arrays(X, y, rng=np.random.default_rng(0), names=names)
    dimensions = Dimensions.of_columns(state_units(units, target, names, "y"), table.used, True)
    return ProposalContext(
        table, table.some_training(100), np.ones(len(names)), OPERATORS, lambda derived: None,
        limits=Limits(dimensions=dimensions if limits else None),
    )  # fmt: skip


def proposed(context):
    events = propose_dimensions(context, np.random.default_rng(0))
    return [sketch.expression for event in events if isinstance(event, list) for sketch in event]


def test_the_product_with_the_unit_of_the_target_comes_first():
    L, g = RNG.uniform(1.0, 2.0, size=(2, 60))
    context = context_of(("L", "g"), ["m", "m/s^2"], "s", np.column_stack([L, g]), 2.0 * np.sqrt(L / g))
    first, *others = proposed(context)
    assert not others
    assert "L" in to_text(first, ("L", "g"))
    assert context.limits.is_homogeneous(first)


def test_without_units_nothing_is_proposed():
    L, g = RNG.uniform(1.0, 2.0, size=(2, 60))
    context = context_of(("L", "g"), ["m", "m"], "m", np.column_stack([L, g]), L + g, limits=False)
    assert proposed(context) == []


def test_every_form_that_is_enumerated_is_homogeneous():
    names = ("L", "g", "t")
    units = state_units(["m", "m/s^2", "s"], "m", names, "y")
    for is_pure in (True, False):
        dimensions = Dimensions.of_columns(units, range(3), is_pure)
        forms = all_in_order([0, 1, 2], [1.6] * 3, (), FEW, 2, dimensions=dimensions)
        for _, (bits, form) in zip(range(60), forms, strict=False):
            assert dimensions.may_be(form), to_text(form, names)
            assert bits > 0.0


def test_sums_are_also_looked_for_where_groups_are_many():
    rng = np.random.default_rng(11)
    X = rng.uniform(1.0, 3.0, size=(800, 8))
    a, b, c, d, e, f, k, m = X.T
    y = 0.5 * k * ((a - b) ** 2 + (c - d) ** 2 + (e - f) ** 2) / m
    names, units = tuple("abcdefkm"), ["m"] * 6 + ["J", "m^2"]
    context = replace(context_of(names, units, "J", X, y + 0.05 * rng.standard_normal(800)), looks_noisy=True)
    found = proposed(context)
    left = [np.std(evaluate_expression(law, X.T) - y) for law in found]
    assert np.nanmin(left) < 0.2 * 0.05


def test_even_errors_stay_where_errors_are_stated():
    y = X[:, 0] * 2.0
    table = Table.from_arrays(X, y, rng=np.random.default_rng(0), sigma=np.full(400, 0.3))
    assert set_even_errors(table) is table
    plain = set_even_errors(Table.from_arrays(X, y, rng=np.random.default_rng(0)))
    assert np.ptp(plain.training.sigma) == 0.0
    assert plain.training.sigma[0] > 0.0


def test_units_find_a_law_of_six_noisy_columns():
    n0, m, g, x, k, T = X.T
    y = n0 * np.exp(-m * g * x / (k * T))
    y = y + 0.1 * np.sqrt(np.mean(y**2)) * RNG.standard_normal(len(y))
    model = MosaicRegressor(max_evaluations=300, random_state=0, dimensionless_constants_only=True)
    model.fit(X, y, X_units=UNITS, y_units="1/m^3")
    true = n0 * np.exp(-m * g * x / (k * T))
    assert model.predict(X) == pytest.approx(true, rel=0.1)
    assert set(model.law_.expression.columns) == set(range(6))


def test_one_law_is_left_where_no_group_is():
    X = RNG.uniform(1.0, 2.0, size=(50, 2))
    y = 3.0 * X[:, 0] / X[:, 1] * (1.0 + 0.05 * RNG.standard_normal(50))
    model = MosaicRegressor(random_state=0, dimensionless_constants_only=True).fit(
        X, y, X_units=["m", "s"], y_units="m/s"
    )
    assert model.found_by_ == "dimensions"
    assert model.law_.predict(np.array([[2.0], [1.0]]))[0] == pytest.approx(6.0, rel=0.1)
