"""The compiled way to write out defined operators is the one of expressions."""

import numpy as np

from mosaic_sr.expressions.definitions import define, parse_with, write_out
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.text import parse
from mosaic_sr.kernel.jit import OUT, OUT_ROWS, compiled
from mosaic_sr.operators import NAMES
from mosaic_sr.refinement.formulas import collect, formulas_of, has_defined
from mosaic_sr.refinement.formulas import write_out as compiled_write_out
from mosaic_sr.refinement.path import make_formulas
from mosaic_sr.refinement.programs import lent, to_expression, to_program

OWN = tuple(
    define(text).name for text in ("sech(x) = 1/cosh(x)", "f(x, y) = (x*x + 2*y)/(y - 3*x)", "g(x, y) = y^2.5 - x")
)
CAPACITY = 400


PROGRAM = f"int32[::1], int32[::1], {OUT}, int64[::1]"
FORMULAS = f"int32[::1], int32[:, ::1], int32[:, ::1], {OUT_ROWS}, int64[::1]"


@compiled(f"boolean({PROGRAM}, {FORMULAS}, {PROGRAM}, int32[::1])")
def write_and_collect(c, s, k, n, f0, f1, f2, f3, f4, into_c, into_s, into_k, into_n, owners):
    """Write a program out, add one to each constant and bring them back; returns whether it has a defined operator."""
    program, into = lent(c, s, k, n), lent(into_c, into_s, into_k, into_n)
    compiled_write_out(program, formulas_of(f0, f1, f2, f3, f4), into, owners, np.zeros(len(into_c), np.int64))
    for constant in range(into_n[1]):
        into_k[constant] += 1.0
    collect(into, owners, program)
    return has_defined(program)


def written(expression, formulas, capacity=CAPACITY):
    """The program, it written out, the owners of the constants, and whether a defined operator was found."""
    into, owners = to_program(parse("0", ()), capacity), np.full(capacity, 99, np.int32)
    program = to_program(expression, len(expression))
    return program, into, owners, write_and_collect(*program, *formulas, *into, owners)


def test_random_programs_are_written_out_as_expressions_are():
    rng, formulas = np.random.default_rng(0), make_formulas((*NAMES, *OWN))
    config = GeneratorConfig(num_variables=3, weights={**dict.fromkeys(NAMES, 0.5), **dict.fromkeys(OWN, 6.0)})
    num_defined = 0
    for _ in range(100):
        expression = generate(rng, config)
        num_defined += expression.has_defined
        expected = write_out(expression)
        if 2 * len(expected.expression) > CAPACITY:
            continue
        program, into, owners, is_found = written(expression, formulas)
        assert is_found == expression.has_defined
        assert to_expression(*into) == expected.expression.with_constants(expected.expression.constants + 1.0)
        assert owners[: into.sizes[1]].tolist() == expected.owners.tolist()
        np.testing.assert_allclose(program.constants[: expression.num_constants], expression.constants + 1.0)
    assert num_defined > 50


def test_programs_without_room_or_of_another_search_are_marked():
    deep = parse_with("f(f(f(x, x), f(x, x)), sech(x))", ("x",), OWN)
    assert written(deep, make_formulas(OWN), capacity=30)[1].sizes[0] == -1
    assert written(deep, make_formulas(OWN[:1]))[1].sizes[0] == -1
    assert written(deep, make_formulas(OWN))[1].sizes[0] == len(write_out(deep).expression)
