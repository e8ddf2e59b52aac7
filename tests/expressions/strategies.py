"""Random expressions over the whole operator table, for properties that hold for every expression."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from hypothesis import strategies as st

from mosaic_sr.expressions.expression import Expression, apply, constant, hole, variable
from mosaic_sr.expressions.rows import TREES, numpy_value
from mosaic_sr.operators import OPERATORS, Operator

Strategy = st.SearchStrategy[Expression]

NAMES = ("x", "N", "my col %", "sin")

# Numbers with a meaning in the grammar come up as often as arbitrary ones.
numbers = st.one_of(
    st.sampled_from([2.0, 3.0, -1.0, 0.5, 1.0, 0.0, -0.0, -2.0, 1e300, -5e-324, math.inf, -math.inf]),
    st.floats(allow_nan=False),
)
variables = st.integers(0, len(NAMES) - 1).map(variable)
bound_leaves = st.one_of(variables, numbers.map(constant))
leaves = st.one_of(bound_leaves, st.builds(hole), st.just(constant(math.nan)))


def _nodes(operators: Sequence[Operator]) -> Callable[[Strategy], Strategy]:
    """What builds inner nodes over children."""
    return lambda children: st.sampled_from(operators).flatmap(
        lambda operator: st.tuples(*[children] * operator.arity).map(lambda operands: apply(operator.name, *operands))
    )


expressions = st.recursive(leaves, _nodes(OPERATORS), max_leaves=15)
bound_expressions = st.recursive(bound_leaves, _nodes(OPERATORS), max_leaves=15)
polynomials = st.recursive(
    st.one_of(variables, st.integers(-3, 3).map(float).map(constant)),
    _nodes([operator for operator in OPERATORS if operator.name in ("add", "sub", "mul", "neg")]),
    max_leaves=10,
)


def reference_values(expression: Expression, columns: np.ndarray) -> np.ndarray:
    """The expression's values by the rows' own text in numpy; columns: (columns, rows)."""

    def node(operator, operands):
        values = dict(zip("ab", operands, strict=False))
        return numpy_value(TREES[operator.name], values)

    with np.errstate(all="ignore"):
        values = expression.fold(node, lambda column: columns[column], np.float64)
    return np.broadcast_to(values, columns.shape[1:])
