"""Measured tables in groups of their conditions, and what is claimed of tables without a law."""

from benchmarks.report import make_sections
from benchmarks.report.claims import is_false_claim
from benchmarks.report.lines import our_lines, plain
from benchmarks.report.measured import Told, measured_sections, summary_table, told_by
from benchmarks.suites import SUITES
from tests.benchmarks.result_lines import cells_of, make_result


def line(problem, structure=True, suite="measured", **facts):
    return make_result(problem, suite, strict=False, **{"structure": structure, "in_front": True, **facts})


def cells(section, condition):
    return cells_of(section.text.replace("| mosaic (10 s) | ", "| "), condition)


def test_a_name_tells_its_condition():
    assert told_by("measured-017-r100-n2p-out-d3-irr") == Told("measured", 100, 2, True, True, True, True)
    assert told_by("unseen-3-017-r30-n10") == Told("unseen", 30, 10, False, False, False, False)
    assert told_by("Nguyen-1") is None
    for suite in ("measured", "unseen"):
        assert all(told_by(problem.id) for problem in SUITES[suite].problems)


def test_rates_are_by_condition():
    results = [
        line("measured-000-r100-n2"),
        line("measured-001-r100-n2p-d3", structure=False),
        line("measured-000-r100-n2-out", structure=False, in_front=False),
        line("measured-000-r30-n2", seconds=7.0),
        line("measured-004-r10-n10-out-irr", structure=False),
    ]
    (section,) = measured_sections(results)
    assert section.title == "Measured tables: measured"
    assert cells(section, "100 rows, 2 %")[:4] == ["2", "100.0", "**50.0**", "100.0"]
    assert cells(section, "100 rows, 2 %, outliers")[:4] == ["1", "100.0", "**0.0**", "0.0"]
    assert cells(section, "30 rows, 2 %") == ["1", "100.0", "**100.0**", "100.0", "–", "0.0", "7.0"]
    for condition in ("with an extra column", "rounded", "proportional"):
        assert cells(section, condition)[0] == "1"
        assert cells(section, condition)[2] == "**0.0**"
    assert cells(section, "all")[::2][:2] == ["5", "**40.0**"]
    assert "300 rows" not in section.text


def test_a_table_that_no_generator_draws_any_more_is_still_reported():
    (section,) = measured_sections([line("measured-999-r100-n2")])
    assert cells(section, "all")[:3] == ["1", "–", "**100.0**"]


def test_a_likely_rival_with_the_right_structure_counts_beside_the_law():
    def rivals(probability):
        return [{"equation": "x0", "probability": probability, "structure": True}]

    results = [
        line("measured-000-r100-n2", False, probability=0.6, rivals=rivals(0.3)),
        line("measured-002-r100-n2", False, probability=0.6, rivals=rivals(0.05)),
        line("measured-004-r100-n2-irr", True, probability=0.6),
        line("measured-010-r100-n2-irr", False, probability=0.6),
    ]
    (section,) = measured_sections(results)
    assert cells(section, "100 rows, 2 %")[:5] == ["4", "100.0", "**25.0**", "100.0", "50.0"]


def test_every_claim_on_a_table_without_a_law_is_counted():
    results = [
        line("open-smooth-000-r30-n0", False, "open", claims_exact=True, probability=0.7),
        line("open-smooth-001-r30-n1", False, "open", claims_exact=False, probability=0.5),
        line("open-noise-081-r30", False, "open", claims_exact=False, probability=0.1),
    ]
    (section,) = measured_sections(results)
    assert section.title == "Tables without a law"
    assert cells(section, "smooth")[:4] == ["2", "1", "2", "0.70"]
    assert cells(section, "all")[:4] == ["3", "1", "2", "0.70"]
    assert "No line states a probability" not in section.text
    (silent,) = measured_sections([line("open-noise-081-r30", False, "open", claims_exact=False)])
    assert cells(silent, "all")[:4] == ["1", "0", "–", "–"]
    assert "No result states a probability." in silent.text


def test_a_claim_of_exactness_on_measured_rows_is_false_even_of_the_right_law():
    claim = {"claims_exact": True}
    assert is_false_claim(make_result("measured-000-r100-n2", "measured", **claim))
    assert is_false_claim(make_result("open-smooth-000-r30-n0", "open", unidentifiable="no law", **claim))
    assert not is_false_claim(make_result(**claim))


def test_noisy_tables_are_not_part_of_the_main_comparison():
    noisy = [line(problem.id) for problem in SUITES["measured"].problems[:5]]
    clean = make_result()
    assert plain([*noisy, clean]) == [clean]
    assert our_lines([*noisy, clean]) == [clean]


def test_a_suite_drawn_with_a_seed_is_named_by_its_command():
    fresh = [line(problem.id, suite="measured-1") for problem in _fresh()]
    (section,) = [own for own in make_sections(fresh) if own.title == "Measured tables: measured-1"]
    (command,) = section.commands
    assert "--suite measured-1 --every 4 --method" in command


def _fresh():
    from benchmarks.suites import load

    return load("measured-1").problems[::4]


def test_the_readme_shows_the_usual_conditions_of_all_methods():
    tables = [line("measured-000-r100-n2", seconds=3.0), line("measured-001-r100-n2", structure=False, seconds=4.0)]
    text = summary_table([*tables, line("measured-000-r30-n5"), line("unseen-000-r100-n2", suite="unseen")])
    assert "| 100 rows, 2 % | mosaic (10 s) | 2 | **50.0** | – | 3.5 |" in text
    assert "| all | mosaic (10 s) | 3 |" in text
    assert "30 rows" not in text
    assert summary_table([line("unseen-000-r100-n2", suite="unseen")]) == ""
