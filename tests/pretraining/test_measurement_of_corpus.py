"""Tables of the corpus as they are measured: noise of every kind, rounded numbers, foreign columns, curves."""

from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr.pretraining.measurement import (
    MeasurementConfig,
    draw_digits,
    rounded,
    trajectory,
    with_foreign_columns,
    with_noise,
)

CLEAN = MeasurementConfig(
    noise_share=0.0,
    outlier_share=0.0,
    rounded_share=0.0,
    correlated_share=0.0,
    constant_share=0.0,
    trajectory_share=0.0,
)
TARGET = np.linspace(1.0, 9.0, 400)


def deviations(config: MeasurementConfig, count: int = 60) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [with_noise(TARGET, config, rng) - TARGET for _ in range(count)]


def test_clean_tables_stay_as_they_are() -> None:
    assert all((deviation == 0.0).all() for deviation in deviations(CLEAN))


def test_additive_noise_has_levels_between_its_ends() -> None:
    config = replace(CLEAN, noise_share=1.0, proportional_share=0.0)
    levels = np.array([deviation.std() for deviation in deviations(config)]) / np.sqrt(np.mean(TARGET**2))
    assert 0.0015 < levels.min() < 0.01
    assert 0.1 < levels.max() < 0.25


def test_proportional_noise_grows_with_the_value() -> None:
    config = replace(CLEAN, noise_share=1.0, proportional_share=1.0)
    ratios = [deviation[300:].std() / deviation[:100].std() for deviation in deviations(config)]
    assert np.median(ratios) == pytest.approx(4.0, rel=0.15)


def test_outliers_are_few_and_far() -> None:
    config = replace(CLEAN, outlier_share=1.0)
    for deviation in deviations(config):
        is_off = deviation != 0.0
        assert 1 <= is_off.sum() <= 0.08 * len(TARGET)
        assert np.abs(deviation[is_off]).min() >= 0.08 * TARGET.std()


def test_rounded_numbers_have_few_digits() -> None:
    values = rounded(np.array([0.0, -12.3456, 9.99e-5, 8.76e10]), 3)
    np.testing.assert_allclose(values, [0.0, -12.3, 9.99e-5, 8.76e10], rtol=1e-12)
    assert np.isfinite(rounded(np.array([5e-324, -3e-310, 1.7e308]), 3)).all()
    rng = np.random.default_rng(0)
    assert {draw_digits(MeasurementConfig(), rng) for _ in range(200)} == {0, 2, 3, 4, 7}


def test_foreign_columns_follow_the_first_or_hardly_vary() -> None:
    columns = np.random.default_rng(1).uniform(1.0, 2.0, size=(2, 300))
    config = replace(CLEAN, correlated_share=1.0, constant_share=1.0)
    table = with_foreign_columns(columns, config, 10, np.random.default_rng(0))
    assert (table[:2] == columns).all()
    assert np.corrcoef(table[0], table[2])[0, 1] > 0.5
    assert table[3].std() < 0.01 * abs(table[3].mean())
    assert len(with_foreign_columns(columns, config, 2, np.random.default_rng(0))) == 2


def test_a_trajectory_is_smooth_and_fills_its_ranges() -> None:
    for seed in range(20):
        curves = trajectory(3, 200, np.random.default_rng(seed))
        np.testing.assert_allclose(curves.min(axis=1), 0.0)
        np.testing.assert_allclose(curves.max(axis=1), 1.0)
        assert np.abs(np.diff(curves, axis=1)).max() < 0.3
