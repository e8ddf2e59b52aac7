"""Relevance sees columns that act only together with others, whatever their scale."""

import numpy as np
import pytest

from mosaic_sr.relevance import looks_noisy, relevance
from mosaic_sr.table import Rows


def rows_of(columns, target):
    return Rows(np.ascontiguousarray(columns, dtype=np.float64), np.asarray(target, dtype=np.float64), np.empty(0))


def test_a_column_that_acts_only_through_another_is_above_dummies():
    columns = np.random.default_rng(0).uniform(-1.0, 1.0, size=(6, 400))
    scores = relevance(rows_of(columns, columns[0] * columns[1]))
    assert scores[:2].min() > 10 * scores[2:].max()
    assert np.all((scores >= 0) & (scores <= 1))


def test_scales_do_not_matter():
    columns = np.random.default_rng(1).uniform(1.0, 3.0, size=(5, 300))
    target = columns[0] * np.sin(columns[1])
    scales = np.array([1e-33, 1e33, 1.0, 1e-20, 1e12])[:, None]
    np.testing.assert_allclose(relevance(rows_of(columns * scales, target)), relevance(rows_of(columns, target)))


def test_few_rows_equal_values_and_constant_targets_have_scores():
    columns = np.random.default_rng(2).integers(0, 3, size=(3, 5))
    assert relevance(rows_of(columns, columns[0])).shape == (3,)
    columns = np.random.default_rng(2).integers(0, 3, size=(3, 50))
    assert np.all(relevance(rows_of(columns, np.ones(50))) == 0)
    assert relevance(rows_of(columns[[0, 0, 1]], columns[0])).argmax() in (0, 1)


def test_slopes_and_waves_are_seen_and_noise_is_not():
    columns = np.random.default_rng(0).uniform(-2.0, 2.0, size=(3, 400))
    scores = relevance(rows_of(columns, 2 * columns[0] + 2 * np.sin(2 * columns[1])))
    assert scores[:2].min() > 3 * scores[2]


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_rows_of_polynomials_look_as_noisy_as_they_are(noise):
    # Nearly straight functions have large amplitudes, of which the noise is a tiny share.
    rng = np.random.default_rng(4)
    columns = rng.standard_normal((4, 400))
    for target in (columns[0] * columns[1] + 0.6 * columns[2] * columns[3], columns[0] * (columns[1] - columns[2])):
        scattered = target + noise * target.std() * rng.standard_normal(400)
        assert looks_noisy(rows_of(columns, scattered)) == (noise > 0.0)


def test_one_percent_of_noise_is_seen_also_where_the_target_is_nearly_straight():
    rng = np.random.default_rng(3)
    columns = rng.uniform(1.0, 3.0, size=(3, 400))
    for target in (columns[0] * columns[1] * np.cos(columns[2]), columns[1] ** 2 / columns[0] ** 3):
        noise = 0.01 * np.sqrt(np.mean(np.square(target))) * rng.normal(size=400)
        assert looks_noisy(rows_of(columns, target + noise))
        assert not looks_noisy(rows_of(columns, target))


def test_noise_is_seen_where_a_few_targets_are_far_larger_than_the_others():
    for seed in (3, 12, 15):  # of 60 draws 12 look clean where all rows are seen together
        rng = np.random.default_rng(seed)
        columns = rng.uniform(1.0, 5.0, size=(5, 200))
        target = columns[1] ** 4 / (columns[0] * columns[2] * columns[3] * columns[4]) ** 2
        noise = 0.01 * np.sqrt(np.mean(np.square(target)))
        assert looks_noisy(rows_of(columns, target + noise * rng.normal(size=200)))


def test_noise_is_seen_among_many_columns():
    rng = np.random.default_rng(5)
    columns = rng.uniform(1.0, 3.0, size=(14, 300))
    target = columns[0] * columns[1] / columns[2]
    assert looks_noisy(rows_of(columns, target + 0.01 * np.std(target) * rng.normal(size=300)))
    assert not looks_noisy(rows_of(columns, target))


def test_noise_is_seen_where_a_smooth_function_could_follow_it():
    # Some of these draws look clean where all rows are seen together: the function bends from row to row.
    for seed in range(6):
        rng = np.random.default_rng(seed)
        columns = rng.uniform(1.0, 4.0, size=(6, 200))
        target = columns[0] * columns[1] * columns[2] / columns[3] * np.sinc((columns[4] - columns[5]) / np.pi) ** 2
        noise = 0.01 * np.sqrt(np.mean(np.square(target)))
        assert looks_noisy(rows_of(columns, target + noise * rng.normal(size=200)))
