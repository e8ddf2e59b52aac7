"""The normal form of programs: what is left to the fit is taken out of what is edited."""

import numpy as np
import pytest

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.kernel.jit import FLOATS, IS_DISABLED, OUT, compiled
from mosaic_sr.operators import ARITY
from mosaic_sr.refinement.programs import find_starts, lent, to_expression, to_program
from mosaic_sr.refinement.scaling import MARKS_PER_NODE, mark_nodes, marks_in, trim, write_normal

NAMES = ["x", "y", "z"]
CAPACITY = 96
PROGRAM = f"int32[::1], int32[::1], {OUT}, int64[::1]"


@compiled(f"void({PROGRAM}, boolean, boolean, {PROGRAM})")
def write_form(c, s, k, n, may_invert, is_completed, into_c, into_s, into_k, into_n):
    program, starts, room = lent(c, s, k, n), np.empty(len(c), np.int64), np.empty(MARKS_PER_NODE * len(c), np.int64)
    find_starts(program, starts)
    mark_nodes(program, starts, may_invert, marks_in(room, len(c)))
    write_normal(program, marks_in(room, len(c)), is_completed, is_completed, lent(into_c, into_s, into_k, into_n))
    room[0] = 0  # its owner lives until here


@compiled(f"void({PROGRAM}, float64, {FLOATS}, {PROGRAM})")
def write_trimmed(c, s, k, n, loss, weights, into_c, into_s, into_k, into_n):
    program, starts, room = lent(c, s, k, n), np.empty(len(c), np.int64), np.empty(MARKS_PER_NODE * len(c), np.int64)
    find_starts(program, starts)
    trim(program, starts, loss, weights.sum(), True, marks_in(room, len(c)), lent(into_c, into_s, into_k, into_n))
    room[0] = 0  # its owner lives until here


def form(expression: Expression, is_completed: bool, may_invert: bool = True) -> Expression:
    into = to_program(parse("0", NAMES), CAPACITY)
    write_form(*to_program(expression, CAPACITY), may_invert, is_completed, *into)
    return to_expression(*into)


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        ("x", "x"),
        ("3 - 5*x", "x"),
        ("2*(x - 3*y) + 7", "x + y"),
        ("x*(2*y)/4", "x*y"),
        ("-(2*x)^2", "x^2"),
        ("sin(2*x + 1)", "sin(2*x + 1)"),
        ("exp(x + 3)*y", "exp(x)*y"),
        ("exp(3 - x)", "exp(3 - x)"),
        ("3*x + 4*y*sin(5*z)", "x + y*sin(5*z)"),
        ("(2*x + 3*y)*z", "(x + 3*y)*z"),
        ("(x + 3*y)*z", "(x + 3*y)*z"),
        ("(y + x)*z", "(y + x)*z"),
        ("(2 + 3*x)*z", "(2 + x)*z"),
        ("log(2*x)", "log(2*x)"),
        ("x*sin(2 + 3)", "x"),
        ("sin(x + sin(2))", "sin(x + 2)"),
    ],
)
def test_factors_signs_and_offsets_are_left_to_the_fit(text, stripped):
    assert to_text(form(parse(text, NAMES), False), NAMES) == to_text(parse(stripped, NAMES), NAMES)


@pytest.mark.parametrize(
    ("text", "completed"),
    [("x", "1*x + 0"), ("x - 3*y", "1*x + 1*y + 0"), ("x*y + 4", "1*(x*y) + 0")],
)
def test_each_term_gets_a_coefficient_and_the_whole_an_offset(text, completed):
    assert to_text(form(parse(text, NAMES), True), NAMES) == to_text(parse(completed, NAMES), NAMES)


def test_a_quotient_without_inverse_keeps_its_numerator_as_coefficient():
    assert to_text(form(parse("3/x", NAMES), False, may_invert=False), NAMES) == "3/x"
    assert to_text(form(parse("3/x", NAMES), True, may_invert=False), NAMES) == "3/x + 0"


def test_both_forms_of_random_programs_are_valid_and_stripping_undoes_completing():
    rng = np.random.default_rng(0)
    for _ in range(30 if IS_DISABLED else 1000):
        before = generate(rng, GeneratorConfig(max_operators=8))
        stripped, completed = form(before, False), form(before, True)
        for expression in (stripped, completed):
            assert np.sum(1 - ARITY[expression.codes]) == 1
            assert np.all(np.cumsum(1 - ARITY[expression.codes]) >= 1)
            assert set(expression.columns) <= set(before.columns)
        assert len(stripped) <= len(before)
        assert form(completed, False).structure_key == stripped.structure_key


def test_unneeded_coefficients_and_offsets_are_trimmed():
    into = to_program(parse("0", NAMES), CAPACITY)
    fitted = parse("1*x + 2*y + 0.000001", NAMES)
    write_trimmed(*to_program(fitted, CAPACITY), 1e-3, np.ones(4), *into)
    assert to_text(to_expression(*into), NAMES) == "x + 2*y"
    write_trimmed(*to_program(fitted, CAPACITY), 1e-20, np.ones(4), *into)
    assert to_expression(*into).num_constants == 2
