"""Two functions of one column are told from their coefficients."""

import numpy as np
import pytest

from mosaic_sr.expressions.text import to_text
from mosaic_sr.proposal.reductions.separation import BlockFunctions
from mosaic_sr.proposal.reductions.two_shapes import Cut, best_shapes, find_span

CUT = Cut((0,), (1,))


def blocks():
    return BlockFunctions(np.random.default_rng(0).uniform(0.3, 3.0, size=(2, 400)))


def test_shapes_and_their_coefficients_are_found():
    place = blocks()
    x, z = place.columns
    target = x * np.sin(z) + np.exp(-z) / np.sqrt(x)
    span, shapes = best_shapes(place, target, find_span(place, target, CUT))
    assert span.error < 1e-8
    assert {to_text(shape, ("x", "z")).split("*")[1] for shape in shapes} == {"x", "sqrt(x)^-1"}
    np.testing.assert_allclose(np.sum(span.functions * span.coefficients, axis=1), target, atol=1e-7)


@pytest.mark.parametrize("law", [lambda x, z: np.exp(3 * np.sin(x * z)), lambda x, z: np.sin(9 * x * z)])
def test_what_has_more_functions_is_not_foretold(law):
    place = blocks()
    assert find_span(place, law(*place.columns), CUT).error > 0.02


def test_functions_that_are_no_simple_shapes_have_none():
    place = blocks()
    x, z = place.columns
    target = np.tanh(3 * x - 4) * np.sin(z) + np.exp(np.sin(x)) * z
    assert best_shapes(place, target, find_span(place, target, CUT)) is None


def test_too_few_rows_give_no_answer():
    assert find_span(BlockFunctions(np.random.default_rng(0).uniform(size=(2, 10))), np.arange(10.0), CUT) is None
