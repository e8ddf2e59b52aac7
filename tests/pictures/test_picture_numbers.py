"""The numbers behind the pictures: curves with bands, residuals, histograms, front and course."""

from dataclasses import replace

import numpy as np
import pytest
from noisy_outcomes import ROWS
from pictured import noisy_pair, noisy_target, plain_outcome

from mosaic_sr.bands import interval_factor, standard_deviations
from mosaic_sr.equation import Errors
from mosaic_sr.pictures import candidates, examine, observe_arrays
from mosaic_sr.pictures.course import LEAST_LOSS, course_picture, front_picture
from mosaic_sr.pictures.distribution import MOST_BARS, distribution_picture
from mosaic_sr.pictures.numbers import (
    MOST_COLUMNS,
    columns_to_compare,
    fit_picture,
    residual_pictures,
    response_pictures,
)


def seen_law(**more):
    outcome, rows = noisy_pair(**more)
    return examine(outcome, rows, outcome.law)


def of_plain(*texts, target=None, columns=ROWS, **more):
    outcome = plain_outcome(*texts, **more)
    values = outcome.law.predict(columns) if target is None else target
    return examine(outcome, observe_arrays(outcome, columns, values), outcome.law)


def test_the_curve_of_one_column_goes_through_the_rows_with_the_band_of_predict():
    seen = seen_law()
    (picture,) = response_pictures(seen)
    (curve,) = picture.curves
    np.testing.assert_allclose(curve.y, 2.0 * curve.x + 1.5)
    columns = np.array([curve.x, curve.x, curve.x])
    half = interval_factor(0.9) * standard_deviations(seen.outcome, columns)
    # The other rival reads z, which the picture holds at its median.
    columns[1:] = np.median(ROWS[1:], axis=1)[:, None]
    half = interval_factor(0.9) * standard_deviations(seen.outcome, columns)
    np.testing.assert_allclose(curve.high - curve.y, half)
    assert np.array_equal(picture.points.y, seen.rows.target)
    assert "90%" in picture.caption


def test_points_of_several_columns_are_the_curve_plus_the_residual():
    seen = of_plain("x*z + w", target=ROWS[0] * ROWS[1] + ROWS[2] + 0.5)
    for picture, own in zip(response_pictures(seen), range(3), strict=True):
        held = [np.full(50, np.median(column)) for column in ROWS]
        held[own] = ROWS[own]
        np.testing.assert_allclose(picture.points.y, held[0] * held[1] + held[2] + 0.5)
        assert "medians" in picture.caption


def test_an_exact_law_has_no_band_and_no_pictures_of_residuals():
    seen = of_plain("x*z")
    assert all(not len(picture.curves[0].low) for picture in response_pictures(seen))
    assert not list(residual_pictures(seen))
    assert distribution_picture(seen).is_empty
    assert not fit_picture(seen).is_empty


def test_outliers_are_marked_and_drawn_at_the_edge():
    seen = seen_law(outliers=(4, 9))
    in_order, *_ = residual_pictures(seen)
    assert in_order.outliers.rows.tolist() == [4, 9]
    assert in_order.y_range[1] == pytest.approx(in_order.outliers.y.max())
    assert in_order.outliers.y.max() < 1.0
    assert fit_picture(seen).outliers.x.tolist() == seen.rows.target[[4, 9]].tolist()


def test_residuals_are_drawn_against_columns_of_the_law_first_and_then_against_those_they_follow():
    columns = np.random.default_rng(2).uniform(1.0, 4.0, size=(30, 60))
    names = tuple(f"c{i}" for i in range(30))
    seen = of_plain("2*c5", names=names, columns=columns, target=2.0 * columns[5] + 0.3 * columns[17])
    chosen = columns_to_compare(seen)
    assert chosen[:2] == [5, 17]
    assert len(chosen) == MOST_COLUMNS
    titles = [picture.title for picture in residual_pictures(seen)]
    assert titles[:3] == ["Residuals in order", "Residuals against c5", "Residuals against c17"]


def test_constant_columns_have_no_picture():
    columns = np.array([ROWS[0], np.full(50, 2.0), ROWS[2]])
    titles = [picture.title for picture in residual_pictures(of_plain("x*z", columns=columns, target=ROWS[0]))]
    assert titles == ["Residuals in order", "Residuals against x", "Residuals against w"]


def test_the_histogram_counts_all_rows_inside_and_names_those_outside():
    seen = seen_law(outliers=(4, 9))
    picture = distribution_picture(seen)
    assert picture.histogram.counts.sum() == 48
    assert "2 rows lie outside" in picture.caption
    assert picture.x_label == "residual / scatter"
    assert len(picture.histogram.counts) <= MOST_BARS
    width = np.diff(picture.histogram.edges)[0]
    assert np.trapezoid(picture.curves[0].y, picture.curves[0].x) / width == pytest.approx(50, rel=0.05)


def test_rows_without_a_value_are_counted():
    x = np.linspace(-1.0, 4.0, 50)
    columns = np.array([x, ROWS[1], ROWS[2]])
    seen = of_plain("log(x)", columns=columns, target=np.where(x > 0.0, x, 2.0))
    picture = fit_picture(seen)
    assert f"In {np.count_nonzero(x < 0)} rows the equation has no value." in picture.caption
    assert np.isfinite(picture.points.y).all()
    assert np.isfinite(seen.r_squared)


def test_a_law_without_any_value_draws_nothing():
    seen = of_plain("log(0 - x)", target=ROWS[0])
    assert fit_picture(seen).is_empty
    assert not list(residual_pictures(seen))
    assert all(picture.points is None or not len(picture.points.x) for picture in [fit_picture(seen)])
    assert np.isnan(seen.r_squared)
    assert np.isnan(seen.median_residual)


def test_long_tables_are_thinned_and_the_caption_tells_it():
    x = np.linspace(1.0, 2.0, 30_000)
    seen = of_plain("x*z", columns=np.array([x, x, x]), target=x)
    picture = fit_picture(seen, 500)
    assert len(picture.points.x) <= 500
    assert f"{len(picture.points.x)} of 30,000 rows are drawn." in picture.caption
    in_order, *_ = residual_pictures(seen)
    assert not in_order.is_log_x
    assert "of 30,000 rows are counted." in distribution_picture(seen).caption


def test_columns_over_decades_have_logarithmic_axes():
    x = np.geomspace(1e-3, 1e3, 50)
    (picture,) = response_pictures(of_plain("2*x", columns=np.array([x, x, x])))
    assert picture.is_log_x
    assert picture.is_log_y
    assert np.diff(np.log(picture.curves[0].x)) == pytest.approx(np.log(1e6) / 160)


def test_residuals_of_a_target_over_decades_are_shares_of_the_prediction():
    x = np.geomspace(1e-3, 1e3, 50)
    seen = of_plain("x*z", columns=np.array([x, ROWS[1], ROWS[2]]), target=1.1 * x * ROWS[1])
    in_order, *_ = residual_pictures(seen)
    assert in_order.y_label == "residual / prediction"
    np.testing.assert_allclose(in_order.points.y, 0.1)
    over_x, over_z = response_pictures(seen)
    np.testing.assert_allclose(over_x.points.y, 1.1 * x * np.median(ROWS[1]))
    np.testing.assert_allclose(over_z.points.y, 1.1 * np.median(x) * ROWS[1])
    assert "target over prediction" in over_x.caption


def test_stated_errors_are_error_bars():
    outcome, rows = noisy_pair(sigma=np.full(50, 0.1))
    (picture,) = response_pictures(examine(outcome, rows, outcome.law))
    assert picture.points.bars.tolist() == [0.1] * 50


def test_error_bars_are_shares_where_residuals_are():
    x = np.geomspace(1e-3, 1e3, 50)
    outcome = plain_outcome("x*z")
    columns = np.array([x, ROWS[1], ROWS[2]])
    rows = observe_arrays(outcome, columns, 1.1 * x * ROWS[1], 0.2 * x * ROWS[1])
    seen = examine(outcome, rows, outcome.law)
    np.testing.assert_allclose(next(residual_pictures(seen)).points.bars, 0.2)
    over_x, _ = response_pictures(seen)
    np.testing.assert_allclose(over_x.points.bars, 0.2 * x * np.median(ROWS[1]))


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e160, 1e300])
def test_numbers_of_any_size_have_pictures(size):
    columns = ROWS * size
    outcome = plain_outcome("x + 0.1*z")
    rows = observe_arrays(outcome, columns, columns[0])
    seen = examine(outcome, rows, outcome.law)
    pictures = [fit_picture(seen), *residual_pictures(seen), *response_pictures(seen), distribution_picture(seen)]
    assert all(not picture.is_empty for picture in pictures)
    assert seen.median_residual == pytest.approx(0.1 * size * np.median(ROWS[1]))
    assert np.isfinite(seen.r_squared)


def test_the_front_shows_every_loss_and_marks_the_law():
    outcome = plain_outcome("2", "2*x", "x*z")
    exact = replace(outcome.front[2], validation=Errors(0.0, 0.0))
    picture = front_picture(replace(outcome, law=exact, front=(*outcome.front[:2], exact)))
    assert picture.points.y.tolist() == [1.0, 0.1, LEAST_LOSS]
    assert picture.outliers.y.tolist() == [LEAST_LOSS]
    assert "1e-18" in picture.caption


def test_the_course_ends_with_the_search_and_reads_traces_of_files():
    outcome = plain_outcome("2*x")
    assert course_picture(outcome).curves[0].x.tolist() == [0.1, 0.4, 1.1]
    late = replace(outcome, seconds=2.0, trace=({"seconds": 0.5, "validation_nmse": None}, {}, *outcome.trace[1:]))
    curve = course_picture(late).curves[0]
    assert curve.x.tolist() == [0.5, 0.4, 1.1, 2.0]
    assert np.isnan(curve.y[0])
    assert course_picture(replace(outcome, trace=())).is_empty


def test_candidates_are_the_front_and_rivals_beside_it():
    outcome, rows = noisy_pair()
    assert [one.text() for one in candidates(outcome)] == ["4.5", "2*x + 1.5", "2.5*x^1.2", "3*z"]
    assert examine(outcome, rows, candidates(outcome)[2]).is_rival
    assert examine(outcome, rows, outcome.law).is_law


def test_a_rival_has_the_scatter_of_the_law_and_other_equations_their_own_error():
    outcome, rows = noisy_pair()
    mean, _, rival, _ = (examine(outcome, rows, one) for one in candidates(outcome))
    assert np.allclose(rival.scatter, 0.1)
    assert mean.scatter is None
    np.testing.assert_allclose(mean.deviations(rows.columns), np.hypot(1.7, 0.02))


def test_targets_are_those_of_the_user():
    _, rows = noisy_pair()
    assert np.array_equal(rows.target, noisy_target())
