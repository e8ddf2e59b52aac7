"""Holes are bound to columns: greedily, all ways, or by tree search, within the budget and again for the same seed."""

from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr.assignment import AssignmentConfig, assign
from mosaic_sr.events import Batch, Heartbeat, PathsTurn
from mosaic_sr.expressions.text import parse
from mosaic_sr.relevance import relevance
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Table

DEEP = "?*? + sin(?)/? + exp(?)"
GREEDY = AssignmentConfig(search="greedy")
TREES = AssignmentConfig(max_assignments=0)


def table_of(function, num_columns=3, num_rows=400):
    X = np.random.default_rng(0).uniform(0.5, 2.0, size=(num_rows, num_columns))
    return Table.from_arrays(X, function(*X.T), rng=np.random.default_rng(0))


def answers(table, config, *batches, seed=0, **sketch_settings):
    """What each text of each batch came to: a list of (name, equations)."""
    offered = [
        Batch(name, [Sketch(parse(text, table.names), 0.0, name, **sketch_settings) for text in texts])
        for name, texts in batches
    ]
    scores, rng = relevance(table.training), np.random.default_rng(seed)
    found = assign(offered, table, table.some_training(200), scores, config, rng)
    return [(fitted.proposer, fitted.equations) for fitted in found]


def equations(*arguments, **settings):
    return [equation for _, found in answers(*arguments, **settings) for equation in found]


def product_law(*x):
    return 3.0 * x[0] + x[1] * x[2]


def test_batches_keep_their_names_and_hold_fitted_equations_of_finite_error():
    table = table_of(lambda x, y, z: 2.5 * x * x)
    found = answers(table, AssignmentConfig(), ("first", ["_*?^2", "log(0*?)"]), ("second", ["?"]), ("third", []))
    assert [name for name, _ in found] == ["first", "second", "third"]
    best = min(found[0][1], key=lambda equation: equation.training.nmse)
    assert best.text(precision=6) == "2.5*x0^2"
    assert all(np.isfinite(equation.training.nmse) for _, batch in found for equation in batch)


def test_few_assignments_are_all_made_and_twins_once():
    found = equations(table_of(product_law), AssignmentConfig(max_assignments=9), ("a", ["?/?", "?*?"]))
    assert len({equation.text() for equation in found}) == len(found) == 9 + 6


def test_greedy_holes_take_the_relevant_columns_in_reading_order():
    table = table_of(lambda x, y, z: 5 * y + 2 * z + 0.1 * x)
    found = equations(table, GREEDY, ("a", [DEEP, "?"]))
    assert [equation.text() for equation in found] == ["x1*x2 + sin(x0)/x1 + exp(x2)", "x1"]


def test_the_column_weights_of_a_sketch_count():
    table = table_of(lambda x, y, z: 5 * y + 2 * z + 0.1 * x)
    found = equations(table, GREEDY, ("a", ["?/?"]), column_weights=(0.5, 0.01, 1.0))
    assert found[0].text() == "x2/x0"


def test_trees_find_the_columns_of_a_law_among_thousands_of_ways():
    table = table_of(lambda *x: 2.0 * x[4] * x[1] / (x[2] + x[5]) + x[0], num_columns=6)
    found = equations(table, TREES, ("a", ["_*?*?/(? + ?) + ?"]))
    assert min(equation.training.nmse for equation in found) < 1e-20
    assert len(found) <= 1 + TREES.expansions < 6**5


def test_the_budget_is_shared_by_the_sketches_of_a_batch():
    table = table_of(product_law, num_columns=6)
    found = answers(table, replace(TREES, expansions=50), ("a", [DEEP, "?*?*?*?", "?/?/?/?"]))
    assert sum(len(batch) for _, batch in found) <= 3 + 50


def test_equations_are_handed_on_before_a_batch_is_done():
    config = replace(TREES, expansions=100, fits_per_yield=20)
    found = answers(table_of(product_law, num_columns=6), config, ("a", [DEEP]))
    assert [name for name, _ in found] == ["a"] * len(found)
    assert len(found) >= 4
    assert max(len(batch) for _, batch in found) <= 20


def linear_law(*x):
    return 5 * x[1] + 2 * x[2] + 0.1 * x[0]


@pytest.mark.parametrize(("law", "is_searched"), [(linear_law, False), (product_law, True)])
def test_only_a_batch_that_greedy_holes_do_not_explain_is_searched(law, is_searched):
    found = equations(table_of(law), replace(TREES, trigger_nmse=1e-4), ("a", ["_*? + _*? + _*?", "?*?*?"]))
    assert (len(found) > 2) is is_searched


def test_the_same_seed_gives_the_same_equations():
    table = table_of(product_law, num_columns=5)
    one, same, other = (
        [equation.text() for equation in equations(table, replace(TREES, expansions=60), ("a", [DEEP]), seed=seed)]
        for seed in (1, 1, 2)
    )
    assert one == same != other


def test_what_is_no_batch_is_handed_on():
    table = table_of(product_law)
    rows, rng = table.some_training(200), np.random.default_rng(0)
    events = [Heartbeat("a"), PathsTurn()]
    assert list(assign(events, table, rows, relevance(table.training), GREEDY, rng)) == events
