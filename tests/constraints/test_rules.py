"""What is decided of a law: broken, held on samples, or proved, and at which place."""

import numpy as np
import pytest

from mosaic_sr.constraints import Placed, Rules, Scale, read_constraint, region_of
from mosaic_sr.constraints.contradictions import breaking_rows
from mosaic_sr.expressions.parser import parse

NAMES = ("x", "t")
RANGES = [(0.0, 10.0), (0.0, 5.0)]


def placed(text, size=1.0):
    stated = read_constraint(text)
    region = region_of(RANGES, [(NAMES.index(name), low, high) for name, low, high in stated.region])
    point = tuple((NAMES.index(name), value) for name, value in stated.point)
    return Placed(stated, region, tuple(map(NAMES.index, stated.columns)), point, size)


# constraint -> law -> p(roved), h(eld on samples), b(roken), x (proved or held)
DECIDED = {
    "y > 0": {"x + 1": "p", "exp(-t)": "p", "x^2 - x + 1": "p", "x": "b", "x - 3": "b", "(x - 5)^2": "b"},
    "y >= 0": {"x": "p", "(x - 5)^2": "p", "1 - cos(x)": "p", "sqrt(x)": "p", "x^2 - 2*x*t + t^2": "h", "-x": "b",
               "log(x + 1)": "p", "x - 0.001": "b"},
    "0 <= y <= 1 for t in 0..inf": {"exp(-t)": "p", "1 - exp(-t)": "p", "tanh(t)": "p", "t/(1 + t)": "h", "t/5": "b",
                                    "t*exp(-t)": "p"},
    "y < 0 for x in 1..2": {"-x": "p", "-log(x)": "b", "0.5 - x": "p"},
    "increasing in x": {"x^2": "p", "x - x^2/30": "p", "x/(1 + x)": "p", "log(x)": "x", "3": "p", "t": "p", "x*t": "p",
                        "sin(x)": "b", "1/(5 - x)": "b", "abs(x - 1)": "b", "x*t - x": "b", "x - x^2/10": "b"},
    "decreasing in x for x in 1..10": {"1/x": "p", "exp(-x*t)": "p", "1/(x - 5)": "b", "-tanh(x)": "p"},
    "convex in x": {"x^2": "p", "exp(x)": "p", "x": "p", "abs(x - 3)": "h", "sqrt(x)": "b", "1/(x - 5)": "b"},
    "concave in x for x in 1..2": {"sqrt(x)": "p", "log(x)": "p", "x^2": "b"},
    "y = 0 at x = 0": {"x*t": "p", "sin(x)": "p", "x + 0.1": "b", "(1 - cos(x))/x": "h", "x*log(x)": "h", "t": "b",
                       "sin(x)/x": "b"},
    "y = 1 at x = 0": {"sin(x)/x": "h", "cos(x)": "p", "exp(x*t)": "p"},
    "y = 2 at x = 1, t = 3": {"t - x": "p", "t + x": "b"},
    "y -> 0 for t -> inf": {"exp(-t)": "p", "1/(1 + t^2)": "p", "sin(t)/t": "p", "t*exp(-t)": "p", "x/log(t + 2)": "h",
                            "1 + 1/t": "b", "sin(t)": "b", "x": "b"},
    "y -> 1 for t -> inf": {"tanh(t)": "p", "t/(1 + t)": "h", "exp(t)/(1 + exp(t))": "h", "1.001*t/(1 + t)": "b"},
    "y -> inf for t -> inf": {"t": "h", "log(t)": "h", "exp(t)": "h", "t/(1 + t)": "b", "-t": "b"},
    "y -> 0 for t -> -inf": {"exp(t)": "p", "exp(-t)": "b"},
    "y -> 1 for t -> 0": {"sin(t)/t": "h", "1 + t": "p", "t": "b"},
    "even in x": {"x^2": "p", "t*cos(x)": "p", "abs(x)": "p", "sqrt(x^2)": "p", "exp(x) + exp(-x)": "h", "x": "b",
                  "log(x)": "b", "x^3": "b", "t": "p"},
    "odd in x": {"x": "p", "t*sin(x)": "p", "x/(1 + x^2)": "p", "exp(x) - exp(-x)": "h", "x + 1": "b", "t": "b"},
    "symmetric in x, t": {"x + t": "p", "x*t": "p", "(x - t)^2": "p", "x - t": "b", "x": "b"},
}  # fmt: skip
WORDS = {"p": ("proved",), "h": ("held",), "b": ("broken",), "x": ("proved", "held")}
CASES = [(text, law, WORDS[sign]) for text, laws in DECIDED.items() for law, sign in laws.items()]


@pytest.mark.parametrize(("text", "law", "words"), CASES, ids=[f"{text}: {law}" for text, law, _ in CASES])
def test_a_law_is_decided(text, law, words):
    rules, expression = Rules((placed(text),), NAMES), parse(law, NAMES)
    (verdict,) = rules.verdicts(expression)
    assert verdict.word in words, verdict.how
    assert verdict.holds == (verdict.word != "broken") == rules.hold(expression) == (not rules.refute(expression))
    assert verdict.constraint == text


def test_a_broken_constraint_says_where_and_the_law_breaks_it_there():
    rules = Rules((placed("y > 0"),), NAMES)
    (verdict,) = rules.verdicts(parse("x - 3", NAMES))
    assert verdict.how == "broken at x = 0, where the law is -3"


def test_proofs_find_a_narrow_break_that_samples_miss():
    """The dip below 0 is narrower than the distance of any two samples, but a proof cannot close the box there."""
    law = parse("(x - 3.14159265)^2*(x - 3.14159265 + 0.0003) + 0.0000000001*0 - 0.0000000000001", NAMES)
    rules = Rules((placed("y >= 0 for x in 3.1415..3.1417", 1e-6),), NAMES)
    assert rules.verdicts(law)[0].word == "broken"


def test_proofs_and_samples_never_disagree_on_random_laws():
    from tests.constraints.test_interval import drawn_expression

    rng, kinds = np.random.default_rng(4), [text for text in DECIDED if "->" not in text and " = " not in text]
    proved = 0
    for _ in range(40):
        law = drawn_expression(rng, 3)
        for text in rng.choice(kinds, size=4, replace=False):
            (verdict,) = Rules((placed(text),), NAMES).verdicts(law)
            if verdict.word != "proved":
                continue
            proved += 1
            own = placed(text)
            points = own.points(10_000)
            with np.errstate(all="ignore"):
                assert own.first_break(Scale().values(law, points), points) is None, (text, law)
    assert proved > 20


def test_scaled_laws_are_decided_in_the_units_of_the_user():
    """The table's columns are the user's divided by 8 and 2, its target by 4: x of the table is 8 x/... of the user."""
    rules = Rules((placed("y > 3"),), NAMES, scale=Scale((3, 1), 2))
    law = parse("x + 1", NAMES)
    assert (rules.hold(law, is_scaled=True), rules.hold(law)) == (True, False)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("y > 0", [1]),
        ("y <= 2", [3]),
        ("increasing in x", [1]),
        ("decreasing in x", [3, 2]),
        ("y = 0 at x = 0", [0]),
        ("y > 0 for x in 2..9", []),
        ("even in x", []),
    ],
)
def test_rows_that_break_a_constraint_are_named(text, rows):
    columns, target = np.array([[0.0, 1.0, 2.0, 3.0], [1.0] * 4]), np.array([0.5, -1.0, 2.0, 3.0])
    found = breaking_rows(placed(text), columns, target)
    assert [one.row for one in found] == rows
    assert all(one.excess > 0.0 for one in found)


def test_rows_are_compared_only_where_all_other_columns_are_equal():
    columns, target = np.array([[0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 1.0, 2.0]]), np.array([5.0, 1.0, 6.0, 2.0])
    assert breaking_rows(placed("increasing in x"), columns, target) == []
