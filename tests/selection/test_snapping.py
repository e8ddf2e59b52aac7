"""Which simple numbers a fitted constant may stand for."""

import math

import pytest

from mosaic_sr.equation import UNKNOWN, Equation
from mosaic_sr.expressions.text import parse
from mosaic_sr.selection.codata import name_of, physical_constants
from mosaic_sr.selection.snapping import asking_order, simple_values


@pytest.mark.parametrize(
    ("value", "error", "simple"),
    [
        (2.013, 0.01, 2.0),
        (0.33331, 1e-4, 1 / 3),
        (6.2831, 1e-4, 2 * math.pi),
        (-1.5707, 1e-4, -math.pi / 2),
        (0.0795775, 1e-6, 1 / (4 * math.pi)),
        (2.50663, 1e-5, math.sqrt(2 * math.pi)),
        (9.8101, 1e-3, 9.81),
        (1.7724539, 1e-6, math.sqrt(math.pi)),
    ],
)
def test_a_number_within_its_error_of_a_simple_one_may_be_that(value, error, simple):
    assert simple_values(value, error, is_exact=False)[0] == pytest.approx(simple, rel=1e-15)


def test_a_large_whole_number_saves_nothing():
    assert simple_values(37411.8, 0.5, is_exact=False) == []


def test_a_number_beyond_its_error_stays():
    assert 3.0 not in simple_values(3.01, 1e-3, is_exact=False)


def test_what_the_rows_hardly_determine_has_no_simple_value():
    assert simple_values(1.9, 1.0, is_exact=False) == []


def test_constants_of_exact_laws_reach_further_than_their_errors():
    assert simple_values(2.9999999999, 1e-17, is_exact=True)[0] == 3.0


def test_physical_constants_come_last_and_need_six_digits():
    assert simple_values(1.3806489e-23, 3e-30, is_exact=False)[-1] == pytest.approx(1.380649e-23, rel=1e-12)
    assert 1.380649e-23 not in simple_values(1.3807e-23, 1e-27, is_exact=False)


def test_exponents_are_asked_first_then_the_surest():
    law = Equation(parse("3.1*x^1.9 + 2.2*x", ["x"]), ("x",), UNKNOWN, UNKNOWN, "test", False, (0.1, 0.1, 0.01))
    assert asking_order(law) == [1, 2, 0]


def test_every_physical_constant_is_known_by_its_name():
    for known in physical_constants():
        assert name_of(-known.value) == known.name
    assert name_of(2.5) == ""
