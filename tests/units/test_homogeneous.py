"""Homogeneous laws: which expressions can be made so, at what cost, and that rewriting does not change it."""

import math

import numpy as np
import pytest

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import apply, constant, hole, variable
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.operators import ARITY, CODES, OPERATORS
from mosaic_sr.units.constants import constant_units
from mosaic_sr.units.costs import RULES
from mosaic_sr.units.dimensions import Dimensions
from mosaic_sr.units.stated import state_units

NAMES = ("L", "g", "m", "t", "q")
STATED = state_units({"L": "m", "g": "m/s^2", "m": "kg", "t": "s", "q": "deg"}, "s", NAMES, "T")
SCALED = state_units({"L": "km", "g": "cm/ms^2", "m": "lb", "t": "h", "q": "rad"}, "min", NAMES, "T")
FREE, PURE = (Dimensions.of_columns(STATED, range(5), is_pure) for is_pure in (False, True))

# Formula, constants with a unit, and whether it is homogeneous with pure constants.
LAWS = [
    ("2*pi*sqrt(L/g)", 0, True),
    ("3.1*L/g", 1, False),
    ("L/g", 1, False),  # a factor of 1 that is not written
    ("t + 3*sqrt(L/g)", 0, True),
    ("t + L", math.inf, False),
    ("t + 2.5*L", 1, False),
    ("t*exp(t)", math.inf, False),
    ("t*exp(-2*t)", 1, False),
    ("t*sin(q)", 0, True),
    ("t*sin(L)", math.inf, False),
    ("t*(1 + t*sqrt(g/L))", 0, True),
    ("L^0.731*2", 1, False),
    ("sqrt(L)*g^-0.5", 0, True),
    ("t^q", math.inf, False),
    ("t*q^q", 0, True),
    ("t*log(L/(g*t^2))", 0, True),
    ("t*(log(L) - log(g*t^2))", 2, True),
    ("t*(log(L) - 0.5*log(g*t^2))", 2, False),
    ("5 + 2*log(t)", 2, False),
    ("abs(t) - cosh(q)*t", 0, True),
    ("12.5", 0, True),
]


@pytest.mark.parametrize(("text", "num_units", "is_pure"), LAWS)
def test_laws_need_so_many_constants_with_a_unit(text, num_units, is_pure):
    law = parse(text, NAMES)
    assert FREE.num_units(law) == num_units
    assert PURE.may_be(law) == is_pure


@pytest.mark.parametrize(("text", "num_units", "is_pure"), LAWS)
def test_other_multiples_of_the_units_do_not_change_the_verdict(text, num_units, is_pure):
    law = parse(text, NAMES)
    assert Dimensions.of_columns(SCALED, range(5), False).num_units(law) == num_units
    assert Dimensions.of_columns(SCALED, range(5), True).may_be(law) == is_pure


def test_every_operator_has_a_rule_or_takes_pure_numbers():
    for operator in OPERATORS:
        operands = [variable(3)] * operator.arity
        is_fine = PURE.cost(apply(operator.name, *operands)).least < math.inf
        # A logarithm of a unit is one that another may take away.
        assert is_fine == (operator.name in RULES and operator.name != "pow"), operator.name
        pure = apply(operator.name, *[variable(4)] * operator.arity)
        assert PURE.cost(pure).of(0) == 0.0


def drawn(rng, dimension, depth):
    """A random expression over the columns that is homogeneous by construction; dimension: 'time' or 'none'."""
    if depth == 0:
        leaves = {"time": ["t", "sqrt(L/g)", "g*t^2/(g*t)"], "none": ["q", "g*t^2/L", "2.5"]}
        return parse(str(rng.choice(leaves[dimension])), NAMES)
    choice = rng.integers(4)
    if choice == 0:
        return apply(str(rng.choice(["add", "sub"])), *(drawn(rng, dimension, depth - 1) for _ in range(2)))
    if choice == 1:
        return apply("mul", drawn(rng, dimension, depth - 1), drawn(rng, "none", depth - 1))
    if dimension == "none" and choice == 2:
        return apply(str(rng.choice(["exp", "sin", "tanh", "sq"])), drawn(rng, "none", depth - 1))
    if choice == 3:
        return apply("div", drawn(rng, dimension, depth - 1), drawn(rng, "none", depth - 1))
    return apply("neg", drawn(rng, dimension, depth - 1))


def test_a_homogeneous_expression_stays_so_in_canonical_form():
    rng = np.random.default_rng(0)
    for _ in range(150):
        law = drawn(rng, "time", int(rng.integers(1, 4)))
        assert PURE.may_be(law), to_text(law, NAMES)
        assert FREE.num_units(law) == 0
        words = canonical(law)
        if np.isfinite(words.constants).all():
            assert PURE.may_be(words), f"{to_text(law, NAMES)} became {to_text(words, NAMES)}"


def test_a_sketch_may_become_what_its_holes_allow():
    product = apply("mul", constant(math.nan), hole())
    assert PURE.may_be(product)  # the hole may be t
    assert not PURE.may_be(apply("exp", product))
    assert FREE.may_be(apply("exp", product))
    assert PURE.may_be(apply("pow", variable(0), constant(math.nan)))  # the exponent is not known yet


def test_a_column_without_a_unit_may_have_any():
    unknown = Dimensions.of_columns(state_units({"L": "m"}, None, NAMES, "T"), range(5), True)
    assert unknown.may_be(parse("L + t", NAMES))
    assert not unknown.may_be(parse("sin(L)", NAMES))
    assert not unknown.are_known


def test_dimensions_go_with_their_columns():
    some = Dimensions.of_columns(STATED, [3, 0], True)
    assert some.may_be(parse("x0", ("x0", "x1")))
    assert not some.may_be(parse("x1", ("x0", "x1")))
    assert some.spread([3, 0]).may_be(parse("t", NAMES))
    assert not some.spread([3, 0]).may_be(parse("L", NAMES))


UNITS_OF_CONSTANTS = [
    ("2*v*t + 3", ("", "km")),
    ("x + 4.9*t^2", ("km/h^2",)),
    ("3*F", ("km/N",)),
    ("x*exp(-t/5)", ("h",)),
    ("7*M^0.75", ("km/kg^(3/4)", "")),
    ("3.1*x/(2.2 + t)", ("h", "h")),
    ("5*log(t) + 3", ("km", "km")),
    ("x*sin(6*t + 0.5)", ("1/h", "")),
    ("3*x^2*(T - 273)", ("1/(km*K)", "K")),
    ("x*(t/3)^1.37", ("h", "")),
    ("x + 2*v*t", ()),
    ("17", ()),
]


@pytest.mark.parametrize(("text", "units"), UNITS_OF_CONSTANTS)
def test_constants_have_the_units_that_make_the_law_homogeneous(text, units):
    names = ("x", "v", "F", "t", "T", "M")
    stated = state_units({"x": "km", "v": "km/h", "F": "N", "t": "h", "T": "K", "M": "kg"}, "km", names, "y")
    assert constant_units(parse(text, names), stated, False) == units
    assert constant_units(parse(text, names), stated, True) == ()


def test_arities_of_the_rules_are_those_of_the_operators():
    assert all(ARITY[CODES[name]] in (1, 2) for name in RULES)
