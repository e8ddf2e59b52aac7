"""Sparse null vectors of systems whose relations are known."""

import numpy as np

from mosaic_sr.proposal.regression.null_vectors import find_null_vector, may_relate
from mosaic_sr.proposal.regression.projection import find_independent

X = np.random.default_rng(0).uniform(0.5, 2.0, size=100)
POWERS = X[:, None] ** np.arange(4)


def system(target, degree):
    monomials = POWERS[:, : degree + 1]
    return np.column_stack([monomials, -target[:, None] * monomials])


def test_the_relation_of_a_rational_law_is_found_without_spare_entries():
    vector = find_null_vector(system(X / (1.0 + 3.0 * X**2), 2), 3, 1e-12)
    assert vector is not None
    np.testing.assert_allclose(vector / vector[1], [0, 1, 0, 1, 0, 3], atol=1e-9)
    assert np.count_nonzero(vector) == 3


def test_of_several_relations_one_of_low_degree_is_taken():
    vector = find_null_vector(system(1.0 / (2.0 + X), 3), 4, 1e-12)
    assert vector is not None
    np.testing.assert_allclose(vector / vector[0], [1, 0, 0, 0, 2, 1, 0, 0], atol=1e-6)


def test_without_a_relation_there_is_no_vector():
    assert find_null_vector(system(np.random.default_rng(1).normal(size=100), 2), 3, 1e-12) is None


def test_dependent_columns_are_named_after_those_they_depend_on():
    columns = np.column_stack([POWERS, POWERS[:, 1] + POWERS[:, 2]])
    assert find_independent(columns).tolist() == [0, 1, 2, 3]


def test_few_rows_refute_a_relation_but_none_that_holds():
    assert may_relate(system(X / (1.0 + 3.0 * X**2), 2), 3, 1e-12)
    assert not may_relate(system(np.random.default_rng(1).normal(size=100), 2), 3, 1e-12)
    assert may_relate(system(np.zeros(100), 2), 3, 1e-12)
