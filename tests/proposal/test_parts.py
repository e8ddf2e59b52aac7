"""Tables that separate are split, their parts searched, and the laws put together."""

import warnings

import numpy as np
import pytest

from mosaic_sr.equation import Equation, measure
from mosaic_sr.exactness import is_exact
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.context import ProposalContext, Signal
from mosaic_sr.proposal.reductions.parts import PartSearch, propose_parts
from mosaic_sr.proposal.reductions.splits import find_further_splits, find_plain_splits
from mosaic_sr.relevance import relevance
from mosaic_sr.table import Table
from tests.proposal.questions import sketches_in


def table_of(text, num_columns, sizes=None, num_rows=300):
    rng = np.random.default_rng(0)
    X = rng.uniform(0.2, 3.0, size=(num_rows, num_columns))
    if sizes is not None:
        axes = [np.sort(rng.uniform(0.2, 3.0, size)) for size in sizes]
        X = np.stack([axis.ravel() for axis in np.meshgrid(*axes)], axis=1)
    names = tuple(f"x{column}" for column in range(num_columns))
    return Table.from_arrays(X, evaluate_expression(parse(text, names), np.ascontiguousarray(X.T)), rng=rng)


def drained(trying):
    """What is returned once all signs of life have been heard."""
    while True:
        try:
            assert next(trying) is Signal.HEARTBEAT
        except StopIteration as end:
            return end.value


def all_splits(table):
    return [*drained(find_plain_splits(table)), *drained(find_further_splits(table))]


def knows(*laws):
    """An explorer that knows some laws of x0 and x1 up to a number before and a number beside them."""

    def explore(table):
        found = []
        for law in laws:
            expression = parse(law, ("x0", "x1"))
            if max(expression.columns) < table.num_columns:
                values = evaluate_expression(expression, table.training.columns)
                slope, offset = np.polyfit(values, table.training.target, 1)
                near = parse(f"{float(slope)!r}*({law}) + {float(offset)!r}", ("x0", "x1"))
                errors = measure(near, table.training)
                found.append(Equation(near, table.names, errors, errors, "test"))
        return tuple(sorted(found, key=lambda law: -law.training.nmse))

    return explore


def put_together(table, explore):
    context = ProposalContext(
        table, table.some_training(200), np.ones(table.num_columns), NAMES, lambda table: None, explore=explore
    )
    search = PartSearch(context, np.random.default_rng(0))
    return [sketch.expression for batch in sketches_in(search.propose()) for sketch in batch]


@pytest.mark.parametrize("sizes", [None, (40, 8)], ids=["scattered", "grid"])
@pytest.mark.parametrize(
    ("text", "laws"),
    [
        ("sin(3*x0)*(x1 - 1.5)", ("sin(3*x0)", "x0")),
        ("exp(x0) + cos(x1)", ("exp(x0)", "cos(x0)")),
        ("1/(x0^2 + exp(x1))", ("x0^2", "exp(x0)")),
        ("(cos(x0) + 2)*exp(x1) + 5", ("cos(x0)", "exp(x0)")),
        ("cos(x0)*x1^2 + sin(x1)", ("cos(x0)", "x0^2", "sin(x0)")),
    ],
)
def test_laws_of_parts_make_the_law(text, laws, sizes):
    table = table_of(text, 2, sizes)
    found = put_together(table, knows(*laws))
    assert min(measure(law, table.validation).nmse for law in found) < 1e-14


@pytest.mark.parametrize(
    ("text", "num_columns", "laws"),
    [
        ("exp(4*x0^2 + 5*sin(2*x1))", 2, ("x0^2", "sin(2*x0)")),
        ("exp(2*x0^2 + x1*sin(2*x2))", 3, ("x0^2", "x0*sin(2*x1)")),
    ],
)
def test_products_over_many_decades_are_sums_of_logarithms(text, num_columns, laws):
    table = table_of(text, num_columns)
    found = put_together(table, knows(*laws))
    assert min(measure(law, table.validation).nmse for law in found) < 1e-8


def test_parts_are_found_among_columns_of_no_use():
    table = table_of("sin(3*x2)*(x6 - 1.5)", 8)
    context = ProposalContext(
        table, table.some_training(200), relevance(table.training), NAMES, lambda table: None,
        explore=knows("sin(3*x0)", "x0"),
    )  # fmt: skip
    batches = sketches_in(propose_parts(context, np.random.default_rng(0)))
    laws = [sketch.expression for batch in batches for sketch in batch]
    assert any(law.columns == (2, 6) and is_exact(law, table.validation, table) for law in laws)


def test_what_is_left_of_several_columns_is_split_again():
    table = table_of("cos(x0)*(exp(x1) + x2^2)", 3)
    found = put_together(table, knows("cos(x0)", "exp(x0)", "x0^2"))
    assert min(measure(law, table.validation).nmse for law in found) < 1e-14


def test_a_part_without_a_law_leaves_a_seed():
    table = table_of("exp(x0)*tanh(x1 - 1)", 2)
    found = put_together(table, knows("exp(x0)", "x0"))
    assert found
    assert not any(is_exact(law, table.validation, table) for law in found)


def test_a_number_for_each_value_is_no_law():
    table = table_of("exp(x0)*tanh(x1 - 1)", 2, sizes=(60, 4))
    through_all = "+".join(f"{number}*x0^{power}" for power, number in enumerate((0.1, 0.2, 0.3, 0.4)))
    assert not put_together(table, knows("exp(x0)", through_all))[1:]


@pytest.mark.parametrize("text", ["sin(x0*x1)", "log(x0 + x1*x0^2)"])
def test_what_does_not_separate_is_not_split(text):
    assert all_splits(table_of(text, 2)) == []


def test_noise_is_not_split():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.2, 3.0, size=(300, 3))
    y = X[:, 0] * np.sin(X[:, 1]) + X[:, 2]
    table = Table.from_arrays(X, y * (1 + 0.01 * rng.standard_normal(300)), rng=rng)
    assert all_splits(table) == []


@pytest.mark.parametrize(
    "X",
    [
        np.random.default_rng(0).uniform(size=(5, 2)),
        np.random.default_rng(0).integers(0, 3, size=(100, 3)) * 1.0,
        np.repeat(np.random.default_rng(0).uniform(-1, 1, size=(60, 1)), 2, axis=1) * [1.0, 2.0],
        np.random.default_rng(0).uniform(-1, 1, size=(100, 2)) * [1e-30, 1e30],
        np.random.default_rng(0).uniform(-1, 1, size=(100, 2)) * [1e8, 1.0] + [0.0, 1e8],
    ],
    ids=["five rows", "few values", "collinear", "far scales", "narrow column"],
)
def test_awkward_tables_are_survived(X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = Table.from_arrays(
            X, X[:, 0] * 2.0 + np.exp(X[:, -1] / np.abs(X[:, -1]).max()), rng=np.random.default_rng(0)
        )
    assert isinstance(put_together(table, knows("x0")), list)
