"""Groups of columns are found from scattered rows, and only a law of the groups makes a sketch."""

import numpy as np
import pytest

from mosaic_sr import SearchConfig, Table, discover
from mosaic_sr.exactness import is_exact
from mosaic_sr.proposal import PROPOSERS, ProposalConfig
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.reductions.groups import find_groups, propose_groups
from mosaic_sr.proposal.reductions.ridges import RidgeRows, guess_slopes
from tests.proposal.questions import sketches_in

# Laws of positive columns, and the space that their groups span.
LAWS = (
    ("one group", lambda a, b, c, d: 3.1 * a * b**2 * np.exp(-1.7 * c / d**2), [[0, 0, 1, -2]], [1, 2, 0, 0]),
    ("roots", lambda a, b, c, d: a / (1 + 0.6 * np.sqrt(b) * c**2 / d), [[0, 0.5, 2, -1]], [1, 0, 0, 0]),
    ("two groups", lambda a, b, c, d: d / np.sqrt(a**2 + 2.3 * b**2 + 0.4 / c**2), [[1, -1, 0, 0], [0, 1, 1, 0]], None),
    ("a change of sign", lambda a, b, c, d: a * d**2 * (b * c - 1.2), [[0, 1, 1, 0]], [1, 0, 0, 2]),
    ("an idle column", lambda a, b, c, d: np.log(1 + a / b) * c, [[1, -1, 0, 0]], [0, 0, 1, 0]),
)


def positive_columns(num_rows=600, num_columns=4, seed=0):
    return 10 ** np.random.default_rng(seed).uniform(-0.5, 0.5, size=(num_columns, num_rows))


def spans(exponents, others):
    """Whether two sets of exponents span the same space."""
    both = np.concatenate([exponents, others])
    return np.linalg.matrix_rank(both) == np.linalg.matrix_rank(others) == len(exponents)


@pytest.mark.parametrize(("name", "law", "expected", "front"), LAWS, ids=[name for name, *_ in LAWS])
def test_the_first_groups_are_those_of_the_law(name, law, expected, front):
    columns = positive_columns()
    first = find_groups(columns, law(*columns), most_groups=3)[0]
    assert spans(first.exponents, np.array(expected))
    if front is not None:  # the product in front is known but for powers of the groups
        beside = np.vstack([expected, first.front - front])
        assert np.linalg.matrix_rank(beside) == len(expected)


def test_the_groups_do_not_depend_on_the_units():
    columns = positive_columns()
    units = np.array([[1e-12], [3e8], [7.0], [1e20]])
    target = LAWS[0][1](*columns)
    here, there = (find_groups(numbers, target, most_groups=3)[0] for numbers in (columns, units * columns))
    assert np.array_equal(here.exponents, there.exponents)
    assert np.array_equal(here.front, there.front)


def test_a_ridge_of_a_product_finds_both_parts():
    rng = np.random.default_rng(0)
    z = rng.standard_normal((500, 3))
    target = np.exp(0.7 * z[:, 2]) * np.sin(z[:, 0] - 2.0 * z[:, 1])
    rows_of_ridge = RidgeRows(z / 2.0, target, is_product=True)
    ridge = rows_of_ridge.find(1, guess_slopes(z / 2.0, target))
    assert ridge.error < 1e-2
    assert abs(ridge.directions[0] @ np.array([2.0, 1.0, 0.0])) < 1e-2
    assert ridge.straight[2] == pytest.approx(1.4, abs=1e-2)


def test_too_few_rows_make_no_ridge():
    z = np.random.default_rng(0).standard_normal((12, 3))
    assert RidgeRows(z, z[:, 0] ** 2).find(2, np.ones((3, 12))) is None


def solver(table):
    """The law of a small table, by the quicker finders."""
    finders = ("products", "sums")
    config = SearchConfig(proposal=ProposalConfig(without=tuple(set(PROPOSERS) - set(finders))), max_evaluations=2000)
    *_, last = discover(table, config, np.random.default_rng(0))
    return last.law if last.law.is_exact else None


def sketches_of(columns, target, solve=solver):
    table = Table.from_arrays(columns.T, target, rng=np.random.default_rng(0))
    context = ProposalContext(table, table.some_training(200), np.ones(table.num_columns), ("mul", "div"), solve)
    batches = sketches_in(propose_groups(context))
    return table, [sketch for batch in batches for sketch in batch]


def test_the_law_of_the_groups_becomes_a_law_of_the_table():
    columns = positive_columns(num_columns=5)
    columns[4] *= -1.0  # negative columns count by their magnitude
    target = 4.2e-9 * columns[0] ** 2 * np.sqrt(-columns[4]) * np.exp(-0.83 * columns[1] * columns[2] / columns[3])
    table, (sketch,) = sketches_of(columns, target)
    assert sketch.found_by == "reductions"
    assert is_exact(sketch.expression, table.validation, table)


def test_without_a_law_of_the_groups_nothing_is_said():
    columns = positive_columns()
    assert sketches_of(columns, LAWS[0][1](*columns), solve=lambda table: None)[1] == []


def test_chance_has_no_groups():
    asked = []
    columns = positive_columns(num_rows=200)
    sketches_of(columns, np.random.default_rng(1).uniform(1, 2, 200), solve=asked.append)
    assert asked == []


@pytest.mark.parametrize(
    "columns",
    [
        positive_columns(num_rows=20),
        np.random.default_rng(0).standard_normal((3, 200)),
        np.vstack([positive_columns(200, 1), np.arange(200.0)]),
    ],
    ids=["few rows", "signs change", "zeros"],
)
def test_tables_without_magnitudes_or_rows_are_left_alone(columns):
    asked = []
    sketches_of(columns, columns[0] ** 2 + 1.0, solve=asked.append)
    assert asked == []
