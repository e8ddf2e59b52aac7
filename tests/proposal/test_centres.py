"""Centres of targets: piles and zero."""

import numpy as np
import pytest

from mosaic_sr.proposal.products.centred import find_centres, find_mode
from mosaic_sr.table import Resolution, Rounding

FINE = Resolution(Rounding.FLOAT64)
RNG = np.random.default_rng(0)
ROWS = RNG.uniform(-50.0, 50.0, size=(3, 2000))


def test_the_mode_of_a_pile_with_tails_on_both_sides_is_where_it_piles_up():
    target = 3.7 + np.tan(ROWS[0]) * np.tan(ROWS[1]) / np.tan(ROWS[2])
    assert find_mode(np.sort(target)) == pytest.approx(3.7, abs=0.01)


def test_numbers_that_repeat_are_the_mode():
    assert find_mode(np.sort(np.array([5.0, 1.0, 2.0, 2.0, 2.0, 9.0, -4.0]))) == 2.0


@pytest.mark.parametrize(
    ("target", "centre"),
    [
        (3.7 + ROWS[0] * np.sin(ROWS[1]) * ROWS[2], 3.7),
        (ROWS[0] * ROWS[1], 0.0),
    ],
)
def test_one_of_the_centres_is_the_number_that_was_added(target, centre):
    distances = [abs(each.value - centre) / max(each.doubt, 1e-300) for each in find_centres(target, FINE)]
    assert min(distances) < 5.0 or any(each.value == centre for each in find_centres(target, FINE))


@pytest.mark.parametrize("target", [np.ones(60), np.arange(5.0), np.repeat([1.0, 2.0], 40), np.array([1e300, -1e300])])
def test_odd_targets_have_finite_centres(target):
    assert all(np.isfinite(each.value) and each.doubt >= 0 for each in find_centres(target, FINE))
