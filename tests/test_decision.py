"""What a search on noisy rows is decided by."""

import numpy as np

from mosaic_sr.budget import never
from mosaic_sr.decision import FirstLaws
from mosaic_sr.equation import Equation, measure
from mosaic_sr.evidence import Pool
from mosaic_sr.evidence.judge import num_fitted
from mosaic_sr.expressions.text import parse
from mosaic_sr.limits import Limits
from mosaic_sr.selection.weighing import Weighing
from mosaic_sr.table import Table

NAMES = ("x", "z")


def noisy_table():
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 3.0, size=(80, 2))
    return Table.from_arrays(X, X[:, 0] ** 2 / X[:, 1] + 0.05 * rng.normal(size=80), rng=rng, names=NAMES)


def pool_of(table, *laws):
    found = [parse(law, NAMES) for law in laws]
    equations = [
        Equation(law, NAMES, measure(law, table.training), measure(law, table.validation), found_by="test")
        for law in found
    ]
    return Pool().merged(equations, table.training)


def test_a_law_made_simple_stays_when_others_pass_the_words_it_was_made_of():
    table = noisy_table()
    first_laws = FirstLaws(Weighing(table), Limits(), never)
    loose = "0.98765*x^2.01234/z^1.01234 + 0.01234*sin(1.2345*x)"
    simple = first_laws.of(pool_of(table, loose))[0]
    assert num_fitted(simple.expression) == 0
    following = first_laws.of(pool_of(table, "1.2345*x - 0.71234*z", "0.71234*x^2 - 0.41234*z"))
    assert following[0].expression.structure_key == simple.expression.structure_key
