"""Dimensionless groups: products without a unit, products with the target's unit, and columns that no law can read."""

import math
from fractions import Fraction

import numpy as np
import pytest

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.by_units import grouped_columns
from mosaic_sr.table import Table
from mosaic_sr.units.dimensionless import reduce_by_units, usable_columns
from mosaic_sr.units.door import only_usable_columns
from mosaic_sr.units.rational import is_independent, null_vectors, reduced, solution
from mosaic_sr.units.stated import state_units

BAROMETER = ("n0", "m", "g", "x", "k", "T")
UNITS = state_units(["1/m^3", "kg", "m/s^2", "m", "J/K", "K"], "1/m^3", BAROMETER, "n")


def exponents_of(units, vector):
    """The unit of a product of columns, as exponents."""
    return [
        sum((power * unit.exponents[base] for power, unit in zip(vector, units.columns, strict=True)), Fraction(0))
        for base in range(7)
    ]


def test_groups_have_no_unit_and_products_in_front_that_of_the_target():
    found = reduce_by_units(UNITS, range(6))
    assert found.num_independent == 2
    assert is_independent(found.groups[:2])
    for vector in found.groups:
        assert not any(exponents_of(UNITS, vector))
    for vector in found.fronts:
        assert tuple(exponents_of(UNITS, vector)) == UNITS.target.exponents
    assert (0, 1, 1, 1, -1, -1) in found.groups


def test_without_units_there_are_no_groups():
    assert reduce_by_units(state_units(["deg", "percent"], "1", ("a", "b"), "y"), range(2)) is None
    assert reduce_by_units(state_units({"a": "m"}, "m", ("a", "b"), "y"), range(2)) is None
    assert reduce_by_units(state_units(["kg", "kg"], "m", ("a", "b"), "y"), range(2)) is None


def table_of(names, num_rows=50, target="y"):
    X = np.random.default_rng(0).uniform(1.0, 300.0, size=(num_rows, len(names)))
    return Table.from_arrays(X, X.sum(axis=1), rng=np.random.default_rng(0), names=names, target_name=target)


def test_groups_are_numbers_in_the_users_units_whatever_the_scales_of_the_table():
    names = ("v", "c")
    units = state_units(["km/h", "m/s"], "m/s", names, "w")
    table = table_of(names)
    grouped = grouped_columns(table, reduce_by_units(units, table.used))
    v, c = np.ldexp(table.training.columns, np.array(table.column_exponents)[:, None])
    values = evaluate_expression(grouped.quantities[0], table.training.columns)
    assert np.allclose(values, v / 3.6 / c) or np.allclose(values, c / (v / 3.6))
    front = evaluate_expression(grouped.fronts[0], table.training.columns) * 2.0**table.target_exponent
    assert np.allclose(front, c) or np.allclose(front, v / 3.6)


def test_columns_that_no_homogeneous_law_can_read_are_left_out_with_a_note():
    units = state_units(["m", "m/s^2", "kg"], "s", ("L", "g", "m"), "T")
    assert usable_columns(units, range(3)) == [0, 1]
    table = only_usable_columns(table_of(("L", "g", "m"), target="T"), units, True)
    assert table.names == ("L", "g")
    assert any("column 'm' is ignored: its unit kg" in note for note in table.notes)
    assert only_usable_columns(table_of(("L", "g", "m")), units, False).names == ("L", "g", "m")


IMPOSSIBLE = [
    (["m", "kg"], "s", "no column has s in its unit"),
    (["m*s", "kg"], "s", "no product of their powers has it"),
    (["m", "kg"], "dimensionless", "no column can be part"),
]


@pytest.mark.parametrize(("columns", "target", "reason"), IMPOSSIBLE)
def test_impossible_units_are_refused_with_the_reason(columns, target, reason):
    units = state_units(columns, target, ("a", "b"), "y")
    with pytest.raises(InvalidSettings) as refusal:
        only_usable_columns(table_of(("a", "b")), units, True)
    assert reason in str(refusal.value)
    assert "dimensionless_constants_only" in str(refusal.value)


def test_pure_constants_need_units():
    with pytest.raises(InvalidSettings, match="needs the units of the columns"):
        only_usable_columns(table_of(("a", "b")), None, True)


def test_elimination_is_exact():
    rng = np.random.default_rng(1)
    for _ in range(30):
        columns = [[Fraction(int(value), 3) for value in rng.integers(-3, 4, 4)] for _ in range(6)]
        for vector in null_vectors(columns):
            assert not any(sum(v * c[i] for v, c in zip(vector, columns, strict=True)) for i in range(4))
        mixed = [sum(column[i] for column in columns) for i in range(4)]
        found = solution(columns, mixed)
        assert [sum(v * c[i] for v, c in zip(found, columns, strict=True)) for i in range(4)] == mixed
        assert len(reduced(columns)[1]) + len(null_vectors(columns)) == 6
    assert math.isclose(float(solution([[Fraction(2)]], [Fraction(1)])[0]), 0.5)
