"""Waves: frequencies are refined to the last digits beside a background, also several at once."""

import numpy as np
import pytest

from mosaic_sr.expressions.expression import constant
from mosaic_sr.proposal.regression.projection import make_background, solve_scaled
from mosaic_sr.proposal.waves.phases import Phase, Piece
from mosaic_sr.proposal.waves.wave import Wave, refine_waves

RNG = np.random.default_rng(4)
X, Z = RNG.uniform(0.0, 10.0, (2, 300))
ONES = np.ones(300)


def wave_of(frequencies, arguments, amplitude=ONES):
    return Wave(frequencies, Phase(arguments, write=None), Piece(constant(1.0), amplitude))


def test_what_a_background_leaves_has_none_of_it_even_with_dependent_terms():
    terms = np.array([ONES, X, 2.0 * X + 1.0, X**2, np.zeros(300), np.exp(X)])
    rest = make_background(terms).without(3.0 + X - 2.0 * X**2 + 1e-3 * np.exp(X))
    assert np.max(np.abs(rest)) < 1e-9
    assert np.std(make_background(terms).without(np.sin(9.0 * X))) > 0.5


def test_two_waves_are_refined_together_beside_a_background():
    target = 2.0 + 0.3 * X + X * np.sin(40.0 * X) + 0.7 * np.cos(13.0 * Z + 1.0)
    starts = [wave_of((40.1,), X[None], X), wave_of((13.1,), Z[None])]
    found = refine_waves(starts, make_background(np.array([ONES, X])), target)
    assert [wave.frequencies[0] for wave in found] == pytest.approx([40.0, 13.0], rel=1e-12)


def test_a_wave_of_three_arguments_is_refined_in_all():
    arguments = np.array([X, Z, X * Z])
    target = np.sin(arguments.T @ [3.0, -2.0, 5.0] + 0.3)
    (found,) = refine_waves([wave_of((3.05, -2.04, 5.004), arguments)], make_background(ONES[None]), target)
    assert found.frequencies == pytest.approx((3.0, -2.0, 5.0), rel=1e-10)


def test_periods_are_those_of_the_fastest_argument():
    wave = wave_of((2.0 * np.pi, 0.1), np.array([X, Z]))
    assert wave.num_periods == pytest.approx(np.ptp(X))


def test_terms_of_no_size_get_no_trouble():
    assert solve_scaled(np.array([ONES, np.zeros(300)]).T, 2.0 * ONES).tolist() == pytest.approx([2.0, 0.0])
