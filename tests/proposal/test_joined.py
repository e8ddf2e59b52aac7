"""Columns that act together are found in noisy rows, and those that do not are left alone."""

from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr import MosaicRegressor
from mosaic_sr.evidence.written import shape
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal import joined_views
from mosaic_sr.proposal.joined import Joined, find_joined
from mosaic_sr.table import Rows
from mosaic_sr.verdict import coverage_words

NOISE = 0.05


def rows_of(law, num_columns, num_rows=300, seed=0, low=1.0, high=5.0):
    rng = np.random.default_rng(seed)
    columns = rng.uniform(low, high, (num_columns, num_rows))
    clean = law(*columns)
    return Rows(columns, clean + NOISE * np.std(clean) * rng.standard_normal(num_rows), np.empty(0))


def is_function_of(quantity, wanted, columns):
    """Whether one quantity grows with the other all the way, or falls."""
    order = np.argsort(wanted)
    steps = np.diff(evaluate_expression(quantity, columns)[order])
    return bool(np.all(steps >= 0) or np.all(steps <= 0))


@pytest.mark.parametrize(
    ("law", "num_columns", "quantities"),
    [
        (lambda a, b, c: 1.0 / (1.0 + np.exp((a - b) / c)), 3, [lambda a, b, c: (a - b) / c]),
        (lambda a, b, c, d: np.hypot(a - b, c - d), 4, [lambda a, b, c, d: np.hypot(a - b, c - d)]),
        (lambda a, b, c, d: np.cos(0.3 * a * b) + np.sin(c) * np.log(d), 4, [lambda a, b, c, d: a * b]),
        (lambda a, b, c: np.tanh(0.03 * a * b**2) * (1.0 + 0.5 * np.sin(c)), 3, [lambda a, b, c: a * b**2]),
    ],
    ids=["a step", "a distance", "a product", "a power"],
)
def test_quantities_of_several_columns_are_found(law, num_columns, quantities):
    rows = rows_of(law, num_columns)
    joined = find_joined(rows, range(num_columns), NAMES)
    assert joined is not None
    assert joined.bits > 0.0
    for wanted in quantities:
        values = wanted(*rows.columns)
        assert any(is_function_of(quantity, values, rows.columns) for quantity in joined.quantities)
    used = sorted(column for quantity in joined.quantities for column in quantity.columns)
    assert used == list(range(num_columns))


@pytest.mark.parametrize("seed", range(4))
def test_powers_inside_are_found_though_slopes_are_noisy(seed):
    rng = np.random.default_rng(seed)
    columns = rng.uniform(1.0, 3.0, (3, 500))
    clean = np.exp(-0.5 * np.square((columns[1] - columns[2]) / columns[0])) / columns[0]
    rows = Rows(columns, clean + 0.1 * np.std(clean) * rng.standard_normal(500), np.empty(0))
    joined = find_joined(rows, range(3), NAMES)
    assert joined is not None
    assert len(joined.quantities) == 1
    assert is_function_of(joined.quantities[0], (columns[1] - columns[2]) / columns[0], columns)


@pytest.mark.parametrize(
    ("law", "num_columns", "front", "quantities"),
    [
        (lambda a, b, c: np.exp(-np.square((b - c) / a)) / a, 3, "1/a", ["(b - c)/a"]),
        (lambda a, b, c: (a + b) / (1.0 + a * b / c**2), 3, "c", ["a/c", "b/c"]),
        (lambda a, b, c, d: a * np.sqrt(b) * np.exp(-c / d), 4, "a*sqrt(b)", ["c/d"]),
        (lambda a, b, c: np.sqrt(a**2 + b**2 - 2.0 * a * b * np.cos(c)), 3, "a", ["b/a", "c"]),
    ],
    ids=["a bell", "velocities", "a product in front", "a triangle"],
)
def test_a_quantity_in_front_divides_the_others(law, num_columns, front, quantities):
    rows = rows_of(law, num_columns)
    joined = find_joined(rows, range(num_columns), NAMES)
    assert joined is not None
    assert joined.front is not None
    names = ("a", "b", "c", "d")
    # Another of the columns may stand in front: what is left is a function of quantities that are functions of these.
    clean = law(*rows.columns) / evaluate_expression(joined.front, rows.columns)
    assert len(joined.quantities) == len(quantities)
    if len(quantities) == 1:
        order = np.argsort(evaluate_expression(joined.quantities[0], rows.columns))
        assert np.sum(np.abs(np.diff(clean[order]))) < 3.0 * np.ptp(clean)
        wanted = evaluate_expression(parse(front, names), rows.columns)
        ratio = evaluate_expression(joined.front, rows.columns) / wanted
        assert is_function_of(
            joined.quantities[0], evaluate_expression(parse(quantities[0], names), rows.columns), rows.columns
        )
        assert np.ptp(ratio) < 1e-9 * np.max(ratio)


@pytest.mark.parametrize("seed", range(3))
def test_what_the_rows_do_not_rule_out_is_listed_after_the_best(seed):
    rng = np.random.default_rng(seed)
    columns = rng.uniform(1.0, 5.0, (3, 300))
    clean = columns[1] * columns[2] / np.sqrt(1.0 + 0.05 * np.square(columns[0] / columns[1]))
    rows = Rows(columns, clean + 0.05 * np.std(clean) * rng.standard_normal(300), np.empty(0))
    joined = find_joined(rows, range(3), NAMES)
    assert joined is not None
    ways = joined.ways(NAMES)
    assert ways[0] is joined
    ratios = [way for way in ways if len(way.quantities) == 1]
    assert any(is_function_of(way.quantities[0], columns[0] / columns[1], columns) for way in ratios)
    assert all(not way.further for way in joined.further)


def test_a_flow_is_joined_as_far_as_a_smooth_function_can_tell():
    def flow(a, b, c, d):
        return a * (b - c) / d

    rows = rows_of(flow, 4)
    joined = find_joined(rows, range(4), NAMES)
    assert joined is not None
    # A difference of columns is as simple for a smooth function as the columns.
    assert len(joined.quantities) <= 2
    left = (
        flow(*rows.columns)
        if joined.front is None
        else flow(*rows.columns) / evaluate_expression(joined.front, rows.columns)
    )
    if len(joined.quantities) == 1:
        assert is_function_of(joined.quantities[0], left, rows.columns)
    else:
        assert is_function_of(joined.front, flow(*rows.columns) / (rows.columns[1] - rows.columns[2]), rows.columns)


def test_rows_are_seen_without_the_front_and_laws_get_it_back():
    rows = rows_of(lambda a, b, c: np.exp(-np.square((b - c) / a)) / a, 3)
    joined = find_joined(rows, range(3), NAMES)
    seen = joined.seen(rows)
    form = parse("exp(-x^2)", ("x",))
    assert seen.columns.shape == (1, rows.num_rows)
    assert np.std(seen.target - evaluate_expression(form, seen.columns)) < 0.1
    law = joined.law(form)
    assert evaluate_expression(law, rows.columns) == pytest.approx(
        np.exp(-np.square((rows.columns[1] - rows.columns[2]) / rows.columns[0])) / rows.columns[0]
    )
    # A row of small front has little to say of the form.
    sizes = np.abs(evaluate_expression(joined.front, rows.columns))
    assert seen.weights == pytest.approx(np.square(sizes / sizes.max()))


def test_a_product_is_listed_over_itself_and_its_inverse():
    one = Joined((parse("a*b", ("a", "b")),), 5.0)
    assert len(one.ways(NAMES)) == 2
    assert len(one.ways(("mul", "exp"))) == 1
    assert len(Joined((parse("a - b", ("a", "b")),), 7.0).ways(NAMES)) == 1


@pytest.mark.parametrize(
    ("law", "num_columns"),
    [
        (lambda a, b, c: np.exp(-0.3 * a) * b + np.sin(c + 0.5 * b), 3),
        (lambda a, b: a * np.exp(-0.7 * b) + b, 2),
        (lambda a, b, c: np.zeros_like(a), 3),
    ],
    ids=["a term and a wave", "two terms", "noise alone"],
)
def test_columns_that_act_on_their_own_are_not_joined(law, num_columns):
    rows = rows_of(law, num_columns)
    if np.std(rows.target) == 0.0:
        rows = Rows(rows.columns, np.random.default_rng(1).standard_normal(rows.num_rows), np.empty(0))
    assert find_joined(rows, range(num_columns), NAMES) is None


def test_only_allowed_operators_join():
    rows = rows_of(lambda a, b, c: np.exp(-((a - b) ** 2)) * c, 3)
    joined = find_joined(rows, range(3), ("add", "mul", "exp"))
    assert joined is None or all(" - " not in to_text(each, ("a", "b", "c")) for each in joined.quantities)


@pytest.mark.parametrize(("num_columns", "num_rows"), [(1, 100), (3, 15), (10, 400)])
def test_one_column_few_rows_and_many_columns_are_left_alone(num_columns, num_rows):
    rows = rows_of(lambda *columns: columns[0] * columns[-1], num_columns, num_rows)
    assert find_joined(rows, range(num_columns), NAMES) is None


def test_outliers_do_not_hide_a_quantity():
    rows = rows_of(lambda a, b, c: np.cos(a - b) * c, 3)
    target = rows.target.copy()
    target[::40] += 20.0
    joined = find_joined(Rows(rows.columns, target, np.empty(0)), range(3), NAMES)
    assert joined is not None
    assert any(to_text(each, ("a", "b", "c")) in ("a - b", "b - a") for each in joined.quantities)


def test_a_law_of_six_columns_is_found_under_noise_and_what_was_listed_is_told():
    rows = rows_of(lambda a, b, c, d, e, f: a * b / ((c - d) ** 2 + (e - f) ** 2 + 1.0), 6, 400)
    model = MosaicRegressor(max_evaluations=20_000, random_state=0, progress=False).fit(rows.columns.T, rows.target)
    wide = np.random.default_rng(3).uniform(1.0, 8.0, (6, 100))
    truth = wide[0] * wide[1] / ((wide[2] - wide[3]) ** 2 + (wide[4] - wide[5]) ** 2 + 1.0)
    assert model.predict(wide.T) == pytest.approx(truth, rel=0.1)
    assert any("x2 - x3" in quantity or "x3 - x2" in quantity for quantity in model.outcome_.listed_over)
    assert "over (x" in coverage_words(model.outcome_)


@pytest.mark.parametrize(
    ("law", "wanted"),
    [
        (lambda a, b, c: np.exp(-np.square(a - b)) * c, lambda a, b, c: a - b),
        (lambda a, b, c: np.exp(-0.1 * (a**2 + b**2)) + np.sin(c), lambda a, b, c: a**2 + b**2),
        (lambda a, b, c: np.sin(0.3 * (a**2 + b)) + c, lambda a, b, c: a**2 + b),
        (lambda a, b, c: np.sin(0.3 * (a + b**2)) + c, lambda a, b, c: a + b**2),
        (lambda a, b, c: np.cos(0.4 * (a * b - c)), lambda a, b, c: a * b - c),
    ],
)
def test_sums_are_found_of_columns_that_are_divided_by_other_powers_of_two(law, wanted):
    rows = rows_of(law, 3)
    exponents = (8, 10, -3)
    scaled = replace(rows, columns=np.ldexp(rows.columns, -np.array(exponents)[:, None]))
    joined = find_joined(scaled, range(3), NAMES, exponents)
    assert joined is not None
    values = wanted(*rows.columns)
    assert any(is_function_of(quantity, values, scaled.columns) for quantity in joined.quantities)


def test_a_law_of_a_difference_is_found_in_any_units():
    rows = rows_of(lambda a, b, c: c * np.exp(-0.7 * np.square(a - b)), 3, 200)
    columns = rows.columns * np.array((85.0, 85.0, 1e-6))[:, None]
    model = MosaicRegressor(max_evaluations=20_000, random_state=0, progress=False).fit(columns.T, rows.target)
    wanted = canonical(parse("1e6*c*exp(-1e-4*(a - b)^2)", ("a", "b", "c")))
    assert shape(canonical(model.law_.expression)) == shape(wanted)


def test_rows_whose_covariance_is_singular_are_left_alone(monkeypatch):
    def fail(*_):
        raise np.linalg.LinAlgError("Matrix is not positive definite")

    monkeypatch.setattr(joined_views, "log_likelihood", fail)
    assert find_joined(rows_of(lambda a, b: a * b, 2), range(2), NAMES) is None
