"""Measured tables: what their names say is in their rows, and their laws are many, distinct and determined."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from benchmarks.judge import _box
from benchmarks.simple_numbers import is_simple
from benchmarks.suites import SUITES, load
from benchmarks.suites.fisher import LEAST_ERRORS, errors_away, is_determined
from benchmarks.suites.measured import CONDITIONS, DRAWS, EXTRA_SHARES, draw_rows, least_errors, table_path
from benchmarks.suites.measurement import Condition, Extra, Measurement, rounded, with_outliers
from benchmarks.suites.sampling import Axis
from benchmarks.suites.shapes import KINDS
from benchmarks.suites.unseen_laws import LAWS
from benchmarks.verify import verify_structure
from mosaic_sr import InvalidSettings, evaluate_expression, parse, skeleton_hash, to_text

FAMILIES = tuple(DRAWS)
AXES = (Axis("uniform", 1.0, 3.0), Axis("log", 0.1, 10.0))


def product(columns):
    return columns[0] * columns[1]


def first_tables(name):
    """One table of each law."""
    return load(name).problems[::4]


@pytest.mark.parametrize("family", FAMILIES)
def test_names_say_the_condition(family):
    pattern = rf"{family}-\d{{3}}-r(\d+)-n(\d+)(p?)(-out)?(?:-d(\d))?(?:-(irr|const|corr))?"
    for problem in load(family).problems:
        match = re.fullmatch(pattern, problem.id)
        assert match, problem.id
        condition, extra = problem.source.condition, problem.source.extra
        assert condition.rows == int(match[1]) == problem.draw(0).train.num_rows
        assert condition.noise == pytest.approx(int(match[2]) / 100)
        assert condition.kind == ("multiplicative" if match[3] else "additive")
        assert (condition.outliers > 0) == bool(match[4])
        assert condition.digits == int(match[5] or 0)
        assert (extra is None) == (match[6] is None)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_law_is_measured_under_the_conditions_of_the_targets_and_a_further_one(family):
    problems = load(family).problems
    for start in range(0, len(problems), 4):
        conditions = [problem.source.condition for problem in problems[start : start + 4]]
        assert [(own.rows, own.noise, own.outliers) for own in conditions[:3]] == [
            (100, 0.02, 0.0),
            (30, 0.02, 0.0),
            (100, 0.02, 0.05),
        ]
        assert len(set(conditions)) == 4
        assert len({problem.formula for problem in problems[start : start + 4]}) == 1


def test_the_further_conditions_go_through_all_combinations():
    further = [problem.source.condition for problem in load("measured").problems[3::4]]
    seen = {(own.rows, own.noise, own.kind, own.outliers) for own in further}
    assert len(seen) > 0.85 * len(CONDITIONS) == 0.85 * 64
    assert {own.rows for own in further} == {10, 30, 100, 300}
    assert {own.noise for own in further} == {0.01, 0.02, 0.05, 0.1}


def test_extra_columns_of_every_kind_occur_now_and_then():
    kinds = [problem.source.extra.kind for problem in first_tables("measured") if problem.source.extra]
    assert set(kinds) == set(EXTRA_SHARES)
    assert 0.15 < len(kinds) / 100 < 0.45


@pytest.mark.parametrize("family", FAMILIES)
def test_laws_have_one_to_three_columns_and_one_to_five_numbers_that_their_rows_determine(family):
    counts, columns = set(), set()
    for problem in first_tables(family):
        law, axes = problem.truth, problem.source.axes
        numbers = {value for value in law.constants.tolist() if not is_simple(value)}
        counts.add(len(numbers))
        columns.add(len(law.columns))
        assert set(law.columns) == set(problem.source.real_columns)
        rng = np.random.default_rng(5)
        rows = np.ones((problem.num_columns, 400))
        rows[list(problem.source.real_columns)] = [axis.draw(400, rng) for axis in axes]
        target = evaluate_expression(law, rows)
        sigma = 0.02 * np.sqrt(np.mean(target**2))
        # Other rows than those that decided: near the bound chance goes either way.
        assert errors_away(law, rows, sigma).min() > 0.5 * LEAST_ERRORS, problem.formula
    assert counts >= {1, 2, 3, 4}
    assert max(counts) <= 5
    assert columns == {1, 2, 3}


def test_families_are_dozens_and_few_laws_share_a_skeleton():
    assert sum(map(len, KINDS)) > 50
    laws = [problem.truth for problem in first_tables("measured")]
    assert len({skeleton_hash(law) for law in laws}) > 65
    assert len(LAWS.strip().splitlines()) > 60
    shared = {skeleton_hash(problem.truth) for problem in first_tables("unseen")} & set(map(skeleton_hash, laws))
    assert len(shared) < 20


def test_sizes_are_of_any_unit():
    highs = [axis.high for problem in first_tables("measured") for axis in problem.source.axes]
    assert min(highs) < 1e-4
    assert max(highs) > 1e4


@pytest.mark.parametrize("family", FAMILIES)
def test_the_committed_laws_are_those_of_the_generator(family):
    committed = json.loads(table_path(family).read_text())
    assert [row["axes"] for row in committed[:5]] == [row["axes"] for row in draw_rows(family, 0)[:5]]


def test_a_suite_with_a_seed_has_laws_of_its_own():
    fresh, again = load("measured-1"), load("measured-1")
    assert fresh is again
    assert len(fresh.problems) == 400
    assert fresh.problems[0].id.startswith("measured-1-000-r100-n2")
    own = {problem.formula for problem in SUITES["measured"].problems}
    assert not own & {problem.formula for problem in fresh.problems}
    assert not fresh.is_kept_out
    assert load("unseen-1").is_kept_out
    for name in ("measured-0", "measured-x", "open-1"):
        with pytest.raises(InvalidSettings, match="measured-1"):
            load(name)


def test_a_suite_of_one_condition_measures_each_law_once():
    usual, single = load("measured-3"), load("measured-3-r30-n5")
    assert len(single.problems) == len(usual.problems) / 4
    assert [problem.formula for problem in single.problems] == [problem.formula for problem in usual.problems[::4]]
    for problem in single.problems:
        assert (problem.source.condition.rows, problem.source.condition.noise) == (30, 0.05)
        assert problem.source.condition.outliers == 0.0
    assert not single.is_kept_out
    assert least_errors(single.name, single.problems[0].id) is not None
    with pytest.raises(InvalidSettings):
        load("measured-3-r30")


def test_a_number_that_the_rows_do_not_show_is_not_determined():
    rng = np.random.default_rng(0)
    columns = rng.uniform(1.0, 3.0, (2, 400))

    def determined(text):
        return is_determined(parse(text, ("x0", "x1")), columns, rng)

    assert determined("2.17*x0/(1.73 + x0)*x1")
    assert not determined("2.17*x0/(0.00173 + x0)*x1")  # the scale is far outside
    assert not determined("2.17*x0*x1 + 0.00131")  # the offset is below the noise
    assert not determined("2.17*x1*x0^1.003")  # the exponent is that of a plain product
    assert not determined("2.17*1.31*x0*x1")  # two numbers that only act together
    assert not determined("2.17*x0 + 0.0001*x1")  # the column cannot be seen
    assert not determined("2.17*x0*x1 + exp(91.3*(x0 - 3.1))")  # few rows have it all
    assert not determined("log(x0 - 2.17)*x1")  # no value in some rows


def test_errors_are_those_of_least_squares():
    """The bound of Fisher information is the spread of fits to many noisy tables."""
    columns = np.random.default_rng(1).uniform(1.0, 3.0, (2, 100))
    law = parse("2.17*x0 + 0.73*x1", ("x0", "x1"))
    away = errors_away(law, columns, 0.1)
    spread = 0.1 * np.sqrt(np.diag(np.linalg.inv(columns @ columns.T)))
    np.testing.assert_allclose(away, np.array([2.17, 0.73]) / spread, rtol=1e-6)


def test_noise_is_on_the_training_targets_alone_and_of_the_level_asked_for():
    for kind in ("additive", "multiplicative"):
        draw = Measurement(AXES, Condition(4000, 0.05, kind)).draw(product, np.random.default_rng(0))
        clean = product(draw.train.columns)
        errors = (draw.train.target - clean) / (np.sqrt(np.mean(clean**2)) if kind == "additive" else clean)
        assert np.std(errors) == pytest.approx(0.05, rel=0.05)
        assert np.array_equal(draw.test.target, product(draw.test.columns))


@pytest.mark.parametrize(("rows", "count"), [(10, 1), (100, 5), (300, 15)])
def test_one_row_in_twenty_is_far_off(rows, count):
    clean = np.linspace(1.0, 2.0, rows) * 1e-30
    off = with_outliers(clean, clean, Condition(rows, 0.02, outliers=0.05), np.random.default_rng(0))
    deviation = 0.02 * np.sqrt(np.mean((clean * 1e30) ** 2)) * 1e-30
    distances = np.abs(off - clean) / deviation
    assert np.count_nonzero(distances) == count
    assert (distances[distances > 0] > 9.99).all()
    assert np.array_equal(clean, with_outliers(clean, clean, Condition(rows, 0.02), np.random.default_rng(0)))


def test_rounded_tables_have_few_digits():
    draw = Measurement(AXES, Condition(50, 0.02, digits=3)).draw(product, np.random.default_rng(0))
    for number in (*draw.train.columns.ravel().tolist(), *draw.train.target.tolist()):
        assert float(f"{number:.3g}") == number
    assert rounded(np.array([123456.0, -0.00098765]), 2).tolist() == [120000.0, -0.00099]


def test_extra_columns_are_what_they_are_called():
    def columns_with(kind, place):
        extra = Extra(kind, place, Axis("uniform", 20.0, 40.0))
        source = Measurement(AXES, Condition(2000, 0.02), extra)
        return source, source.draw(lambda columns: columns[0], np.random.default_rng(0)).train.columns

    source, columns = columns_with("irrelevant", 1)
    assert source.real_columns == (0, 2)
    assert source.rename("x0*x1") == "x0*x2"
    assert abs(np.corrcoef(columns[0], columns[1])[0, 1]) < 0.1
    assert 20.0 <= columns[1].min() < columns[1].max() <= 40.0
    source, columns = columns_with("constant", 0)
    assert source.real_columns == (1, 2)
    assert 0 < np.std(columns[0]) / np.mean(columns[0]) < 2e-3
    source, columns = columns_with("correlated", 2)
    assert source.real_columns == (0, 1)
    assert 0.8 < np.corrcoef(columns[0], columns[2])[0, 1] < 0.99


@pytest.mark.parametrize("family", FAMILIES)
def test_the_verdict_on_structure_knows_the_laws_by_numbers_that_noise_has_moved(family):
    rng = np.random.default_rng(0)
    for problem in first_tables(family)[::5]:
        law = problem.truth
        factors = {value: 1.0 if is_simple(value) else np.exp(0.1 * rng.standard_normal()) for value in law.constants}
        moved = law.with_constants([value * factors[value] for value in law.constants])
        text = to_text(moved, problem.names)
        verdict = verify_structure(problem.formula, text, problem.names, _box(problem.draw(0)))
        assert verdict.accepted, (problem.formula, text, verdict.how)


def test_few_rows_and_much_noise_leave_numbers_undetermined():
    at_100_rows = [least_errors("measured", problem.id) for problem in first_tables("measured")]
    assert min(at_100_rows) > 0.5 * LEAST_ERRORS
    errors = {}
    for problem in load("measured").problems:
        law, condition = problem.id.split("-")[1], problem.source.condition
        expected = np.sqrt(condition.rows / 100) * 0.02 / condition.noise
        errors.setdefault(law, []).append(least_errors("measured", problem.id) / expected)
    assert all(np.ptp(own) < 1e-6 * own[0] for own in errors.values())
