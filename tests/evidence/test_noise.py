"""The noise model: sizes of the scatter, and rows that are far off."""

import numpy as np
import pytest

from mosaic_sr.evidence.noise import (
    Noise,
    Scatter,
    inlier_chances,
    log_prior,
    mixture_log_likelihood,
    noises_to_try,
    robust_spread,
)


def test_sizes_follow_the_kind_of_noise():
    values = np.array([0.0, -3.0, 4.0])
    assert Noise().sizes(values, 2.0, None).tolist() == [2.0, 2.0, 2.0]
    assert Noise("proportional").sizes(values, 2.0, None)[1:] == pytest.approx([3.0, 4.0], rel=1e-5)
    assert Noise("both", 1.5).sizes(values, 2.0, None) == pytest.approx([3.0, np.sqrt(18.0), 5.0])
    sigma = np.array([0.1, 0.2, 0.3])
    assert Noise("given").sizes(values, 2.0, sigma) is sigma


def test_all_noises_together_are_certain():
    for is_given in (False, True):
        assert np.exp([log_prior(noise) for noise in noises_to_try(is_given)]).sum() == pytest.approx(1.0)


def test_rows_far_off_are_outliers_and_do_not_widen_the_spread():
    rng = np.random.default_rng(0)
    shares = 0.3 * rng.standard_normal(200)
    shares[:10] += 8.0
    spread = robust_spread(shares, np.ones(200))
    assert spread == pytest.approx(0.3, rel=0.15)
    chances = inlier_chances(shares, spread)
    assert np.all(chances[:10] < 0.01)
    assert np.mean(chances[10:] > 0.5) > 0.99


def test_without_outliers_the_mixture_is_nearly_gaussian():
    shares = np.random.default_rng(1).standard_normal(400)
    gaussian = -0.5 * np.sum(np.square(shares)) - 200.0 * np.log(2.0 * np.pi)
    (mixture,) = mixture_log_likelihood(shares, np.ones(400), np.array([1.0]))
    assert 0.0 < gaussian - mixture < 400 * 0.06


def test_the_scatter_of_a_row_joins_both_parts():
    assert Scatter(3.0, 0.1).deviations(np.array([0.0, 40.0])) == pytest.approx([3.0, 5.0])
