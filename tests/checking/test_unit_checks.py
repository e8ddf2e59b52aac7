"""Findings on units: numbers that do not suit them, and columns that cannot give the target's."""

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import check

R = np.random.default_rng(0).uniform(1.0, 2.0, 40)
WHOLE = np.arange(40.0) * 9.0

MISTAKES = [
    ("angle [rad]", WHOLE, "probably degrees"),
    ("angle [deg]", R, "probably radians"),
    ("T [K]", R * 20.0 - 30.0, "below absolute zero"),
    ("share [%]", R / 2.0, "probably shares"),
]


def units_found(frame, target, name):
    return [finding.text for finding in check(frame, target, target_name=name).findings if finding.topic == "units"]


@pytest.mark.parametrize(("name", "values", "words"), MISTAKES)
def test_numbers_that_do_not_suit_their_unit_are_found(name, values, words):
    found = units_found(pd.DataFrame({name: values, "r [m]": R[::-1]}), R * 3.0, "y [m]")
    assert any(words in text and repr(name) in text for text in found)


@pytest.mark.parametrize(
    ("name", "values"), [("angle [rad]", R), ("angle [deg]", WHOLE), ("T [K]", R + 290.0), ("share [%]", R * 50.0)]
)
def test_numbers_that_suit_their_unit_are_not(name, values):
    found = units_found(pd.DataFrame({name: values, "r [m]": R[::-1]}), R * 3.0, "y [m]")
    assert not any("probably" in text for text in found)


def test_a_target_whose_unit_no_column_has_is_noted():
    found = units_found(pd.DataFrame({"L [m]": R}), R * 3.0, "period [s]")
    assert any("cannot give 'period [s]' its unit s: no column has s" in text for text in found)


def test_a_column_whose_unit_does_not_cancel_is_noted():
    found = units_found(pd.DataFrame({"L [m]": R, "g [m/s^2]": R**2, "m [kg]": R**3}), R * 3.0, "period [s]")
    assert any("the unit of column 'm [kg]' does not cancel" in text for text in found)
