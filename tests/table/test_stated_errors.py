"""Standard errors of the target: refused by name where they are unusable, kept with their rows where they are."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_sr.equation import measure
from mosaic_sr.errors import InvalidTable
from mosaic_sr.expressions.text import parse
from mosaic_sr.fitting import FitConfig, fit_constants, spans_decades
from mosaic_sr.table import Resolution, Rounding, Rows, Table, by_content, narrowed, refuse_unusable, thinned, unscaled
from mosaic_sr.table.rows import merge_rows

NUMBERS = np.random.default_rng(0).uniform(1.0, 3.0, size=(60, 3))
X, Y = NUMBERS[:, :2], NUMBERS[:, 0] * NUMBERS[:, 1]
SIGMA = 0.1 * NUMBERS[:, 2]


def made(X=X, y=Y, sigma=SIGMA, **others):
    return Table.from_arrays(X, y, sigma=sigma, rng=np.random.default_rng(0), **others)


def changed(value):
    sigma = SIGMA.copy()
    sigma[[3, 5]] = value
    return sigma


@pytest.mark.parametrize(
    ("sigma", "message"),
    [
        (changed(0.0), "sigma has 2 rows at 0 or below; a standard error must be larger than 0"),
        (changed(-1.0), "sigma has 2 rows at 0 or below"),
        (changed(np.nan), "sigma has 2 rows with NaN or inf"),
        (changed(np.inf), "sigma has 2 rows with NaN or inf"),
        (SIGMA[:7], "X has 60 rows and sigma has 7; both need one entry per row"),
        (["large"] * 60, "sigma has 'large' in row 0; convert it to numbers"),
        (0.1, r"one number per row, got the number 0\.1; .* pass np\.full\(len\(y\), 0\.1\)"),
        (NUMBERS, "sigma must have one number per row, got shape"),
        (100.0 * SIGMA, r"the noise is larger than the signal: .* the target 'y' varies by only"),
    ],
)
def test_unusable_standard_errors_are_refused_with_what_was_expected(sigma, message):
    with pytest.raises(InvalidTable, match=message):
        made(sigma=sigma)


def test_standard_errors_and_weights_exclude_each_other():
    with pytest.raises(InvalidTable, match="give sigma or weights, not both"):
        made(weights=np.ones(60))


def test_a_series_that_is_also_a_feature_or_the_target_is_refused():
    frame = pd.DataFrame({"a": X[:, 0], "s": SIGMA, "y": Y})
    with pytest.raises(InvalidTable, match="sigma is also the column 's' of X"):
        made(frame[["a", "s"]], frame["y"], frame["s"])
    with pytest.raises(InvalidTable, match="sigma is the target 'y' itself"):
        made(frame[["a"]], frame["y"], frame["y"])
    # One that was computed from a column has its name, too.
    assert made(frame[["a"]], frame["y"], 0.1 * frame["y"]).training.has_sigma


def test_rows_that_differ_only_in_their_standard_error_are_two_rows_but_one_point():
    x, y, sigma = np.array([1.0, 1.0, 1.0, 2.0]), np.array([3.0, 3.0, 3.0, 6.0]), np.array([0.2, 0.1, 0.2, 0.1])
    rows = merge_rows([x], y, None, sigma)
    np.testing.assert_array_equal(rows.sigma, [0.1, 0.2, 0.1])
    np.testing.assert_array_equal(rows.weights, [1.0, 2.0, 1.0])
    with pytest.raises(InvalidTable, match="has 2 distinct rows"):
        refuse_unusable(made(x[:, None], y, sigma))


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.permutations(range(60)), st.lists(st.sampled_from([0.1, 0.2]), min_size=60, max_size=60))
def test_the_order_of_rows_does_not_matter(order, errors):
    sigma, few = np.array(errors), np.round(X)
    one, other = made(few, few.sum(axis=1), sigma), made(few[order], few[order].sum(axis=1), sigma[list(order)])
    for part in ("training", "validation"):
        for name in ("columns", "target", "weights", "sigma"):
            np.testing.assert_array_equal(getattr(getattr(one, part), name), getattr(getattr(other, part), name))


def of_target(target):
    """The standard error that belongs to each target of X and Y."""
    return SIGMA[[int(np.argmin(np.abs(Y - value))) for value in target]]


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table,
        lambda table: thinned(table, 10),
        lambda table: narrowed(table, [1]),
        by_content,
        lambda table: table.derived(["a", "b"], lambda rows: rows, [Resolution(Rounding.FLOAT64)] * 3),
    ],
)
def test_standard_errors_stay_with_their_rows(change):
    table = change(made())
    for rows in (table.training, table.validation):
        np.testing.assert_array_equal(rows.sigma, of_target(rows.target))


def test_standard_errors_are_scaled_with_the_target():
    table = made(y=2.0**60 * Y, sigma=2.0**60 * SIGMA)
    assert table.target_exponent > 50
    np.testing.assert_array_equal(np.ldexp(table.training.sigma, table.target_exponent - 60), of_target(
        np.ldexp(table.training.target, table.target_exponent - 60)
    ))  # fmt: skip
    plain = unscaled(table)
    np.testing.assert_array_equal(plain.validation.sigma, 2.0**60 * of_target(plain.validation.target / 2.0**60))


def test_validation_rows_need_standard_errors_too():
    held_out = (X[:20] + 1.0, Y[:20] + 1.0)
    with pytest.raises(InvalidTable, match=r"validation must be \(X, y, sigma\).*no standard errors"):
        made(validation=held_out)
    with pytest.raises(InvalidTable, match="validation sigma has 20 rows at 0 or below"):
        made(validation=(*held_out, np.zeros(20)))
    assert sorted(made(validation=(*held_out, SIGMA[:20])).validation.sigma) == sorted(SIGMA[:20])


def test_fits_and_errors_are_those_of_weights_over_squared_standard_errors():
    noisy = Y + SIGMA * np.random.default_rng(1).normal(size=60)
    columns = np.ascontiguousarray(X.T)
    stated, weighted = Rows(columns, noisy, np.empty(0), SIGMA), Rows(columns, noisy, 0.01 / SIGMA**2)
    line = parse("1.5*x + 0.5", ["x", "y"])
    one, other = (fit_constants(line, rows, FitConfig(starts=1)) for rows in (stated, weighted))
    np.testing.assert_allclose(one.expression.constants, other.expression.constants, rtol=1e-9)
    np.testing.assert_allclose(one.standard_errors, other.standard_errors, rtol=1e-9)
    assert measure(line, stated).nmse == pytest.approx(measure(line, weighted).nmse, rel=1e-12)
    assert stated.fit_weights.sum() == pytest.approx(60.0)
    assert len(stated.weights) == 0


def test_extreme_standard_errors_leave_finite_weights():
    sigma = np.geomspace(1e-200, 1e200, 60)
    weights = Rows(np.ascontiguousarray(X.T), Y, np.empty(0), sigma).fit_weights
    assert np.all(np.isfinite(weights))
    assert weights.sum() == pytest.approx(60.0)


def test_stated_errors_decide_about_small_rows_of_a_wide_target():
    target = np.geomspace(1e-3, 1e3, 60)
    assert spans_decades(Rows(target[None], target, np.empty(0)))
    assert not spans_decades(Rows(target[None], target, np.empty(0), SIGMA))


def test_a_note_says_when_the_stated_errors_explain_all_of_the_scatter():
    note = "as large as the variation of the target"
    assert any(note in each for each in made(sigma=np.full(60, 2.5)).notes)
    assert not any(note in each for each in made().notes)
