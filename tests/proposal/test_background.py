"""Backgrounds: nothing is left of what a basis holds, and the one term that it lacks stands out."""

import numpy as np

from mosaic_sr.proposal.regression.background import find_nearest_terms, measure_left_over, reduce_system
from mosaic_sr.proposal.regression.projection import find_complement
from mosaic_sr.proposal.regression.sparse import System, select_forward

RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=(90, 40))
TERMS = RNG.normal(size=(500, 90))


def background(target, tolerance=1e-12):
    return System(np.ones(90), VALUES, target, tolerance)


def test_the_complement_is_orthonormal_and_at_right_angles_even_to_dependent_columns():
    columns = np.column_stack([VALUES, VALUES[:, 0] - VALUES[:, 1], np.zeros(90)])
    found = find_complement(columns)
    assert found.shape == (90, 48)
    assert np.max(np.abs(found.T @ columns)) < 1e-12
    np.testing.assert_allclose(found.T @ found, np.eye(48), atol=1e-12)


def test_nothing_is_left_of_what_is_held():
    inside, outside = 3.0 + VALUES @ RNG.normal(size=40), TERMS[0]
    left = measure_left_over(VALUES, np.stack([inside, outside]))
    assert left[0] < 1e-12
    assert left[1] > 1.0


def test_terms_beside_a_background_are_found():
    target = 1.0 + VALUES @ RNG.normal(size=40) + 0.5 * TERMS[7] - 2.0 * TERMS[300]
    system, places = reduce_system(background(target), TERMS)
    levels = list(select_forward(system, 2, 1e6))
    assert levels[1][0].error < 1e-11
    assert set(places[list(levels[1][0].support)].tolist()) == {7, 300}


def test_terms_that_are_held_and_twins_are_left_out():
    terms = np.stack([TERMS[0], VALUES[:, 3] + 2.0, -3.0 * TERMS[0] + VALUES[:, 1], TERMS[1]])
    _, places = reduce_system(background(TERMS[2]), terms)
    assert places.tolist() == [0, 3]


def test_the_nearest_term_leaves_nothing():
    targets = np.stack([VALUES[:, 0] + 1e-3 * TERMS[9], 1e60 * TERMS[11] - 1.0, TERMS[2] + TERMS[3]])
    system = background(targets[0])
    remainders, places = reduce_system(system, TERMS)
    best, left = find_nearest_terms(system, remainders.values, targets)
    assert places[best[:2]].tolist() == [9, 11]
    assert np.all(left[:2] < 1e-12 * np.linalg.norm(targets[:2], axis=1))
    assert left[2] > 0.1
