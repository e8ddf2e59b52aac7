"""A smooth function through scattered rows predicts left-out rows and knows its slopes."""

import numpy as np

from mosaic_sr.smooth import fit_smooth, learn, standardised


def points(num_columns, num_rows=200, seed=0):
    columns, _ = standardised(np.random.default_rng(seed).uniform(-1.0, 1.0, size=(num_columns, num_rows)))
    return columns


def test_slopes_are_those_of_the_function():
    columns = points(2)
    target, spread = standardised(np.sin(columns[0]) * columns[1])
    fit = fit_smooth(columns, target, learn(columns, target))
    np.testing.assert_allclose(fit.slopes[0], np.cos(columns[0]) * columns[1] / spread, atol=1e-3)
    np.testing.assert_allclose(fit.slopes[1], np.sin(columns[0]) / spread, atol=1e-3)
    assert np.abs(fit.residuals).max() < 1e-3


def test_residuals_are_those_of_a_fit_without_the_row():
    columns = points(2, 40)
    target, _ = standardised(np.exp(columns[0]))
    settings = learn(columns, target, steps=5)
    trend = np.column_stack([np.ones(40), columns.T])
    rest = target - trend @ np.linalg.lstsq(trend, target, rcond=None)[0]
    scaled = columns / settings.lengths[:, None]
    kernel = np.exp(-0.5 * np.square(scaled[:, :, None] - scaled[:, None, :]).sum(axis=0))
    others = np.arange(1, 40)
    weights = np.linalg.solve(kernel[1:, 1:] + settings.nugget * np.eye(39), rest[1:])
    predicted = kernel[0, others] @ weights
    np.testing.assert_allclose(fit_smooth(columns, target, settings).residuals[0], rest[0] - predicted, rtol=1e-4)


def test_a_column_that_does_not_act_gets_a_long_length():
    columns = points(3)
    target, _ = standardised(np.sin(2.0 * columns[0]) * columns[1])
    lengths = learn(columns, target).lengths
    assert lengths[2] > 10 * lengths[:2].max()


def test_noise_is_told_from_shape():
    columns = points(1)
    noise = np.random.default_rng(1).normal(0.0, 0.1, 200)
    target, _ = standardised(np.sin(2.0 * columns[0]) + noise)
    assert learn(columns, target).nugget > 1e-3
