"""What searches of single groups hand on to all groups."""

from types import SimpleNamespace

import numpy as np

from mosaic_sr.equation import UNKNOWN, Equation
from mosaic_sr.expressions.text import parse
from mosaic_sr.front import Front
from mosaic_sr.grouped.candidates import MOST_CONSTANTS, visited_forms
from mosaic_sr.selection import SelectionConfig, validate
from mosaic_sr.table import Table

CONFIG = SelectionConfig()


def test_a_law_that_agrees_is_handed_on_without_the_terms_that_are_rounding():
    x = np.random.default_rng(0).uniform(0.0, 10.0, (100, 1))
    y = np.exp(-0.345 * x[:, 0]) * np.sin(1.409 + 0.6039 * x[:, 0])
    table = Table.from_arrays(x, y, rng=np.random.default_rng(1), names=("x",))
    found = "1e-14 + 2e-16*x^2 + 0.99999*exp(-0.34501*x)*sin(1.4091 + 0.60391*x) - 3e-15*x - 4e-15*exp(-1.8*x)"
    law = validate(Equation(parse(found, ("x",)), ("x",), UNKNOWN, UNKNOWN, "sums"), table, CONFIG)
    assert law.agrees
    assert law.expression.num_constants > MOST_CONSTANTS
    last = SimpleNamespace(law=law, pool=SimpleNamespace(equations=()), front=Front())
    forms = visited_forms(last, SimpleNamespace(table=table, names=("x",)), CONFIG)
    assert min(form.num_parameters for form in forms) <= 4
