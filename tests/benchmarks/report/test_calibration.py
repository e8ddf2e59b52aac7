"""Stated probabilities against what came true."""

import math

import pytest

from benchmarks.report.calibration import SILENT, calibration_sections, in_bins, log_score
from tests.benchmarks.result_lines import make_result


def line(index, probability, structure, suite="measured-1"):
    problem = f"{suite}-{index:03d}-r100-n2"
    return make_result(problem, suite, strict=False, structure=structure, probability=probability)


def test_the_log_score_is_the_mean_logarithm_of_what_was_stated_for_what_came_true():
    results = [line(0, 0.8, True), line(1, 0.8, False)]
    assert log_score(results) == pytest.approx((math.log(0.8) + math.log(0.2)) / 2)
    assert log_score(results, 0.5) == pytest.approx(math.log(0.5))


def test_a_wrong_certainty_costs_much_and_not_infinitely_much():
    assert -10.0 < log_score([line(0, 1.0, False)]) < -9.0
    assert log_score([line(0, 1.0, True)]) == pytest.approx(0.0, abs=1e-3)


def test_laws_are_put_into_bins_by_what_is_stated():
    results = [line(index, probability, True) for index, probability in enumerate((0.0, 0.1, 0.29, 0.9, 1.0))]
    assert [(low, high, len(inside)) for low, high, inside in in_bins(results)] == [
        (0.0, 0.1, 1),
        (0.1, 0.3, 2),
        (0.9, 1.0, 2),
    ]


def test_the_section_compares_statements_with_shares():
    results = [line(index, 0.95, index > 0) for index in range(10)]
    results += [line(index, 0.4, index < 4, "unseen") for index in range(10)]
    (section,) = calibration_sections(results)
    score = log_score(results[:10])
    constant = 0.9 * math.log(0.9) + 0.1 * math.log(0.1)
    first = f"| mosaic (10 s) | measured-1 | 10 | 90.0 | 10 | {score:.3f} | {constant:.3f} | 100.0 | 90.0 |"
    assert first in section.text
    assert "| mosaic (10 s) | unseen | 10 | 40.0 | 10 |" in section.text
    assert "| mosaic (10 s) | measured-1 | 0.9 to 1 | 10 | 95.0 | 90.0 |" in section.text
    assert "| mosaic (10 s) | unseen | 0.3 to 0.5 | 10 | 40.0 | 40.0 |" in section.text
    assert SILENT not in section.text
    (figure,) = section.figures
    assert [panel.title for panel in figure.panels] == ["measured-1", "unseen"]
    assert figure.panels[0].series[1].x == pytest.approx((0.95,))
    assert figure.panels[0].series[1].y == pytest.approx((0.9,))


def test_lines_that_state_nothing_are_said_to_state_nothing():
    (section,) = calibration_sections([line(0, None, True), line(1, None, False)])
    assert "| mosaic (10 s) | measured-1 | 2 | 50.0 | 0 | – | – | – | – |" in section.text
    assert SILENT in section.text
    assert section.figures == ()


def test_tables_that_settings_are_tuned_on_say_nothing_of_calibration():
    assert calibration_sections([line(0, 0.9, True, "measured")]) == []
    assert calibration_sections([make_result(probability=0.9, structure=True)]) == []
