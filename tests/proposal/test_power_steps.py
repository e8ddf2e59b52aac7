"""Powers of columns inside and in front of an unknown function are set right."""

import numpy as np
import pytest

from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.power_steps import Powers, best_powers, read_powers

NAMES = ("x", "y", "z")
BITS = 3.0


def found(start, inside, front, function, noise=0.02):
    """The powers that are found from a start in noisy rows of front times function of inside."""
    rng = np.random.default_rng(5)
    columns = rng.uniform(1.0, 4.0, (3, 400))
    powers = np.prod(np.power(columns, np.array([inside, front])[..., None]), axis=1)
    clean = powers[1] * function(powers[0])
    target = clean + noise * np.std(clean) * rng.standard_normal(400)
    return best_powers(start, columns, target, np.ones(400), BITS)


@pytest.mark.parametrize(
    "start",
    [
        Powers((1.0, -0.5, 0.0), (0.0, 2.0, -1.0)),
        Powers((1.0, -1.0, 0.0), (0.0, 1.5, -1.0)),
        Powers((0.5, -1.0, 0.0), (0.0, 2.0, -0.5)),
        Powers((1.0, -1.0, 0.5), (0.0, 2.0, -1.0)),
    ],
    ids=["inside", "in front", "both", "a column too many"],
)
def test_powers_that_are_half_a_step_off_are_set_right(start):
    powers = found(start, (1.0, -1.0, 0.0), (0.0, 2.0, -1.0), lambda u: u / np.expm1(u))
    # A function of x/y is one of (x/y)^2, too.
    inside = np.array(powers.inside) / powers.inside[0]
    assert inside.tolist() == [1.0, -1.0, 0.0]
    # What u = x/y has in front its function may have.
    assert powers.front[2] == -1.0
    assert powers.front[0] + powers.front[1] == 2.0


def test_right_powers_stay():
    right = Powers((1.0, -1.0, 0.0), (0.0, 2.0, -1.0))
    assert found(right, right.inside, right.front, lambda u: 1.0 / (1.0 + u)) == right


def test_whole_powers_take_fewer_bits():
    assert Powers((1.0, -1.0), (0.0, 0.0)).bits(BITS) < Powers((1.0, -0.5), (0.0, 0.0)).bits(BITS)


@pytest.mark.parametrize(
    ("quantity", "front", "powers"),
    [
        ("x/sqrt(y)", "z^2", Powers((1.0, -0.5, 0.0), (0.0, 0.0, 2.0))),
        ("x*y", None, Powers((1.0, 1.0, 0.0), (0.0, 0.0, 0.0))),
        ("x - y", "z", None),
        ("x", "1 + z", None),
    ],
)
def test_powers_are_read_where_there_are_no_sums(quantity, front, powers):
    parts = [None if part is None else parse(part, NAMES) for part in (quantity, front)]
    assert read_powers(*parts, 3) == powers


def test_powers_are_told_as_a_quantity_and_a_front():
    columns = np.random.default_rng(0).uniform(1.0, 2.0, (3, 5))
    quantity, front = Powers((1.0, -0.5, 0.0), (0.0, 2.0, -1.0)).expressions()
    assert evaluate_expression(quantity, columns) == pytest.approx(columns[0] / np.sqrt(columns[1]))
    assert evaluate_expression(front, columns) == pytest.approx(columns[1] ** 2 / columns[2])


def test_rows_without_a_value_are_no_choice():
    columns = np.vstack([np.linspace(-1.0, 1.0, 50), np.linspace(1.0, 2.0, 50)])
    start = Powers((1.0, 0.0), (0.0, 1.0))
    powers = best_powers(start, columns, columns[1] * columns[0], np.ones(50), BITS)
    with np.errstate(all="ignore"):
        assert np.all(np.isfinite(np.prod(np.power(columns, np.array(powers.inside)[:, None]), axis=0)))
