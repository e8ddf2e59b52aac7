"""Random numbers of compiled code: even, in range, repeatable."""

import numpy as np

from mosaic_sr.kernel.jit import IS_DISABLED, OUT, compiled
from mosaic_sr.refinement.chance import OUT_STATE, below, drawn, make_state, uniform


@compiled(f"void({OUT_STATE}, {OUT}, int64[::1], int64[::1], {OUT})")
def draw_all(state, numbers, integers, indices, cumulative):
    for i in range(len(numbers)):
        numbers[i] = uniform(state)
        integers[i] = below(state, 7)
        indices[i] = drawn(state, cumulative, len(cumulative))


def draws(seed):
    count = 500 if IS_DISABLED else 50_000
    numbers, integers, indices = np.empty(count), np.empty(count, np.int64), np.empty(count, np.int64)
    draw_all(make_state(np.random.default_rng(seed)), numbers, integers, indices, np.array([0.5, 0.7, 1.0]))
    return numbers, integers, indices


def test_numbers_are_even_and_in_range():
    numbers, integers, indices = draws(0)
    tolerance = 4 / np.sqrt(len(numbers))
    assert numbers.min() >= 0.0
    assert numbers.max() < 1.0
    assert abs(numbers.mean() - 0.5) < tolerance
    assert abs(np.corrcoef(numbers[1:], numbers[:-1])[0, 1]) < tolerance
    np.testing.assert_allclose(np.bincount(integers, minlength=7) / len(integers), 1 / 7, atol=tolerance)
    np.testing.assert_allclose(np.bincount(indices) / len(indices), [0.5, 0.2, 0.3], atol=tolerance)


def test_the_same_state_gives_the_same_numbers():
    for one, two in zip(draws(3), draws(3), strict=True):
        np.testing.assert_array_equal(one, two)
    assert not np.array_equal(draws(3)[0], draws(4)[0])
