"""Holes are bound to columns, the relevant ones first."""

import numpy as np

from mosaic_sr.assignment import AssignmentConfig, assign, bindings
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.relevance import relevance
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows

NAMES = ("x0", "x1", "x2")


def rows_of(function, num_rows=400):
    columns = np.random.default_rng(0).uniform(-2.0, 2.0, size=(3, num_rows))
    return Rows(columns, function(*columns), np.empty(0))


def test_few_assignments_are_all_made():
    texts = {to_text(e, NAMES) for e in bindings(parse("?/?", NAMES), np.ones(3), 9, np.random.default_rng(0))}
    assert texts == {f"{a}/{b}" for a in NAMES for b in NAMES}


def test_many_assignments_begin_with_the_greedy_one_and_favour_relevant_columns():
    scores = np.array([0.1, 0.9, 0.0])
    bound = list(bindings(parse("?*?*?*?*?", NAMES), scores, 200, np.random.default_rng(0)))
    assert len(bound) == 200
    assert to_text(bound[0], NAMES) == "x1*x0*x2*x1*x0"
    counts = np.bincount(np.concatenate([expression.slots[expression.codes == 0] for expression in bound]), minlength=3)
    assert counts[1] > counts[0] > counts[2] > 0


def test_a_bound_sketch_is_left_as_it_is():
    assert len(list(bindings(parse("x0 + 1", NAMES), np.ones(3), 5, np.random.default_rng(0)))) == 1


def test_relevance_sees_slopes_and_waves_and_not_noise():
    scores = relevance(rows_of(lambda x, y, z: 2 * x + 2 * np.sin(2 * y)))
    assert scores[0] > scores[1] > 3 * scores[2]


def test_batches_hold_fitted_equations_of_finite_error():
    rows = rows_of(lambda x, y, z: 2.5 * x * x)
    sketches = [Sketch(parse(text, NAMES), 0.0, "test") for text in ("_*?^2", "log(?)", "?")]
    offered = [("first", sketches[:2]), ("second", sketches[2:]), ("third", [])]
    answers = list(assign(offered, rows, NAMES, relevance(rows), AssignmentConfig(), np.random.default_rng(0)))
    assert [name for name, _ in answers] == ["first", "second", "third"]
    batches = [equations for _, equations in answers]
    best = min(batches[0], key=lambda equation: equation.training.nmse)
    assert best.text(precision=6) == "2.5*x0^2"
    assert all(np.isfinite(equation.training.nmse) for batch in batches for equation in batch)
