"""Systems: what rows can tell, and how much each of them is trusted."""

import math

import numpy as np

from mosaic_sr.expressions.expression import variable
from mosaic_sr.proposal.regression.systems import count_affordable, determines, make_system
from mosaic_sr.proposal.terms.dictionary import make_polynomial
from mosaic_sr.proposal.views.links import Linked


def test_rows_that_are_rounded_coarsely_weigh_little():
    target = np.linspace(1.0, 2.0, 50)
    floor = np.full(50, 1e-15)
    floor[3], floor[7] = 1e-6, math.inf
    weights = make_system(target[:, None], Linked((), target, floor), 1e-12).offset
    assert weights[7] == 0.0
    assert weights[3] < 1e-5
    assert np.count_nonzero(weights == 1.0) == 48


def test_rows_bound_the_number_of_terms():
    assert count_affordable(2, 1000, 1e-12, 6) == 0
    assert count_affordable(5, 1000, 1e-12, 6) == 1
    assert count_affordable(200, 1000, 1e-12, 6) == 6
    assert count_affordable(200, 1000, 0.9, 6) < 6


def test_terms_that_differ_in_one_column_are_bounded_by_its_values():
    columns = np.random.default_rng(0).uniform(1.0, 2.0, size=(2, 50))
    basis = make_polynomial([variable(0), variable(1)], columns, 4)
    times_x1 = [term for term in range(basis.num_terms) if (0, (variable(1).key,)) in basis.parts(term)]
    assert len(times_x1) == 3
    assert determines([9, 50], basis, times_x1, most_alike=6)
    assert not determines([8, 50], basis, times_x1, most_alike=6)
    assert not determines([50, 50], basis, times_x1, most_alike=2)
