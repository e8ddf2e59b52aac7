"""The front keeps the best equation of each complexity."""

from dataclasses import replace

from mosaic_sr.equation import Equation, Errors
from mosaic_sr.exactness import Closeness
from mosaic_sr.expressions.text import parse
from mosaic_sr.front import Front, strict_front

NAMES = ("x", "y")


def equation(text, error, found_by="test"):
    errors = Errors(error, error)
    return Equation(parse(text, NAMES), NAMES, errors, errors, found_by)


def test_the_better_of_one_complexity_stays_and_the_earlier_at_a_tie():
    front = Front().merged([equation("x+y", 0.5), equation("x*y", 0.2), equation("x/y", 0.2, "late")])
    assert [(e.text(), e.found_by) for e in front.equations] == [("x*y", "test")]


def test_equations_stand_in_order_of_complexity():
    front = Front().merged([equation("x*y + 1", 0.1), equation("x", 0.9)]).merged([equation("x*y", 0.4)])
    assert [e.complexity for e in front.equations] == [1, 3, 5]


def test_the_pareto_front_leaves_out_what_a_simpler_equation_beats():
    front = Front().merged([equation("x", 0.3), equation("x*y", 0.4), equation("x*y + 1", 0.1)])
    assert [e.text() for e in front.pareto()] == ["x", "x*y + 1"]


def test_laws_that_are_as_good_as_exact_stay_beside_each_other():
    front = Front().merged([equation("x+y", 1e-30), equation("x*y", 1e-29), equation("x/y", 0.1)])
    assert [e.text() for e in front.equations] == ["x + y", "x*y"]
    better = front.merged([equation("x-y", 1e-31), equation("x*y", 1e-28)])
    assert [e.text() for e in better.equations] == ["x - y", "x + y", "x*y"]
    assert [e.text() for e in better.pareto()] == ["x - y"]


def test_few_ties_are_kept_of_each_complexity():
    texts = ["x+y", "x*y", "x/y", "x-y", "y-x", "y/x"]
    front = Front().merged(equation(text, 10.0**-power) for power, text in enumerate(texts, 20))
    assert [e.text() for e in front.equations] == ["y/x", "y - x", "x - y", "x/y"]


def test_constants_that_improve_replace_those_of_the_same_structure():
    front = Front().merged([equation("2*x", 0.3), equation("3*x", 0.2), equation("4*x", 0.25)])
    assert [e.text() for e in front.equations] == ["3*x"]


def test_the_relative_error_counts_only_on_targets_that_span_decades():
    near_zero = Equation(parse("x*y", NAMES), NAMES, Errors(0.9, 1e-3), Errors(0.9, 1e-3), "test")
    plain = Equation(parse("x+y", NAMES), NAMES, Errors(0.1, 1e3), Errors(0.1, 1e3), "test")
    assert Front(is_wide=True).merged([plain, near_zero]).equations == (near_zero, plain)
    assert Front(is_wide=False).merged([near_zero, plain]).equations == (plain,)


def test_contenders_beat_all_simpler_ones_on_the_rows_of_the_search():
    front = Front().merged([equation("x", 0.3), equation("x*y", 0.4), equation("x*y + 1", 0.1)])
    assert [e.text() for e in front.contenders()] == ["x", "x*y + 1"]


def test_each_row_of_a_strict_front_has_less_loss_than_all_simpler_ones_and_the_law_is_among_them():
    law = equation("x*y + 1", 0.2)
    others = [
        equation("x + y*y*x + 2", 0.1), equation("x*y", 0.3), equation("y", 0.9), equation("x", 0.8),
        equation("x + y", 0.3), equation("x - y + x", 0.15), equation("-x", 0.1), equation("x*x*x*x", 0.2),
    ]  # fmt: skip
    rows = strict_front(others, law)
    assert [row.text() for row in rows] == ["x", "x*y", "x*y + 1", "x + y*y*x + 2"]


def test_nothing_stands_beyond_an_exact_law():
    law = replace(equation("x*y", 1e-31), closeness=Closeness.EXACT)
    assert strict_front([equation("x*y + 1", 1e-32), equation("x", 0.5)], law)[1:] == (law,)
