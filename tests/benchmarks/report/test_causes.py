"""Why laws were missed, and who found the others."""

import pytest

from benchmarks.report.causes import cause_of_miss, cause_sections, found_by_sections
from tests.benchmarks.result_lines import make_result


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"unidentifiable": "equals x0"}, "unidentifiable"),
        ({"equation": "", "r2": None, "nmse": None, "error": "crashed: boom"}, "failure"),
        ({"error": "the verifier strict was killed at the hard limit"}, "undecided"),
        ({"truth": "2*x0 + x1", "equation": "3*x0 + x1"}, "constants"),
        ({"equation": "sin(x0)", "r2": 1.0, "nmse": 1e-24}, "selection"),
        ({"equation": "sin(x0)", "r2": 1.0, "nmse": 1e-9, "claims_exact": True}, "selection"),
        ({"equation": "sin(x0)", "r2": 1.0, "nmse": 1e-24, "claims_exact": False}, "structure"),
        ({"equation": "sin(x0)"}, "structure"),
    ],
)
def test_every_miss_has_a_cause(changes, cause):
    assert cause_of_miss(make_result(strict=False, **changes)) == cause


def test_misses_are_counted_by_cause():
    results = [make_result(), make_result("b", strict=False, equation="sin(x0)"), make_result("c", strict=False)]
    (section,) = cause_sections(results)
    assert "| mosaic (10 s) | nguyen | 0 | 0 | 0 | 1 | 0 | 1 |" in section.text
    assert cause_sections([make_result()]) == []


def test_the_misses_of_another_method_are_one_row():
    results = [make_result("a", suite, strict=False, method="operon") for suite in ("nguyen", "korns")]
    (section,) = cause_sections(results)
    assert "| operon (10 s) | all its runs | 0 | 0 | 0 | 2 | 0 | 0 |" in section.text


def test_laws_are_counted_and_named_by_the_proposer_that_led_to_them():
    results = [
        make_result("a"),
        make_result("b", found_by="prior"),
        make_result("c", found_by="prior", strict=False),
        make_result("d", found_by="prior"),
        make_result("d", found_by="grammar", seed=1),
        make_result("a", method="operon", found_by="operon"),
    ]
    (section,) = found_by_sections(results)
    assert "| mosaic (10 s) | nguyen | 4 | grammar 2, prior 2 |" in section.text
    assert "| mosaic (10 s) | grammar | 1 | nguyen/a |" in section.text
    assert "| mosaic (10 s) | prior | 1 | nguyen/b |" in section.text
    assert "operon" not in section.text
