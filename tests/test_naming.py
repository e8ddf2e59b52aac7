"""Names of laws as people read them."""

import math

import pytest

from mosaic_sr.naming import NamedConstant, NamedLaw

SHOWN = {
    (96.09, 0.37): "96.09 ± 0.37",
    (0.4075, 0.0013): "0.4075 ± 0.0013",
    (53190.0, 203.0): "53190 ± 200",
    (3.15e9, 2.3e8): "3.15e+09 ± 2.3e+08",
    (1.2e-7, 3e-9): "1.200e-07 ± 3.0e-09",
    (0.0, 0.1): "0.0 ± 0.10",
    (5.0, 0.0): "5",
    (9.81, 1e-15): "9.81",
    (2.5, math.nan): "2.5",
    (1e-300, 1e-302): "1.000e-300 ± 1.0e-302",
}


@pytest.mark.parametrize(("value", "error", "text"), [(*numbers, text) for numbers, text in SHOWN.items()])
def test_a_constant_is_shown_to_the_digits_of_its_error(value, error, text):
    assert str(NamedConstant("c", "capacity", value, error)) == f"capacity {text}"


def test_a_sentence_has_names_and_constants():
    constants = (NamedConstant("K", "capacity", 96.0, 1.1), NamedConstant("r", "rate", 0.41, 0.01))
    assert NamedLaw("logistic growth", "ecology", "", (), constants).sentence() == (
        "logistic growth, capacity 96.0 ± 1.1, rate 0.410 ± 0.010"
    )
    named = NamedLaw("power law", "general", "", ("a", "b", "c", "d", "e"), has_offset=True)
    assert named.sentence() == "power law plus a constant (also a, b, c and 2 others)"
