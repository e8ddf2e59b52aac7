"""Paths try only programs whose units fit."""

import numpy as np
import pytest

from mosaic_sr.equation import UNKNOWN, Equation
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.text import parse
from mosaic_sr.kernel.jit import COLUMNS, OUT, OUT_ROWS, compiled
from mosaic_sr.refinement import RefinementConfig, refine, start_paths
from mosaic_sr.refinement.programs import lent, to_program
from mosaic_sr.refinement.units import fits_units
from mosaic_sr.table import Rows
from mosaic_sr.units.dimensions import Dimensions
from mosaic_sr.units.stated import state_units
from mosaic_sr.workers import Threads

NAMES = ["m", "v", "w", "t"]
UNITS = Dimensions.of_columns(state_units(["kg", "m/s", "m/s", "s"], "J", NAMES, "E"), range(4), True)


@compiled(f"boolean(int32[::1], int32[::1], {OUT}, int64[::1], {COLUMNS}, {OUT_ROWS})")
def fits(codes, slots, constants, sizes, units, room):
    return fits_units(lent(codes, slots, constants, sizes), units, room)


def answer(expression):
    return bool(fits(*to_program(expression, 64), UNITS.exponent_rows, np.empty((64, 7))))


@pytest.mark.parametrize(
    ("text", "is_fit"),
    [
        ("m*v^2", True),
        ("m*v*w + 0.5*m*(v - w)^2", True),
        ("m*v^2*sqrt(1 - w^2/v^2)", True),
        ("m*v^2*cos(v/w)", True),
        ("m*v^1.5*sqrt(w)", True),
        ("m*v^2*exp(w)", False),
        ("m*v^2 + t", False),
        ("m*v", False),
        ("m*v^1.7321*w^0.2679", False),
        ("m*v^2*(v/w)^1.7321", True),
        ("m*v^2*(1.5 + w)/v", False),
    ],
)
def test_units_of_a_program_are_those_of_the_target_or_not(text, is_fit):
    assert answer(parse(text, NAMES)) == is_fit


def test_programs_fit_where_laws_with_pure_constants_do():
    operators = ("add", "sub", "mul", "div", "sq", "sqrt", "inv", "neg", "abs", "cube", "sin", "exp")
    config = GeneratorConfig(num_variables=4, max_operators=5, weights=dict.fromkeys(operators, 1.0))
    rng, num_fit = np.random.default_rng(0), 0
    for _ in range(3000):
        expression = generate(rng, config)
        assert answer(expression) == UNITS.may_be(expression), expression
        num_fit += answer(expression)
    assert num_fit > 3


def test_paths_find_only_what_has_the_unit_of_the_target():
    rng = np.random.default_rng(1)
    columns = rng.uniform(1.0, 3.0, size=(4, 100))
    rows = Rows(columns, 0.5 * columns[0] * columns[1] ** 2 + 0.05 * rng.normal(size=100), np.empty(0))
    config = RefinementConfig(num_paths=4, num_rounds=3)
    start = Equation(parse("m*v*w", NAMES), tuple(NAMES), UNKNOWN, UNKNOWN, "test")
    paths = start_paths([start] * 4, config, np.random.default_rng(2))
    rounds = list(
        refine(paths, rows, tuple(NAMES), np.ones(4), config, Threads(1), lambda: False, None, UNITS.exponent_rows)
    )
    found = [equation.expression for equation in rounds[-1].equations]
    assert len(found) > 1
    assert all(UNITS.may_be(expression) for expression in found)
