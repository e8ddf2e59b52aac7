"""Forward selection and backward elimination on systems whose solution is known."""

import numpy as np
import pytest

from mosaic_sr.proposal.regression.sparse import (
    System,
    eliminate_terms,
    measure_beyond_span,
    select_forward,
    solve_support,
)


def system(support, coefficients, offset=0.0, rows=120, terms=60, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, terms))
    target = offset + values[:, list(support)] @ np.asarray(coefficients)
    return System(np.ones(rows), values, target, 1e-12)


def test_forward_selection_reaches_the_floor_with_the_true_terms():
    levels = list(select_forward(system((3, 17, 40), (1.0, -2.0, 0.5), offset=4.0), 4, 1e6))
    assert levels[1][0].error > 1e-3
    assert set(levels[2][0].support) == {3, 17, 40}
    assert levels[2][0].error < 1e-12


def test_supports_of_a_level_are_distinct():
    for level in select_forward(system((1, 2), (1.0, 1.0)), 3, 1e6):
        assert len({combination.support for combination in level}) == len(level)


def test_elimination_leaves_the_true_terms_and_no_offset():
    found = eliminate_terms(system((3, 17, 40), (1.0, -2.0, 0.5)), tuple(range(60)))
    assert found is not None
    assert found.support == (3, 17, 40)
    assert found.coefficients == pytest.approx([0.0, 1.0, -2.0, 0.5], abs=1e-12)
    assert found.coefficients[0] == 0.0


def test_elimination_refuses_what_leaves_more_than_rounding():
    assert eliminate_terms(system((3, 17), (1.0, 1.0)), (3, 4, 5)) is None


def test_dependent_terms_are_spared():
    given = system((0, 1), (1.0, 1.0))
    twins = np.column_stack([given.values[:, :2], given.values[:, 0] + given.values[:, 1]])
    found = eliminate_terms(System(given.offset, twins, given.target, 1e-12), (0, 1, 2))
    assert found is not None
    assert found.support == (0, 1)


def test_span_is_told_for_each_target():
    given = system((3, 17), (1.0, 1.0), rows=200)
    other = np.random.default_rng(9).normal(size=200)
    inside, outside = measure_beyond_span(given.values, np.stack([given.target, other]))
    assert inside < 1e-13
    assert outside > 0.1


def test_errors_ignore_the_offset():
    given = system((3,), (1.0,), offset=1e6)
    assert solve_support(given, (4,)).error == pytest.approx(1.0, rel=0.1)


def test_a_margin_lets_in_what_leaves_a_little_more():
    given = system((3, 17), (1.0, 1.0))
    rough = System(given.offset, given.values, given.target + 1e-9 * given.values[:, 50], 1e-10)
    assert eliminate_terms(rough, (3, 4, 17)) is None
    found = eliminate_terms(rough, (3, 4, 17), margin=100.0)
    assert found is not None
    assert found.support == (3, 17)


def test_a_system_without_an_offset_is_searched():
    given = system((3, 17), (1.0, -2.0))
    levels = list(select_forward(System(np.zeros(120), given.values, given.target, 1e-12), 2, 1e6))
    assert set(levels[1][0].support) == {3, 17}
    assert levels[1][0].error < 1e-12
