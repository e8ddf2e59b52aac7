"""Peeling takes off what slopes suggest, and only what helps to predict rows."""

import numpy as np
import pytest

from mosaic_sr import SearchConfig, Table, discover
from mosaic_sr.equation import UNKNOWN, Equation
from mosaic_sr.exactness import Closeness, is_exact
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal import PROPOSERS, ProposalConfig
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.reductions.peeling import PeelingConfig, propose_peeled
from mosaic_sr.proposal.reductions.shapes import LOG_SHAPES, SHAPES
from mosaic_sr.proposal.reductions.slopes import candidates, nearest_power
from mosaic_sr.proposal.reductions.smooth_rows import survey
from mosaic_sr.proposal.reductions.trial import attempt
from mosaic_sr.proposal.smaller_tables import FACTOR, LINKS, Number, SmallerTable, TakenPart
from mosaic_sr.refinement import RefinementConfig
from mosaic_sr.table import Rows
from tests.proposal.questions import sketches_in


def table_of(function, num_columns, num_rows=150, low=0.5, high=2.5, seed=0):
    X = np.random.default_rng(seed).uniform(low, high, size=(num_rows, num_columns))
    return Table.from_arrays(X, function(*X.T), rng=np.random.default_rng(seed))


def peel(table, solve=lambda table: None, config=None):
    rows = table.some_training(200)
    context = ProposalContext(table, rows, np.ones(table.num_columns), (), solve)
    batches = sketches_in(propose_peeled(config or PeelingConfig(), context))
    return [sketch for batch in batches for sketch in batch]


def knows(*laws):
    """A solver that knows some laws of one column."""

    def solve(table):
        for law in laws:
            expression = parse(law, ("x0",))
            if table.num_columns == 1 and is_exact(expression, table.validation, table):
                return Equation(expression, table.names, UNKNOWN, UNKNOWN, "test", closeness=Closeness.EXACT)
        return None

    return solve


@pytest.mark.parametrize("shape", [*SHAPES, *LOG_SHAPES], ids=lambda shape: shape.name)
def test_slopes_of_shapes_are_their_derivatives(shape):
    x = np.linspace(0.2, 0.8, 7)
    low, high = (evaluate_expression(shape.write(parse("x0", ("x0",))), (x + by)[None]) for by in (-1e-6, 1e-6))
    if shape.is_log:
        low, high = np.log(low), np.log(high)
    np.testing.assert_allclose(shape.slope(x), (high - low) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link.name)
def test_links_are_undone_and_know_their_slopes(link):
    y = np.linspace(0.2, 0.8, 7)
    undone = evaluate_expression(link.undo(parse("x0", ("x0",))), link.value(y)[None])
    np.testing.assert_allclose(undone, y, rtol=1e-12)
    np.testing.assert_allclose(link.slope(y), (link.value(y + 1e-6) - link.value(y - 1e-6)) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (lambda a, b, c: np.sin(a - b) * c + c**2, "x0 - x1"),
        (lambda a, b, c: np.exp(-(a + b)) + c, "x0 + x1"),
        (lambda a, b, c: np.sin(a * b) + c**2 * a * b, "x0*x1"),
        (lambda a, b, c: np.tanh(a / b - c), "x0/x1"),
        (lambda a, b, c: np.log(a**2 + b**2 + c), "x0^2 + x1^2"),
        (lambda a, b, c: np.log(c + a * np.exp(b)), "x0*exp(x1)"),
        (lambda a, b, c: np.sin(b + c) + c, None),
    ],
)
def test_columns_that_act_as_one_are_found(function, found):
    table = table_of(function, 3)
    rows = table.some_training(150)
    smooth_rows = survey(rows.columns, rows.target)
    pairs = [reduction for reduction in candidates(smooth_rows) if reduction.columns in ((0, 1), (1, 0))]
    tried = [(pair, attempt(SmallerTable.whole(3), smooth_rows, pair, rows)) for pair in pairs[:3]]
    passed = [to_text(trial.smaller.columns[0].expression, table.names) for _, trial in tried if trial and trial.passes]
    assert passed[:1] == ([found] if found else [])


@pytest.mark.parametrize(
    ("function", "solved", "law"),
    [
        (lambda a, b: a**2 * np.cos(b**2 / 7), "cos(x0^2/7)", "a power"),
        (lambda a, b: np.cos(a) * np.tanh(b), "tanh(x0)", "a cosine"),
        (lambda a, b: np.exp(-1.3 * a) * np.tanh(b), "tanh(x0)", "an exponential"),
        (lambda a, b: 3.7 * np.sqrt(a) + np.tanh(b), "tanh(x0)", "a term"),
        (lambda a, b: 1.0 / (a**2 + np.tanh(b)), "tanh(x0)", "a term of the inverse"),
        (lambda a, b: np.sqrt(2 * a + np.tanh(b)), "tanh(x0)", "a term of the square"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("a") else "",
)
def test_terms_and_factors_come_off_and_the_law_is_put_together(function, solved, law):
    table = table_of(function, 2)
    (sketch,) = peel(table, knows(solved))
    assert is_exact(sketch.expression, table.validation, table)


def test_a_chain_of_reductions_ends_in_one_column():
    table = table_of(lambda a, b, c, d: a / b**2 * np.tanh(c - d), 4)
    (sketch,) = peel(table, knows("tanh(x0)", "-tanh(x0)"))
    assert is_exact(sketch.expression, table.validation, table)


def test_what_cannot_be_solved_seeds_the_search():
    table = table_of(lambda a, b: a**2 * np.tanh(b), 2)
    texts = [to_text(sketch.expression, table.names) for sketch in peel(table)]
    assert any(text.startswith("x0^2*") for text in texts)


def test_the_number_of_searches_is_bounded():
    sizes = []
    table = table_of(lambda a, b, c: a * b**2 * np.tanh(c), 3)
    peel(table, lambda table: sizes.append(table.num_columns), PeelingConfig(max_solves=2))
    assert len(sizes) == 2
    assert sizes == sorted(sizes)


def test_a_number_that_is_not_simple_is_known_well_enough():
    table = table_of(lambda a, b: 0.7316294 * a**2 + np.tanh(b), 2)
    (sketch,) = peel(table, knows("tanh(x0)"))
    np.testing.assert_allclose(sketch.expression.constants[0], 0.7316294, rtol=1e-5)


def test_columns_of_no_use_are_left_out():
    rng = np.random.default_rng(3)
    X = rng.uniform(0.5, 2.5, size=(200, 7)).astype(np.float32).astype(np.float64)
    scales = np.array([1.0, 1e-33, 1e33, 1e10, 1.0, 1e-8, 1.0])
    y = (X[:, 0] * np.sin(X[:, 4])).astype(np.float32).astype(np.float64)
    sizes = []

    def solve(table):
        sizes.append(table.num_columns)
        return None

    peel(Table.from_arrays(X * scales, y, rng=rng), solve)
    assert 1 in sizes or 2 in sizes


def test_noise_is_not_explained():
    rng = np.random.default_rng(5)
    X = rng.uniform(0.5, 2.5, size=(150, 3))
    y = X[:, 0] * np.sin(X[:, 1] + X[:, 2])
    table = Table.from_arrays(X, y * (1 + 0.01 * rng.standard_normal(150)), rng=rng)
    search = discover(table, SearchConfig(max_evaluations=2000), rng)
    assert not any(snapshot.law.is_exact for snapshot in search if snapshot.law is not None)


@pytest.mark.parametrize(
    "X",
    [
        np.random.default_rng(0).uniform(size=(5, 2)),
        np.random.default_rng(0).integers(0, 3, size=(100, 3)),
        np.repeat(np.random.default_rng(0).uniform(-1, 1, size=(60, 1)), 2, axis=1) * [1.0, 2.0],
        np.random.default_rng(0).uniform(-1, 1, size=(100, 2)) * [1.0, 0.0] + [0.0, 1.0],
    ],
    ids=["five rows", "few values", "collinear", "constant column"],
)
@pytest.mark.filterwarnings("ignore::mosaic_sr.errors.MosaicWarning")
def test_awkward_tables_are_survived(X):
    y = X[:, 0] * 2.0 + X[:, -1] ** 2
    assert isinstance(peel(Table.from_arrays(X, y, rng=np.random.default_rng(0))), list)


def test_a_table_is_solved_through_a_smaller_one():
    table = table_of(lambda a, b, c: a * np.sin(b - c), 3)
    others = tuple(name for name in PROPOSERS if name not in ("reductions", "grammar"))
    config = SearchConfig(ProposalConfig(without=others), refinement=RefinementConfig(num_rounds=0))
    *_, last = discover(table, config, np.random.default_rng(0))
    assert last.law.is_exact
    assert last.law.found_by == "reductions"


@pytest.mark.parametrize(("slope", "exponent"), [(1.03, 1.0), (-0.52, -0.5), (0.34, 1 / 3), (8.0, np.nan)])
def test_exponents_become_simple_or_nothing(slope, exponent):
    np.testing.assert_equal(nearest_power(slope), exponent)


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link.name)
def test_standard_errors_follow_the_target_through_the_steps(link):
    columns = np.random.default_rng(0).uniform(1.0, 2.0, size=(1, 30))
    part = Number(parse("x + 1", ("x",)))
    smaller = SmallerTable((part,), (TakenPart(FACTOR, part), TakenPart(link, part)))
    target, sigma = 3.0 * columns[0], np.linspace(0.1, 0.2, 30)
    found = smaller.compute(Rows(columns, target, np.empty(0), sigma)).sigma
    ends = [smaller.compute(Rows(columns, target + side * 1e-6 * sigma, np.empty(0))).target for side in (-1.0, 1.0)]
    np.testing.assert_allclose(found, np.abs(ends[1] - ends[0]) / 2e-6, rtol=1e-5)
    assert not smaller.compute(Rows(columns, target, np.empty(0))).has_sigma
