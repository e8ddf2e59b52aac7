"""The library of small expressions: values that belong to their formulas, none twice, in order of size."""

import numpy as np
import pytest

from mosaic_sr.expressions.expression import variable
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import ARITY, NAMES, operator_of
from mosaic_sr.proposal.pairs.library import are_balanced, build_library
from mosaic_sr.proposal.pairs.moves import make_moves


def grown(columns, capacity=3000, operators=NAMES, seed=0):
    leaves = [variable(index) for index in range(len(columns))]
    growth = build_library(leaves, columns, [1] * len(columns), make_moves(operators), capacity, rng(seed))
    while True:
        try:
            next(growth)
        except StopIteration as end:
            return end.value


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def columns():
    return rng(1).uniform(0.5, 3.0, (2, 16))


@pytest.fixture(scope="module")
def library(columns):
    return grown(columns)


def test_an_entry_has_the_values_of_its_formula(library, columns):
    for entry in range(0, len(library), 37):
        np.testing.assert_allclose(
            evaluate_expression(library.expression(entry), columns), library.values[entry], rtol=1e-12
        )


def test_entries_are_in_order_of_size_and_fill_the_capacity(library):
    assert len(library) == 3000
    assert np.all(np.diff(library.costs) >= 0)


def test_no_two_entries_are_equal_up_to_sign(library):
    signed = library.values * np.sign(library.values[:, :1])
    ordered = signed[np.lexsort(signed[:, :3].T)]
    gaps = np.max(np.abs(np.diff(ordered, axis=0)) / np.abs(ordered[1:]), axis=1)
    assert np.min(gaps) > 1e-10


def test_affine_copies_are_marked_and_kept_as_operands(library, columns):
    values = 1.0 + columns[0]
    copies = np.flatnonzero(np.max(np.abs(library.values - values), axis=1) < 1e-12)
    assert len(copies) == 1
    assert not library.is_first[copies[0]]
    firsts = library.values[library.is_first]
    centred = firsts - firsts.mean(axis=1, keepdims=True)
    unit = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    alike = np.abs(unit[:400] @ unit[:400].T) - np.eye(400)
    assert alike.max() < 1.0 - 1e-14


@pytest.mark.parametrize("text", ["x0*x1", "x0^2 + x1^2", "exp(-x0^2)", "x0/(x0 + x1)", "sin(x0)*x1", "x1^2/x0"])
def test_everyday_parts_are_among_three_thousand(library, columns, text):
    wanted = evaluate_expression(parse(text, ("x0", "x1")), columns)
    assert np.min(np.max(np.abs(np.abs(library.values) - np.abs(wanted)), axis=1)) < 1e-12


def test_operators_that_are_not_allowed_do_not_occur(columns):
    library = grown(columns, 300, ("add", "mul", "sin"))
    codes = {int(code) for entry in range(len(library)) for code in library.expression(entry).codes if ARITY[code]}
    assert {operator_of(code).name for code in codes} <= {"add", "mul", "sin", "neg"}


def test_zeros_negatives_and_whole_numbers_leave_finite_entries_that_vary():
    columns = np.array([np.arange(-8.0, 8.0), np.arange(16.0) // 2])
    library = grown(columns, 1000)
    assert np.all(np.isfinite(library.values))
    assert np.all(np.ptp(library.values, axis=1) > 0)


def test_little_to_combine_ends_the_growth():
    library = grown(np.array([np.repeat([1.0, -1.0], 8) * 1.0]), 1000, ("mul", "sq"))
    assert len(library) < 10


def test_columns_that_one_row_outweighs_are_unbalanced():
    values = np.tile(np.arange(8.0), (2, 1))
    values[1, 3] = 1e9
    np.testing.assert_array_equal(are_balanced(values), [True, False])


def test_the_same_seed_gives_the_same_library(columns):
    one, same = grown(columns, 500, seed=3), grown(columns, 500, seed=3)
    np.testing.assert_array_equal(one.values, same.values)
    np.testing.assert_array_equal(one.moves, same.moves)
