"""The pool keeps one equation of each structure, the most probable first."""

import math

import numpy as np
import pytest

from mosaic_sr.equation import UNKNOWN, Equation, Errors, measure
from mosaic_sr.evidence import Pool
from mosaic_sr.evidence.pool import MOST_KEPT, rough_log_likelihood
from mosaic_sr.expressions.text import parse
from mosaic_sr.table import Rows

X = np.linspace(0.5, 3.0, 50)
ROWS = Rows(X[None], 2.0 * X + 0.01 * np.sin(99.0 * X), np.empty(0))


def equation(text):
    law = parse(text, "x")
    return Equation(law, ("x",), measure(law, ROWS), UNKNOWN, "test")


def test_the_more_probable_structure_comes_first():
    pool = Pool().merged([equation("exp(0.7*x)"), equation("2.001*x"), equation("2.001*x + 0.0001*sin(x)")], ROWS)
    assert str(pool.equations[0]) == "2.001*x"
    assert len(pool.equations) == 3


def test_one_structure_is_kept_once_with_its_best_constants():
    pool = Pool().merged([equation("1.7*x")], ROWS).merged([equation("x*2.001"), equation("1.9*x")], ROWS)
    assert [str(one) for one in pool.equations] == ["2.001*x"]


def test_the_order_in_which_equations_come_does_not_matter():
    laws = [equation(text) for text in ("1.9*x", "2.2*sin(x)", "x^1.7", "1.1*x + 0.9")]
    one, other = Pool().merged(laws, ROWS), Pool().merged(laws[::-1], ROWS)
    assert one == other


def test_a_full_pool_lets_the_worst_go():
    laws = [equation(f"{1.5 + 0.001 * i}*x^{i + 2}") for i in range(3)]
    laws += [equation("+".join([f"{0.01 * i}*x^{1.1 + 0.1 * k}" for k in range(i)])) for i in range(1, 12)]
    pool = Pool().merged(laws, ROWS)
    assert len(pool.entries) <= MOST_KEPT
    assert [entry.score for entry in pool.entries] == sorted((entry.score for entry in pool.entries), reverse=True)


def test_halving_the_error_gains_a_bit_per_row():
    rows = Rows(np.ones((1, 50)), np.linspace(-1.0, 1.0, 50), np.empty(0))
    gain = rough_log_likelihood(Errors(0.25e-2, 1.0), rows) - rough_log_likelihood(Errors(1e-2, 1.0), rows)
    assert gain == pytest.approx(50 * math.log(2.0))


def test_residuals_in_proportion_to_the_target_count_as_such():
    wide = Rows(np.ones((1, 50)), np.logspace(-6.0, 6.0, 50), np.empty(0))
    assert rough_log_likelihood(Errors(1e-4, 1e-4), wide) > rough_log_likelihood(Errors(1e-4, 1.0), wide)


def test_a_law_that_says_nothing_gains_nothing_by_decades_in_the_target():
    target = np.logspace(0.0, 4.0, 200)
    rows = Rows(target[None] ** 0.5, target, np.empty(0))
    nothing, mean = measure(parse("1e-9*x", "x"), rows), measure(parse(f"{target.mean()}", "x"), rows)
    assert rough_log_likelihood(nothing, rows) <= rough_log_likelihood(mean, rows)
