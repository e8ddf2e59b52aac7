"""The rounding of a column is read from its numbers."""

import numpy as np
import pytest

from mosaic_sr.table.resolution import Resolution, Rounding, find_resolution


def wide(seed=0, size=300):
    return 10 ** np.random.default_rng(seed).uniform(-3, 3, size) * np.random.default_rng(seed + 1).choice(
        [-1, 1], size
    )


def narrow(seed=0, size=300):
    return np.random.default_rng(seed).uniform(1, 9, size)


def significant(values, digits):
    return np.array([float(f"{value:.{digits - 1}e}") for value in values])


def as_text(values):
    return np.array([float(str(value)) for value in values.astype(np.float32)])


CASES = {
    "full precision": (wide(), Rounding.FLOAT64, 0),
    "full precision in one decade": (narrow(), Rounding.FLOAT64, 0),
    "tiny": (wide() * 1e-33, Rounding.FLOAT64, 0),
    "float32": (wide().astype(np.float32).astype(float), Rounding.FLOAT32, 0),
    "float32 small": (np.float32(wide() * 1e-30).astype(float), Rounding.FLOAT32, 0),
    "float32 large": (np.float32(np.abs(wide()) * 1e10).astype(float), Rounding.FLOAT32, 0),
    "float32 large and small": (np.float32(wide() * 1e6).astype(float), Rounding.FLOAT32, 0),
    "counts of people": (np.rint(np.abs(wide()) * 1e7), Rounding.FLOAT64, 0),
    "round whole numbers": (significant(np.abs(wide()) * 1e7, 2), Rounding.FLOAT64, 0),
    "float32 text": (as_text(wide()), Rounding.FLOAT32, 0),
    "float32 text in one decade": (as_text(narrow()), Rounding.FLOAT32, 0),
    "two decimals": (np.round(wide() * 10, 2), Rounding.DECIMALS, 2),
    "six decimals": (np.round(wide(), 6), Rounding.DECIMALS, 6),
    "six decimals in one decade": (np.round(narrow(), 6), Rounding.DECIMALS, 6),
    "three digits": (significant(wide(), 3), Rounding.SIGNIFICANT, 3),
    "seven digits": (significant(wide(), 7), Rounding.SIGNIFICANT, 7),
    "fifteen digits": (significant(wide(), 15), Rounding.SIGNIFICANT, 15),
    "four digits of masses": (significant(np.abs(wide()) * 1e27, 4), Rounding.SIGNIFICANT, 4),
    "counts": (np.arange(1.0, 60.0) ** 2, Rounding.FLOAT64, 0),
    "even grid": (np.arange(0.1, 5.0, 0.1).round(1), Rounding.FLOAT64, 0),
    "even grid by linspace": (np.linspace(0, 1, 21), Rounding.FLOAT64, 0),
    "quarters": (np.array([0.25, 1.5, 3.75, 4.0, 6.5, 8.0, 9.25]), Rounding.FLOAT64, 0),
    "two levels": (np.array([0.1, 0.3, 0.1, 0.3]), Rounding.FLOAT64, 0),
}


@pytest.mark.parametrize("case", CASES)
def test_the_rounding_is_found(case):
    values, rounding, digits = CASES[case]
    found = find_resolution(values)
    assert (found.rounding, found.digits) == (rounding, digits)


@pytest.mark.parametrize("case", CASES)
def test_the_rounding_is_the_same_behind_a_scale(case):
    values = CASES[case][0]
    for exponent in (-40, 0, 7):
        scaled = np.ldexp(values, -exponent)
        found = find_resolution(scaled, exponent)
        assert found.rounding is find_resolution(values).rounding
        expected = np.ldexp(find_resolution(values).quantum(values), -exponent)
        np.testing.assert_array_equal(found.quantum(scaled), expected)


def test_the_ends_of_float64_have_a_quantum():
    values = np.array([1.7e308, -1.7e308, 2.3e-300, 5e-324, 0.0])
    quantum = find_resolution(values).quantum(values)
    assert np.all(np.isfinite(quantum))
    assert np.all(quantum > 0)


@pytest.mark.parametrize("digits", [2, 4, 6])
def test_rounding_moves_a_number_by_at_most_half_a_quantum(digits):
    exact = wide(seed=5)
    rounded = {
        Resolution(Rounding.DECIMALS, digits): np.round(exact, digits),
        Resolution(Rounding.SIGNIFICANT, digits): significant(exact, digits),
        Resolution(Rounding.FLOAT32): exact.astype(np.float32).astype(float),
    }
    for resolution, values in rounded.items():
        assert np.all(np.abs(values - exact) <= 0.5001 * resolution.quantum(values))


def test_the_quantum_is_never_finer_than_float64():
    values = np.array([0.0, 1.0, 1e20])
    for rounding in Rounding:
        assert np.all(Resolution(rounding, 12).quantum(values) >= np.spacing(values))
