"""What a search on noisy rows is decided by."""

import numpy as np

from mosaic_sr.budget import never
from mosaic_sr.decision import FirstLaws
from mosaic_sr.equation import Equation, measure
from mosaic_sr.evidence import Pool
from mosaic_sr.evidence.judge import num_fitted
from mosaic_sr.expressions.text import parse
from mosaic_sr.limits import Limits
from mosaic_sr.pipeline import SearchConfig, discover
from mosaic_sr.selection import Tidying
from mosaic_sr.selection.conclusion import conclude
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


def test_laws_that_were_made_simple_belong_into_the_pool():
    table = noisy_table()
    first_laws = FirstLaws(Weighing(table), Limits(), never)
    first = first_laws.of(pool_of(table, "0.98765*x^2.01234/z^1.01234 + 0.01234*sin(1.2345*x)"))[0]
    assert num_fitted(first.expression) == 0
    assert first.expression in [one.judged.expression for one in first_laws.made]
    assert all(one.equation.found_by == "test" for one in first_laws.made)
    first_laws.of(pool_of(table, "x^2/z"))
    assert first_laws.made == []


def test_what_is_decided_is_told():
    rng = np.random.default_rng(3)
    X = rng.uniform(0.5, 8.0, size=(300, 2))
    y = 20.0 - X[:, 0] - X[:, 0] * X[:, 1] / (1.0 + 0.5 * X[:, 0] ** 2)
    table = Table.from_arrays(X, y + 0.1 * rng.normal(size=300), rng=rng, names=NAMES)
    config = SearchConfig()
    tidying = Tidying(table, config.selection)
    *_, last = discover(table, config, np.random.default_rng(0), tidying=tidying)
    assert last.is_decided
    limits = config.selection.limits
    first = FirstLaws(tidying.weighing, limits, never).of(last.pool)[0]
    told = conclude(last.pool, last.covered_bits, tidying.weighing, limits, never)[0]
    assert told.judged.score >= first.score - 1e-6
