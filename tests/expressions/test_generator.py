"""Random expressions obey their settings and repeat with the seed."""

import numpy as np

from mosaic_sr.expressions.expression import num_operators
from mosaic_sr.expressions.generator import CURVED, GeneratorConfig, generate
from mosaic_sr.operators import ARITY, CODES


def test_the_same_seed_gives_the_same_expressions():
    config = GeneratorConfig()
    one, two = ([generate(rng, config) for _ in range(50)] for rng in map(np.random.default_rng, (3, 3)))
    assert one == two


def test_sizes_and_columns_stay_in_range():
    rng, config = np.random.default_rng(0), GeneratorConfig(num_variables=4, min_operators=2, max_operators=7)
    expressions = [generate(rng, config) for _ in range(300)]
    assert {num_operators(expression) for expression in expressions} == set(range(2, 8))
    assert all(set(expression.columns) <= set(range(4)) for expression in expressions)
    assert all(expression.columns for expression in expressions)


def test_only_allowed_operators_occur():
    rng = np.random.default_rng(0)
    config = GeneratorConfig(weights={"add": 1.0, "sin": 1.0})
    codes = set(np.concatenate([generate(rng, config).codes for _ in range(100)]).tolist())
    assert {code for code in codes if ARITY[code]} == {CODES["add"], CODES["sin"]}


def test_curved_functions_nest_no_deeper_than_allowed():
    rng, config = np.random.default_rng(0), GeneratorConfig(max_operators=12, max_curved=1)
    for _ in range(300):
        levels = generate(rng, config).fold(
            lambda operator, children: max(children) + (CODES[operator.name] in CURVED), lambda _: 0, lambda _: 0
        )
        assert levels <= 1
