"""Unknown functions of blocks of columns are read off the rows, whatever their signs."""

import numpy as np
import pytest

from mosaic_sr.proposal.reductions.separation import BlockForm, BlockFunctions, separate

PAIR = ((0,), (1,))


def scattered(num_columns=2, num_rows=300):
    return np.random.default_rng(0).uniform(0.2, 3.0, size=(num_columns, num_rows))


def grid(*sizes):
    axes = [np.sort(np.random.default_rng(size).uniform(0.2, 3.0, size)) for size in sizes]
    return np.array([axis.ravel() for axis in np.meshgrid(*axes)])


def is_multiple(values, truth):
    return np.allclose(values * (truth @ values) / (values @ values), truth, rtol=0, atol=1e-8 * np.abs(truth).max())


@pytest.mark.parametrize("columns", [scattered(), grid(60, 6)], ids=["scattered", "grid"])
def test_factors_with_zeros_are_found_up_to_their_size(columns):
    x, z = columns
    found = separate(BlockFunctions(columns), np.sin(3 * x) * (z - 1.5), BlockForm(PAIR, factors=(0, 1)))
    assert found.error < 1e-10
    assert is_multiple(found.factors[0], np.sin(3 * x))
    assert is_multiple(found.factors[1], z - 1.5)


@pytest.mark.parametrize("columns", [scattered(), grid(60, 6)], ids=["scattered", "grid"])
def test_terms_are_found_up_to_a_number(columns):
    x, z = columns
    found = separate(BlockFunctions(columns), np.exp(x) + 1 / (1 + z**2), BlockForm(PAIR, terms=(0, 1)))
    assert found.error < 1e-7
    assert np.std(found.terms[0] - np.exp(x)) < 1e-6


def test_a_function_beside_a_product_is_told_from_it():
    x, z = scattered()
    found = separate(
        BlockFunctions(np.array([x, z])), np.exp(-x) * z**2 + np.cos(z), BlockForm(PAIR, factors=(0, 1), terms=(1,))
    )
    assert found.error < 1e-8


def test_a_known_factor_settles_the_others():
    x, z = scattered()
    form = BlockForm(PAIR, factors=(0, 1), terms=(1,))
    found = separate(BlockFunctions(np.array([x, z])), np.exp(-x) * z**2 + np.cos(z), form, {0: np.exp(-x)})
    assert np.allclose(found.factors[0] * found.factors[1], np.exp(-x) * z**2, atol=1e-7)
    assert np.allclose(found.terms[1], np.cos(z), atol=1e-7)


def test_waves_are_followed():
    x, z = scattered(num_rows=600)
    assert separate(BlockFunctions(np.array([x, z])), np.sin(15 * x) * z, BlockForm(PAIR, factors=(0, 1))).error < 1e-6


@pytest.mark.parametrize(
    "form", [BlockForm(PAIR, factors=(0, 1)), BlockForm(PAIR, terms=(0, 1))], ids=["product", "sum"]
)
def test_what_does_not_separate_is_not_foretold(form):
    x, z = scattered()
    assert separate(BlockFunctions(np.array([x, z])), np.sin(x * z), form).error > 0.05


def test_noise_is_not_foretold():
    columns = scattered()
    noise = np.random.default_rng(1).standard_normal(columns.shape[1])
    assert separate(BlockFunctions(columns), noise, BlockForm(PAIR, terms=(0, 1))).error > 0.5


def test_too_few_rows_give_no_answer():
    columns = scattered(num_rows=10)
    assert separate(BlockFunctions(columns), columns.sum(axis=0), BlockForm(PAIR, factors=(0, 1), terms=(1,))) is None
