"""Simple exponents near fitted ones, alone and together."""

import numpy as np
import pytest

from mosaic_sr.proposal.simple_exponents import count_nats, find_exponents


def test_well_known_exponents_are_the_nearest():
    found = find_exponents(np.array([1.01, -1.98, 0.52, 0.02]), 1e-3 * np.eye(4), 3)
    assert found[0].tolist() == [1.0, -2.0, 0.5, 0.0]


def test_exponents_that_go_together_are_chosen_together():
    # Only the sum of the two is known well.
    covariance = 0.25 * np.array([[1.0, -0.999], [-0.999, 1.0]])
    found = find_exponents(np.array([1.6, -1.6]), covariance, 2)
    assert all(sum(choice) == 0.0 for choice in found)


def test_an_exponent_that_is_not_known_is_left_out():
    assert find_exponents(np.array([0.7]), np.array([[4.0]]), 1)[0].tolist() == [0.0]


def test_the_choices_are_the_best_of_all():
    rng = np.random.default_rng(0)
    values = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]
    for _ in range(20):
        root = rng.standard_normal((3, 3))
        covariance, estimates = 0.2 * root @ root.T + 0.02 * np.eye(3), rng.uniform(-1.5, 1.5, 3)
        inverse = np.linalg.inv(covariance)

        def nats(choice, estimates=estimates, inverse=inverse):
            away = np.array(choice) - estimates
            return 0.5 * away @ inverse @ away + count_nats(np.array(choice))

        least = min(nats((a, b, c)) for a in values for b in values for c in values)
        assert nats(find_exponents(estimates, covariance, 1)[0]) <= least + 1e-9


@pytest.mark.parametrize("covariance", [np.full((2, 2), np.nan), np.zeros((2, 2)), -np.eye(2)])
def test_exponents_without_a_distribution_have_no_neighbours(covariance):
    assert find_exponents(np.ones(2), covariance, 3) == []
