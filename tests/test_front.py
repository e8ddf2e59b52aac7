"""The front keeps the best equation of each complexity."""

from mosaic_sr.equation import Equation, Errors
from mosaic_sr.expressions.text import parse
from mosaic_sr.front import Front

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
