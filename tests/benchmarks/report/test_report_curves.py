"""Curves over the levels of noise and the numbers of rows."""

import dataclasses

from benchmarks.report.curves import curve_sections
from tests.benchmarks.result_lines import make_result


def at(problem, strict=True, method="mosaic", **settings):
    facts = {"truth": "2*x0", "equation": "3*x0", "method": method}
    return make_result(problem, "srsd-easy", strict=strict, settings={"time_limit": 10.0, **settings}, **facts)


def test_noise_has_a_curve_per_method_from_its_clean_runs_on():
    results = [
        at("a"),
        at("a", noise=0.001),
        at("a", noise=0.1, strict=False),
        at("a", method="operon", noise=0.1, strict=False),
        at("c"),
    ]
    (section,) = curve_sections(results)
    assert "| noise on the targets 0 | noise on the targets 0.001 | noise on the targets 0.1 |" in section.text
    assert "| mosaic (10 s) | srsd-easy | strict | 100.0 | 100.0 | 0.0 |" in section.text
    assert "| mosaic (10 s) | srsd-easy | skeleton | 100.0 | 100.0 | 100.0 |" in section.text
    assert "| operon (10 s) | srsd-easy | strict | – | – | 0.0 |" in section.text
    ours, peer = section.figures[0].panels[0].series
    assert (ours.x, ours.y) == ((0.0, 1.0, 2.0), (100.0, 100.0, 0.0))
    assert (peer.x, peer.y) == ((2.0,), (0.0,))


def test_curves_are_compared_on_the_problems_that_all_of_them_have_at_all_levels():
    ours = [at(problem, noise=noise, strict=problem == "a") for problem in "abc" for noise in (0.01, 0.1)]
    theirs = [at(problem, method="operon", noise=noise) for problem in "ab" for noise in (0.01, 0.1)]
    (section,) = curve_sections([*ours, *theirs, at("c", method="operon", noise=0.1)])
    assert "All ran the same problems: 2 of srsd-easy." in section.text
    assert "| mosaic (10 s) | srsd-easy | strict | 50.0 | 50.0 |" in section.text
    assert "| operon (10 s) | srsd-easy | strict | 100.0 | 100.0 |" in section.text


def test_structure_is_a_measure_where_every_line_has_that_verdict():
    def judged(noise, structure):
        return dataclasses.replace(at("a", noise=noise, strict=False), structure=structure)

    (section,) = curve_sections([judged(0.01, True), judged(0.1, False)])
    assert "| mosaic (10 s) | srsd-easy | structure | 100.0 | 0.0 |" in section.text
    (section,) = curve_sections([judged(0.01, True), judged(0.1, None)])
    assert "| structure |" not in section.text


def test_one_level_is_no_curve():
    assert curve_sections([at("a", noise=0.1), at("b", noise=0.1)]) == []


def test_kinds_of_noise_are_curves_of_their_own_from_the_same_clean_runs():
    results = [at("a"), at("a", noise=0.1), at("a", noise=0.1, noise_kind="multiplicative", strict=False)]
    (section,) = curve_sections(results)
    assert "| mosaic (10 s) | srsd-easy | strict | 100.0 | 100.0 |" in section.text
    assert "| mosaic (10 s), multiplicative | srsd-easy | strict | 100.0 | 0.0 |" in section.text


def test_few_rows_rise_to_all_rows():
    (section,) = curve_sections([at("a"), at("a", rows=200), at("a", rows=20, strict=False)])
    assert section.title == "Few rows"
    assert "| rows 20 | rows 200 | rows all |" in section.text
    assert "| mosaic (10 s) | srsd-easy | strict | 0.0 | 100.0 | 100.0 |" in section.text
    assert section.figures[0].panels[0].x_names == ("20", "200", "all")


def test_runs_without_noise_and_with_all_rows_are_no_study():
    assert curve_sections([at("a")]) == []
