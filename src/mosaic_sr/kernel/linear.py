"""Which constants of a postfix program enter it linearly, and the small least-squares solves that use it."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.jit import INTS, compiled, pointer, shifted
from mosaic_sr.operators import ARITY, CONSTANT, NUM_LEAF_CODES, OPERATORS, Operator

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Plan = NDArray[np.int64]


def _affine_operands(operator: Operator) -> tuple[bool, bool, bool]:
    """Whether the operator is affine in its first operand, in its second, and in both together."""
    first = not re.search(r"\b[av]\b", operator.partials[0])
    second = operator.arity == 2 and not re.search(r"\b[bv]\b", operator.partials[1])
    together = not re.search(r"\b[abv]\b", " ".join(operator.partials))
    return first, second, together


# By code, read off the text of the partial derivatives: an operator is affine in what its slope does not mention.
_AFFINE = np.array([(False,) * 3] * NUM_LEAF_CODES + [_affine_operands(operator) for operator in OPERATORS])
AFFINE_FIRST, AFFINE_SECOND, AFFINE_BOTH = (np.ascontiguousarray(column) for column in _AFFINE.T)

# Rows of a plan, an integer array (PLAN_ROWS, >= max(nodes, constants)).
SPAN = 0  # start of the slice of each node's subtree
COUNT = 1  # linear constants that a node offers when the program is affine in it
AFFINE = 2  # 1 where the program is affine in the node
HOME = 3  # for each constant: the first constant with the same parameter, -1 when it is held fixed
ORDER = 4  # the home of each parameter, linear parameters first
LINEAR = 5  # 1 for each constant that is the home of a linear parameter
PARENT = 6  # the node that uses each node, -1 for the root
DRAWN = 7  # 1 for each constant that a start still has to draw
TALLY = 8  # first entry: evaluations over all rows of the table in hand
WANTED = 9  # 1 for each constant whose derivative is in use
PLAN_ROWS = 10
OUT_PLAN = "int64[:, ::1]"  # its word in signatures

# A scaled pivot below this is rounding noise of the normal equations: the column depends on those before it.
DEPENDENT = 1e-14


@compiled(inline="always")
def plan_row(plan: Plan, row: int) -> Plan:
    """A row of a plan, as a pointer: an index into an array is first asked whether it counts from the end."""
    return shifted(pointer(plan), row * plan.shape[1])  # type: ignore[no-any-return]


@compiled()
def find_spans(codes: Codes, plan: Plan) -> None:
    """Write the start of each node's subtree and the parent of each node."""
    spans, parents = plan_row(plan, SPAN), plan_row(plan, PARENT)
    for node in range(len(codes)):
        start = node
        for _ in range(ARITY[codes[node]]):
            parents[start - 1] = node
            start = spans[start - 1]
        spans[node] = start
    parents[len(codes) - 1] = -1


@compiled()
def find_homes(parameter_of_constant: Codes, plan: Plan) -> None:
    """Write the home of each constant: constants with equal parameter share the first one, -1 is fixed."""
    for constant in range(len(parameter_of_constant)):
        plan[HOME, constant] = -1 if parameter_of_constant[constant] < 0 else constant
        for earlier in range(constant):
            if parameter_of_constant[constant] >= 0 and (
                parameter_of_constant[earlier] == parameter_of_constant[constant]
            ):
                plan[HOME, constant] = earlier
                break


@compiled()
def count_linear(codes: Codes, slots: Codes, plan: Plan) -> None:
    """Write for each node how many constants can be linear together if the program is affine in the node."""
    counts, spans, homes = plan_row(plan, COUNT), plan_row(plan, SPAN), plan_row(plan, HOME)
    for node in range(len(codes)):
        code = codes[node]
        first, second = 0, 0
        if ARITY[code] == 2:
            first = counts[spans[node - 1] - 1] if AFFINE_FIRST[code] else 0
            second = counts[node - 1] if AFFINE_SECOND[code] else 0
        elif ARITY[code] == 1:
            first = counts[node - 1] if AFFINE_FIRST[code] else 0
        elif code == CONSTANT:
            first = 1 if homes[slots[node]] >= 0 else 0
        counts[node] = first + second if AFFINE_BOTH[code] else max(first, second)


@compiled()
def mark_affine(codes: Codes, plan: Plan) -> None:
    """Write for each node whether the program is affine in it: a product lets the richer factor through."""
    last, affine = len(codes) - 1, plan_row(plan, AFFINE)
    counts, spans = plan_row(plan, COUNT), plan_row(plan, SPAN)
    for node in range(last + 1):
        affine[node] = 0
    affine[last] = 1
    for node in range(last, -1, -1):
        code = codes[node]
        if affine[node] == 0 or ARITY[code] == 0:
            continue
        second = node - 1
        first = spans[second] - 1 if ARITY[code] == 2 else second
        takes_first = AFFINE_FIRST[code]
        takes_second = ARITY[code] == 2 and AFFINE_SECOND[code]
        if takes_first and takes_second and not AFFINE_BOTH[code]:
            takes_first = counts[first] >= counts[second]
            takes_second = not takes_first
        if takes_first:
            affine[first] = 1
        if takes_second:
            affine[second] = 1


@compiled(f"Tuple((int64, int64))({INTS}, {INTS}, {INTS}, {OUT_PLAN})")
def make_plan(codes: Codes, slots: Codes, parameter_of_constant: Codes, plan: Plan) -> tuple[int, int]:
    """Fill the plan; returns the number of linear parameters and of all parameters.

    parameter_of_constant: (constants,) equal numbers tie constants together, a negative number holds one fixed.
    """
    find_spans(codes, plan)
    find_homes(parameter_of_constant, plan)
    count_linear(codes, slots, plan)
    mark_affine(codes, plan)
    num_constants, affine = len(parameter_of_constant), plan_row(plan, AFFINE)
    homes, linear, order = plan_row(plan, HOME), plan_row(plan, LINEAR), plan_row(plan, ORDER)
    for constant in range(num_constants):
        linear[constant] = 1 if homes[constant] == constant else 0
    for node in range(len(codes)):
        if codes[node] == CONSTANT and affine[node] == 0 and homes[slots[node]] >= 0:
            linear[homes[slots[node]]] = 0
    num_linear = 0
    for constant in range(num_constants):
        if linear[constant] == 1:
            order[num_linear] = constant
            num_linear += 1
    num_parameters = num_linear
    for constant in range(num_constants):
        if homes[constant] == constant and linear[constant] == 0:
            order[num_parameters] = constant
            num_parameters += 1
    return num_linear, num_parameters


@compiled()
def scale_moments(moments: Floats, size: int, scales: Floats, factor: Floats) -> None:
    """Copy moments to `factor` with unit diagonal; columns that are zero or not finite are cut out (scale 0)."""
    for i in range(size):
        diagonal = moments[i, i]
        scales[i] = np.sqrt(diagonal) if 0.0 < diagonal < np.inf else 0.0
    for i in range(size + 1):
        over = 1.0 if i == size else (1.0 / scales[i] if scales[i] > 0.0 else 0.0)
        for j in range(min(i + 1, size)):
            entry = moments[i, j] * over / scales[j] if scales[j] > 0.0 and over > 0.0 else 0.0
            factor[i, j] = entry
    factor[size, size] = moments[size, size]


@compiled()
def eliminate(factor: Floats, size: int, first: int, last: int, least: float) -> int:
    """Cholesky steps [first, last) on the lower triangle of a (size + 1) system whose last row is the right side.

    Dependent columns get a zero pivot. Returns the number of independent ones.
    """
    rank = 0
    for k in range(first, last):
        pivot = factor[k, k]
        if not pivot > least:
            for i in range(k, size + 1):
                factor[i, k] = 0.0
            continue
        rank += 1
        root = np.sqrt(pivot)
        factor[k, k] = root
        for i in range(k + 1, size + 1):
            factor[i, k] /= root
        for j in range(k + 1, size + 1):
            row = factor[j, k]
            for i in range(j, size + 1):
                factor[i, j] -= factor[i, k] * row
    return rank


@compiled()
def substitute_back(factor: Floats, size: int, last: int, step: Floats) -> None:
    """Solve the eliminated system for its first `last` unknowns; dependent unknowns stay at zero."""
    for k in range(last - 1, -1, -1):
        rest = factor[size, k]
        for i in range(k + 1, last):
            rest -= factor[i, k] * step[i]
        step[k] = rest / factor[k, k] if factor[k, k] > 0.0 else 0.0


@compiled()
def unscale(step: Floats, scales: Floats, size: int) -> None:
    """Turn a step in scaled unknowns into one in the unknowns themselves."""
    for k in range(size):
        step[k] = step[k] / scales[k] if scales[k] > 0.0 else 0.0


@compiled()
def solve_linear(moments: Floats, size: int, num_linear: int, scales: Floats, factor: Floats, step: Floats) -> float:
    """Write the least-squares step of the linear parameters; returns the sum of squares that it leaves."""
    scale_moments(moments, size, scales, factor)
    eliminate(factor, size, 0, num_linear, DEPENDENT)
    substitute_back(factor, size, num_linear, step)
    unscale(step, scales, num_linear)
    return float(factor[size, size])
