"""Axes: round ticks, factors, logarithms, and numbers of any size."""

import numpy as np
import pytest

from mosaic_sr.pictures.axes import axes_of, axis_for
from mosaic_sr.pictures.picture import Curve, Picture, Points


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.0, 10.0, ["0", "2", "4", "6", "8", "10"]),
        (-0.4, 0.4, ["−0.4", "−0.2", "0.0", "0.2", "0.4"]),
        (1000.0001, 1000.0003, ["1000.00010", "1000.00020", "1000.00030"]),
        (0.0, 250_000.0, ["0", "100000", "200000"]),
    ],
)
def test_ticks_are_round_numbers_with_the_digits_they_need(low, high, labels):
    shown = [label for _, label in axis_for([np.array([low, high])], False).ticks]
    assert set(labels) <= set(shown)
    assert len(shown) == len(set(shown)) <= 12


def test_sizes_far_from_1_have_a_factor_in_the_label():
    axis = axis_for([np.array([-3e-16, 3e-16])], False)
    assert axis.factor == "×10⁻¹⁶"
    assert [label for _, label in axis.ticks] == ["−3", "−2", "−1", "0", "1", "2", "3"]


@pytest.mark.parametrize("size", [1e-310, 1e-300, 1.0, 1e300, 1.7e308])
@pytest.mark.parametrize("is_log", [False, True])
def test_every_size_has_an_axis(size, is_log):
    values = np.array([0.5 * size, size])
    axis = axis_for([values], is_log)
    places = axis.place(values)
    assert np.isfinite(places).all()
    assert (places >= 0.0).all()
    assert (places <= 1.0).all()


@pytest.mark.parametrize("is_log", [False, True])
def test_one_number_and_none_have_an_axis(is_log):
    assert 0.0 < float(axis_for([np.array([7.0])], is_log).place(np.array([7.0]))[0]) < 1.0
    assert axis_for([np.array([np.nan])], is_log).ticks


def test_logarithmic_ticks_are_decades():
    labels = [label for _, label in axis_for([np.array([1e-9, 1e3])], True).ticks]
    assert labels[0].startswith("10⁻")
    assert len(labels) <= 8
    near = [label for _, label in axis_for([np.array([1.0, 30.0])], True).ticks]
    assert near == ["1", "2", "5", "10", "20"]


def test_a_pole_does_not_flatten_the_rows():
    x = np.linspace(0.0, 1.0, 50)
    rows = Points(x, x)
    curve = Curve(x, 1.0 / (x + 1e-9))
    _, vertical = axes_of(Picture("response", "t", "x", "y", points=rows, curves=(curve,)))
    assert vertical.high < 3.0


def test_an_empty_picture_has_no_axes():
    assert axes_of(Picture("fit", "t", "x", "y")) is None
