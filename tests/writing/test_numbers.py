"""Numbers in print."""

import math

import pytest

from mosaic_sr.writing.numbers import Unwritable, as_fraction, clean, printed_digits


@pytest.mark.parametrize(
    ("value", "digits"),
    [(2.12, 3), (0.6253687315634219, 16), (0.5, 1), (120.0, 3), (1e20, 1), (6.6743e-11, 5), (math.pi, 1), (1 / 3, 4)],
)
def test_digits_of_a_number(value, digits):
    assert printed_digits(value) == digits


def test_an_error_leaves_fewer_digits():
    assert printed_digits(0.6253687315634219, 3) == 3
    assert printed_digits(2.0, 3) == 1


@pytest.mark.parametrize(
    ("rounded", "expected"),
    [(0.30000000000000004, 0.3), (11.999999999999998, 12.0), (4.7333333333333325, 14.2 / 3), (0.1234567890123, None)],
)
def test_rounding_is_taken_back(rounded, expected):
    assert clean(rounded) == (rounded if expected is None else expected)


def test_a_number_that_is_not_finite_has_no_form():
    with pytest.raises(Unwritable):
        clean(math.inf)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1 / 512, (1.0, 512.0)),
        (1 / (4 * math.pi), (1.0, 4 * math.pi)),
        (0.5, (0.5, 1.0)),
        (2.5, (2.5, 1.0)),
        (1 / 273.15, (1.0, 273.15)),
    ],
)
def test_fractions_have_the_fewest_digits(value, expected):
    assert as_fraction(clean(value)) == expected
