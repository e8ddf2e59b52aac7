"""Limits: which operators go without saying, how long a law may be, and in which words it is within both."""

from collections import Counter

import numpy as np
import pytest
from scipy.constants import physical_constants

from mosaic_sr.equation import UNKNOWN, Equation, in_table_units
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.expressions.expression import operator_names
from mosaic_sr.expressions.text import parse
from mosaic_sr.limits import UNIT_BITS, WAYS, Limits
from mosaic_sr.operators import NAMES as OPERATORS
from mosaic_sr.selection import SelectionConfig, tidy, validate
from mosaic_sr.table import Table
from mosaic_sr.units.parsing import parse_unit

NAMES = ("x", "y")
SUMS_AND_PRODUCTS = Limits(("add", "mul", "sin"))


def table_of(function, scale=1.0):
    X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 2)) * scale
    return Table.from_arrays(X, function(*X.T), rng=np.random.default_rng(0), names=NAMES)


def test_without_limits_all_is_allowed():
    limits = Limits()
    assert limits.are_open
    assert limits.expressible == OPERATORS
    assert not SUMS_AND_PRODUCTS.are_open


@pytest.mark.parametrize("text", ["x - y", "-x", "x^2", "x^3 + x^7", "x^10", "sin(2.5*x - y)"])
def test_what_sums_and_products_can_say_is_allowed(text):
    assert SUMS_AND_PRODUCTS.allow(parse(text, NAMES))


@pytest.mark.parametrize("text", ["x/y", "1/x", "x^-2", "sqrt(x)", "x^2.5", "x^y", "cos(x)", "abs(x)"])
def test_what_they_cannot_say_is_not(text):
    assert not SUMS_AND_PRODUCTS.allow(parse(text, NAMES))


def test_every_equivalent_is_allowed_by_each_of_its_ways_and_not_by_an_unrelated_operator():
    for name, ways in WAYS.items():
        assert all(name in Limits(tuple(way)).expressible for way in ways)
        assert name not in Limits(("sin", "log")).expressible


@pytest.mark.parametrize(
    ("exponent", "operators"), [("2.5", ("mul", "sqrt")), ("-3", ("mul", "div")), ("0.3", ("pow",))]
)
def test_powers_need_no_permission_where_they_can_be_multiplied_out(exponent, operators):
    power = parse(f"x^{exponent}", NAMES)
    assert Limits(operators).allow(power)
    assert not Limits(("mul", "sin")).allow(power)


def test_a_law_may_have_as_many_nodes_as_asked_for():
    assert Limits(maxsize=3).allow(parse("x*y", NAMES))
    assert not Limits(maxsize=3).allow(parse("2*x*y", NAMES))


def test_a_fitted_factor_of_one_needs_no_room():
    table = table_of(lambda x, y: x * y, scale=1e5)
    assert any(table.column_exponents)
    fitted, other = (
        Equation(in_table_units(parse(text, NAMES), table), NAMES, UNKNOWN, UNKNOWN, "test")
        for text in ("1.000001*x*y", "1.5*x*y")
    )
    assert Limits(maxsize=3).admit(fitted, table)
    assert not Limits(maxsize=3).admit(other, table)


def test_sketches_are_judged_before_their_numbers_are_known():
    limits = Limits(("add", "mul"), maxsize=5)
    assert limits.may_lead(parse("1.7*x*y + 2", NAMES))  # may turn out to be x*y
    assert limits.may_lead(parse("x/4", NAMES))  # a factor
    assert not limits.may_lead(parse("x/y", NAMES))
    assert not limits.may_lead(parse("x*y + x + y", NAMES))


@pytest.mark.parametrize("text", ["sqrt(x*x)", "sqrt(sin(x)*sin(x)) + y"])
def test_the_canonical_form_brings_in_no_operator(text):
    config = SelectionConfig(limits=Limits(("add", "mul", "sqrt", "sin")))
    law = Equation(parse(text, NAMES), NAMES, UNKNOWN, UNKNOWN, "test")
    table = table_of(lambda x, y: np.abs(np.sin(x)) + y)
    assert "abs" not in operator_names(validate(law, table, config).expression)
    assert "abs" in operator_names(validate(law, table, SelectionConfig()).expression)


@pytest.mark.parametrize(("operators", "divides"), [(OPERATORS, True), (("add", "mul"), False)])
def test_tidying_stays_within_the_limits(operators, divides):
    table, config = table_of(lambda x, y: x * y / 3), SelectionConfig(limits=Limits(operators))
    law = Equation(parse("0.33*x*y", NAMES), NAMES, UNKNOWN, UNKNOWN, "test")
    tidied = tidy(validate(law, table, config), table, config, NAMES)
    assert tidied.is_exact
    assert ("div" in operator_names(tidied.expression)) == divides


def test_the_bits_of_a_unit_are_the_entropy_of_the_units_of_physical_constants():
    known = Counter()
    for _, unit, _ in physical_constants.values():
        try:
            known[parse_unit("*".join(unit.split())).exponents] += bool(unit)
        except InvalidSettings:
            continue  # one unit in brackets
    shares = np.array(list(known.values()))[np.array(list(known.values())) > 0] / known.total()
    assert known.total() > 300
    assert -np.sum(shares * np.log2(shares)) == pytest.approx(UNIT_BITS, abs=0.15)
