"""SRBench's problems under noise beside the published rates."""

from benchmarks.report.ground_truth import ground_truth_sections
from benchmarks.srbench_rows import NOISES, PUBLISHED
from benchmarks.suites import SUITES
from tests.benchmarks.result_lines import make_result


def at(noise, suite="srbench-feynman", problem="feynman_I_12_1", **facts):
    settings = {"time_limit": 20.0, **({"noise": noise} if noise else {}), **facts.pop("settings", {})}
    return make_result(problem, suite, strict=False, settings=settings, **{"structure": True, **facts})


def test_our_rates_stand_beside_the_published_ones_level_by_level():
    rows = {"settings": {"rows": 2000}}
    results = [
        at(0.0, srbench=True, **rows),
        at(0.01, srbench=True, **rows),
        at(0.1, srbench=False, structure=False, **rows),
        at(0.1, srbench=True, settings={"rows": 300}),
    ]
    (section,) = ground_truth_sections(results)
    assert section.title == "SRBench ground truth under noise: srbench-feynman"
    assert "| uDSR | Sym, published | 68.8 | 37.0 | 27.4 | 10.7 |" in section.text
    many, few = "**mosaic (20 s, rows 2000)**, 1 problem", "**mosaic (20 s, rows 300)**, 1 problem"
    assert f"| {many} | Sym | 100.0 | – | 100.0 | 0.0 |" in section.text
    assert f"| {many} | structure | 100.0 | – | 100.0 | 0.0 |" in section.text
    assert f"| {few} | Sym | – | – | – | 100.0 |" in section.text
    assert any("--noise 0.1" in command and "--rows 300" in command for command in section.commands)


def test_clean_lines_alone_are_no_study_of_noise():
    clean = at(0.0, "strogatz", "strogatz_lv1")
    assert ground_truth_sections([clean]) == []
    (section,) = ground_truth_sections([clean, at(0.001, "strogatz", "strogatz_lv1")])
    assert "| SR4MDL | Sym, published | 71.5 | 74.4 | 68.5 | 60.0 |" in section.text


def test_lines_of_other_studies_and_of_the_time_before_the_verdict_stay_out():
    (section,) = ground_truth_sections([at(0.1, structure=None), at(0.1, settings={"preset": "paper"})])
    assert "| structure |" not in section.text
    assert "paper" not in section.text


def test_published_rows_are_of_suites_that_exist_and_have_four_rates():
    assert set(PUBLISHED) <= set(SUITES)
    for rows in PUBLISHED.values():
        assert all(len(row.rates) == len(NOISES) and row.source in ("files", "figure") for row in rows)
        assert all(0.0 <= value <= 100.0 for row in rows for value in row.rates)
