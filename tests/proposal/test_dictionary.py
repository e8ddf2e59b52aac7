"""Dictionaries: values belong to their terms, cheap terms come first, twins vanish."""

import math

import numpy as np

from mosaic_sr.expressions.expression import apply, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.terms.atoms import make_large_atoms, make_power_atoms, make_small_atoms
from mosaic_sr.proposal.terms.dictionary import make_dictionary, make_polynomial

COLUMNS = np.random.default_rng(0).uniform(0.5, 2.0, size=(3, 50))


def value(factors):
    product = np.ones(COLUMNS.shape[1])
    for factor in factors:
        product = product * evaluate_expression(factor, COLUMNS)
    return product


def test_values_are_those_of_the_factors():
    for make in (make_small_atoms, make_power_atoms, make_large_atoms):
        basis = make_dictionary(make([0, 1, 2], NAMES), COLUMNS, 300)
        for term in range(0, basis.num_terms, 7):
            np.testing.assert_allclose(basis.values[:, term], value(basis.factors(term)), rtol=1e-12)


def test_the_columns_come_first_and_the_limit_holds():
    basis = make_dictionary(make_small_atoms([0, 1, 2], NAMES), COLUMNS, 100)
    assert basis.num_terms <= 100
    assert {tuple(basis.factors(term)) for term in range(3)} == {(variable(column),) for column in range(3)}
    assert basis.head(5).num_terms == 5


def test_twins_up_to_scale_and_offset_vanish():
    basis = make_dictionary(make_large_atoms([0], NAMES), COLUMNS[:1], 200)
    centred = basis.values - basis.values.mean(axis=0)
    directions = centred / np.linalg.norm(centred, axis=0)
    cosines = np.abs(directions.T @ directions) - np.eye(basis.num_terms)
    assert cosines.max() < 1.0 - 1e-15


def test_polynomials_are_complete():
    leaves = [variable(column) for column in range(3)]
    assert make_polynomial(leaves, COLUMNS, 3).num_terms == math.comb(6, 3) - 1


def test_values_out_of_range_are_left_out():
    columns = np.array([[-1.0, 0.0, 700.0, 3.0], [1.0, 2.0, 3.0, 5.0]])
    basis = make_dictionary(make_large_atoms([0, 1], NAMES), columns, 500)
    assert np.all(np.isfinite(basis.values))
    assert not any(apply("log", variable(0)) in basis.factors(term) for term in range(basis.num_terms))


def test_columns_of_a_term_are_those_it_reads():
    basis = make_dictionary(make_power_atoms([0, 1, 2], NAMES), COLUMNS, 200)
    for term in range(basis.num_terms):
        assert basis.columns(term) == {column for factor in basis.factors(term) for column in factor.columns}
