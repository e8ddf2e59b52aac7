"""What was printed for Taylor polynomials and for the listed equations."""

from benchmarks.paper_rows import LISTED
from benchmarks.report.listings import listing_sections
from benchmarks.suites import load
from tests.benchmarks.result_lines import make_result


def test_the_listed_equations_are_the_twelve_and_the_six():
    counts = [len(problems) for problems in LISTED.values()]
    assert counts == [4, 4, 4, 2, 1, 3]
    for suite, problems in LISTED.items():
        assert set(problems) <= {problem.id for problem in load(suite).problems}


def test_taylor_rows_tell_the_polynomial_from_the_function():
    results = [
        make_result("taylor-sin-10", "taylor", strict=False, equation="0.99*sin(x0)"),
        make_result("taylor-sin-10", "taylor", seed=1, strict=False, equation="x0 - x0^3"),
        make_result("taylor-sin-5", "taylor", equation="x0 - x0^3/6 + x0^5/120"),
        make_result("taylor-log-2", "taylor", equation="x0 - x0^2/2"),
    ]
    (section,) = listing_sections(results)
    rows = [line for line in section.text.splitlines() if "mosaic" in line]
    assert rows == [
        "| log(x0 + 1) | 2 | mosaic (10 s) | `x0 - x0^2/2` | 1/1 | 0/1 |",
        "| sin(x0) | 5 | mosaic (10 s) | `x0 - x0^3/6 + x0^5/120` | 1/1 | 0/1 |",
        "| sin(x0) | 10 | mosaic (10 s) | `0.99*sin(x0)` | 0/2 | 1/2 |",
    ]


def test_predictions_of_all_methods_are_listed_and_long_ones_cut():
    results = [
        make_result("Nguyen-4", equation="x0"),
        make_result("Nguyen-4", seed=1, strict=False),
        make_result("Nguyen-4", method="operon", strict=False, equation="x0 + " * 100 + "x0"),
        make_result("Nguyen-5"),
    ]
    (section,) = listing_sections(results)
    assert "nguyen, Nguyen-4: `x0 + 1`" in section.text
    assert "| mosaic (10 s) | `x0` | 0.0e+00 | 1/2 |" in section.text
    assert "x0 + ` … | 5.0e-01 | 0/1 |" in section.text
    assert "Nguyen-5" not in section.text
