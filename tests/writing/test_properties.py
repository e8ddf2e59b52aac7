"""Properties of writing over random formulas."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mosaic_sr.expressions.expression import apply, constant, variable
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.writing import printed_cost, written
from mosaic_sr.writing.sameness import bounded_values, drawn_columns
from mosaic_sr.writing.sums import from_expression
from mosaic_sr.writing.wording import Writer

numbers = st.sampled_from([0.5, 2.0, 3.0, -1.0, 1.5, 0.25, 7.3, -0.8, 1.0 / 3.0, 0.6253687315634219])
leaves = st.one_of(st.integers(0, 2).map(variable), numbers.map(constant))


def _nodes(children):
    unary = st.sampled_from(["neg", "inv", "sq", "cube", "sqrt", "exp", "log", "sin", "cos", "abs", "tanh"])
    binary = st.sampled_from(["add", "sub", "mul", "div", "add", "mul"])
    return st.one_of(
        st.builds(apply, unary, children),
        st.builds(apply, binary, children, children),
    )


formulas = st.recursive(leaves, _nodes, max_leaves=8)
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


@quick
@given(formulas)
def test_values_do_not_change_beyond_rounding(formula):
    columns = drawn_columns(formula)
    form = written(formula, columns)
    before, after = bounded_values(formula, columns), bounded_values(form, columns)
    known = np.isfinite(before.values)
    assert np.all(np.isfinite(after.values[known]))
    allowed = 8.0 * (before.error[known] + after.error[known])
    is_bounded = np.isfinite(allowed)
    apart = np.abs(after.values[known] - before.values[known])
    assert np.all(apart[is_bounded] <= allowed[is_bounded])


@quick
@given(formulas)
def test_writing_is_idempotent(formula):
    form = written(formula)
    assert written(form) == form


@quick
@given(formulas)
def test_sums_read_what_they_have_written(formula):
    try:
        own = from_expression(formula)
    except ArithmeticError:
        return
    once = Writer().expression(own)
    assert Writer().expression(from_expression(once)) == once


@pytest.mark.parametrize("seed", range(12))
def test_generated_laws_never_become_longer(seed):
    formula = generate(np.random.default_rng(seed), GeneratorConfig(max_operators=10))
    # A function of its inverse and the like are longer once they are undone; drawn formulas have hardly any.
    assert printed_cost(written(formula)) <= 1.1 * printed_cost(formula) + 2
