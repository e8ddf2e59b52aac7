"""Formulas with constants over twelve decades, and rows computed from them: can a fit find the constants again?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.kernel.linear import PLAN_ROWS, make_plan
from mosaic_sr.kernel.moments import fit_work_size, write_derivatives
from mosaic_sr.operators import CODES

Floats = NDArray[np.float64]

NUM_ROWS = 256
NUM_COLUMNS = 3
MAX_CONSTANTS = 5
MAX_PHASE = 30.0
MAX_CONDITION = 1e6
UNARY = ("sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "atan", "sq", "cube", "inv")
BINARY = ("add", "add", "sub", "mul", "mul", "div")
WAVES = [CODES[name] for name in ("sin", "cos", "tan")]


@dataclass(frozen=True)
class ConstantProblem:
    """A formula whose constants are the truth, and its rows; columns: (columns, rows), target: (rows,)."""

    truth: Expression
    columns: Floats
    target: Floats
    num_nonlinear: int

    @property
    def formula(self) -> Expression:
        """The formula with its constants forgotten."""
        return self.truth.with_constants(np.full(self.truth.num_constants, np.nan))


def draw_problems(seed: int, count: int) -> tuple[list[ConstantProblem], float]:
    """`count` problems, at least 40 % with two or more nonlinear constants, and the share of draws rejected.

    A draw is kept when the target is finite and varies, every wave turns by at most 30 rad over the rows, and the
    condition of the derivatives at the truth, columns scaled to unit length, is at most 1e6.
    """
    rng = np.random.default_rng(seed)
    kept: dict[bool, list[ConstantProblem]] = {True: [], False: []}
    drawn = 0
    wanted = {True: -(-2 * count // 5), False: count - -(-2 * count // 5)}
    while any(len(kept[kind]) < wanted[kind] for kind in kept):
        drawn += 1
        problem = _draw(rng)
        if problem is None:
            continue
        kind = problem.num_nonlinear >= 2
        kept[kind].append(problem)
    used = sum(len(problems) for problems in kept.values())
    return kept[True][: wanted[True]] + kept[False][: wanted[False]], 1.0 - used / drawn


def _draw(rng: np.random.Generator) -> ConstantProblem | None:
    structure = _random_tree(rng, int(rng.integers(2, 7)))
    structure = _with_constants(rng, structure)
    if not 1 <= structure.num_constants <= MAX_CONSTANTS:
        return None
    signs = rng.choice([-1.0, 1.0], structure.num_constants)
    truth = structure.with_constants(signs * 10.0 ** rng.uniform(-6.0, 6.0, structure.num_constants))
    columns = _random_columns(rng)
    with np.errstate(all="ignore"):
        target = evaluate_expression(truth, columns)
        if not np.all(np.isfinite(target)) or np.ptp(target) <= 1e-9 * np.abs(target).max():
            return None
        if _phase_range(truth, columns) > MAX_PHASE or not _condition(truth, columns) <= MAX_CONDITION:
            return None
    return ConstantProblem(truth, columns, target, count_nonlinear(truth))


def _random_columns(rng: np.random.Generator) -> Floats:
    """Columns of the magnitudes that a table leaves unscaled, half of them of one sign."""
    low = rng.choice([0.2, -3.0], NUM_COLUMNS)
    scales = 10.0 ** rng.uniform(-2.0, 2.0, NUM_COLUMNS)
    return np.ascontiguousarray((scales * rng.uniform(low, 3.0, (NUM_ROWS, NUM_COLUMNS))).T)


def _random_tree(rng: np.random.Generator, num_operators: int) -> Expression:
    if num_operators == 0:
        return variable(int(rng.integers(NUM_COLUMNS)))
    if rng.random() < 0.45:
        return apply(str(rng.choice(UNARY)), _random_tree(rng, num_operators - 1))
    left = int(rng.integers(num_operators))
    children = _random_tree(rng, left), _random_tree(rng, num_operators - 1 - left)
    return apply(str(rng.choice(BINARY)), *children)


def _with_constants(rng: np.random.Generator, tree: Expression) -> Expression:
    """The tree with some nodes scaled, shifted or raised to a power by constants yet to be drawn."""
    share = rng.uniform(0.1, 0.6)

    def decorate(node: Expression) -> Expression:
        if rng.random() > share:
            return node
        name = str(rng.choice(["mul", "mul", "mul", "add", "add", "pow"]))
        return apply(name, node, constant(np.nan)) if name == "pow" else apply(name, constant(np.nan), node)

    return tree.fold(
        lambda operator, children: decorate(apply(operator.name, *children)),
        lambda column: decorate(variable(column)),
        lambda value: constant(value),
    )


def _phase_range(truth: Expression, columns: Floats) -> float:
    """The widest range of an argument of a wave over the rows."""
    nodes = [index for index, code in enumerate(truth.codes.tolist()) if code in WAVES]
    return max((float(np.ptp(evaluate_expression(truth.subtree(node - 1), columns))) for node in nodes), default=0.0)


def derivatives_at(expression: Expression, columns: Floats) -> Floats:
    """Derivatives by each constant: (constants, rows)."""
    num_rows = columns.shape[1]
    jacobian = np.empty((expression.num_constants, num_rows))
    buffer = np.empty(fit_work_size(len(expression), expression.num_constants))
    program = expression.codes, expression.slots, expression.constants.copy()
    write_derivatives(*program, columns, 0, num_rows, np.empty(num_rows), jacobian, buffer)
    return jacobian


def _condition(truth: Expression, columns: Floats) -> float:
    jacobian = derivatives_at(truth, columns)
    lengths = np.linalg.norm(jacobian, axis=1)
    if not np.all(np.isfinite(lengths)) or not np.all(lengths > 0.0):
        return float("inf")
    return float(np.linalg.cond((jacobian / lengths[:, None]).T))


def count_nonlinear(expression: Expression) -> int:
    """Constants left when a largest set in which the formula is affine has been taken out."""
    plan = np.zeros((PLAN_ROWS, len(expression)), dtype=np.int64)
    own = np.arange(expression.num_constants, dtype=np.int32)
    num_linear, size = make_plan(expression.codes, expression.slots, own, plan)
    return int(size - num_linear)
