"""Fronts and rivals as tables and text."""

import math
from dataclasses import replace

import numpy as np
from noisy_outcomes import ROWS, equation, noisy_outcome

from mosaic_sr.expressions.digits import with_error
from mosaic_sr.report import (
    described_constants,
    front_lines,
    front_table,
    front_text,
    r_squared,
    rivals_table,
)


def test_the_law_is_marked_and_known_probabilities_are_shown():
    outcome = noisy_outcome()
    rival = equation("2.6*x^1.3")  # the form of a rival with other constants
    head, simple, law, other = front_lines((*outcome.front, rival), outcome.law)
    assert head.split() == ["index", "complexity", "validation", "loss", "R²", "probability", "equation"]
    assert simple.split() == ["0", "1", "1.00e+00", "0.00000", "4.5"]
    assert law.startswith(">>>>  ")
    assert law.split()[1:6] == ["1", "5", "1.00e-02", "0.99000", "0.60"]
    assert other.split()[4] == "0.30"
    assert len({line.index(cell) for line, cell in ((head, "equation"), (simple, "4.5"), (other, "2.6"))}) == 1


def test_a_clean_front_has_no_probabilities():
    outcome = noisy_outcome(None, ())
    assert "probability" not in front_text(outcome.front, outcome.law, "y")
    assert front_text(outcome.front, outcome.law, "y").endswith("\ny = 2*x + 1.5")


def test_the_table_of_the_front_has_probabilities_and_r_squared():
    outcome = noisy_outcome()
    table = front_table(outcome.front, outcome.law)
    assert table["picked"].tolist() == [False, True]
    assert table["r2"].tolist() == [0.0, 0.99]
    assert math.isnan(table["probability"][0])
    assert table["probability"][1] == 0.6


def test_rivals_are_a_table():
    outcome = noisy_outcome(rivals=(("2.5*x^1.2", 0.3), ("4.5", None)))
    table = rivals_table(outcome.law.ties)
    assert list(table.columns) == ["equation", "probability", "constants", "complexity", "lambda_format"]
    assert table["equation"].tolist() == ["2.5*x^1.2", "4.5"]
    assert table["constants"][0] == "2.500 ± 0.020, 1.200 ± 0.020"
    assert math.isnan(table["probability"][1])
    np.testing.assert_allclose(table["lambda_format"][0](ROWS.T), 2.5 * ROWS[0] ** 1.2)
    empty = rivals_table(())
    assert list(empty.columns) == list(table.columns)
    assert empty.empty


def test_numbers_that_were_set_have_no_error():
    assert with_error(1.5, 0.0) == "1.5"
    assert with_error(1.5, 0.02) == "1.500 ± 0.020"
    assert rivals_table([replace(equation("2.5*x^1.2"), standard_errors=(0.1, 0.0))])["constants"][0] == "2.50 ± 0.10"


def test_r_squared_is_1_only_without_errors():
    assert (r_squared(0.0), r_squared(1e-9), r_squared(0.25)) == ("1.00000", "0.99999", "0.75000")
    assert (r_squared(math.inf), r_squared(1e9)) == ("< -999", "< -999")


def test_whole_numbers_of_the_form_have_no_line():
    law = replace(equation("2.5*x/(1 + x)"), standard_errors=(0.02, 0.0))
    assert described_constants(law) == ["2.500 ± 0.020"]


def test_rounding_is_no_error_of_numbers_in_closed_form():
    law = replace(equation("6.283185307179586*sqrt(x/9.80665) + 3"), standard_errors=(4e-17, 1e-16, 1e-16))
    assert str(law).startswith("2*pi*sqrt")
    assert described_constants(law) == ["9.80665"]
    measured = replace(law, standard_errors=(0.02, 1e-16, 0.01))
    assert described_constants(measured) == ["6.283 ± 0.020", "9.80665", "3.000 ± 0.010"]
