"""Which truths the numbers cannot show: simpler laws that agree with the data within the floor of the data.

The floor of a law at a row is the rounding error of its own evaluation, the quantisation of the target, the
quantisation of the columns times the law's slopes, and the rounding error in the formula that made the data: where it
cancels, as 1 - cos(x) does for small x, most digits of the target are rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any

import numpy as np

from benchmarks.suites.problem import Floats, Problem, Sample, column_names
from mosaic_sr import Expression, canonical, complexity, evaluate_expression, parse, to_text

# Half a unit in the last place of a double, relative: one rounding.
ROUNDING = 2.0**-53
# Central differences lose least near the cube root of the precision.
STEP = 2.0**-17
# Moving the numbers of a law gains less than this factor.
MAX_REFITTED = 1e3
NUM_LAWSON_STEPS = 12
# The data may lie one floor from their truth; a law differs from them clearly when some residual is this many floors.
CLEARLY = 4.0
NUM_SCREENING_ROWS = 300
# Intermediate forms may be longer than the truth: the second-order series of exp has six nodes more.
EXTRA_NODES = 12


@np.errstate(all="ignore")  # a law that overflows differs from the data, which is a value and no accident
def excess(law: Expression, problem: Problem, sample: Sample) -> float:
    """The largest residual of the law over the sample in floors of the data; below CLEARLY it is indistinguishable."""
    residual, floor = _residual_and_floor(law, problem, sample)
    ratio = np.divide(np.abs(residual), floor, out=np.zeros_like(residual), where=residual != 0.0)
    return float(np.where(np.isfinite(ratio), ratio, np.inf).max())


@np.errstate(all="ignore")
def refitted(law: Expression, problem: Problem, sample: Sample) -> Expression:
    """The law with its numbers moved so that its largest residual in floors is about as small as it can be.

    Gauss-Newton steps under Lawson's weights, which grow where the residual is large.
    """
    if law.num_constants == 0:
        return law
    best, smallest = law, excess(law, problem, sample)
    weights = np.ones(sample.num_rows)
    for _ in range(NUM_LAWSON_STEPS):
        residual, floor = _residual_and_floor(law, problem, sample)
        ratio = residual / floor
        slopes = np.stack([_slope(law, index, sample) / floor for index in range(law.num_constants)], axis=1)
        scale = np.abs(slopes).max(axis=0)
        if not (np.isfinite(slopes).all() and np.isfinite(ratio).all() and scale.all()):
            break
        root = np.sqrt(weights)
        # The cut ignores directions that change nothing, such as a common scale of numerator and denominator.
        step = np.linalg.lstsq((slopes / scale) * root[:, None], ratio * root, rcond=1e-9)[0] / scale
        law = law.with_constants(law.constants + step)
        reached = excess(law, problem, sample)
        if reached < smallest:
            best, smallest = law, reached
        residual, floor = _residual_and_floor(law, problem, sample)
        weights *= np.abs(residual / floor)
        weights /= weights.max()
    return best


def _slope(law: Expression, index: int, sample: Sample) -> Floats:
    """The derivative of the law with respect to one of its constants: (rows,)."""
    moved = [law.constants.copy(), law.constants.copy()]
    step = STEP * abs(law.constants[index])
    moved[0][index] += step
    moved[1][index] -= step
    ahead, behind = (evaluate_expression(law.with_constants(constants), sample.columns) for constants in moved)
    return np.asarray((ahead - behind) / (2.0 * step))


def _residual_and_floor(law: Expression, problem: Problem, sample: Sample) -> tuple[Floats, Floats]:
    value, error = _value_and_error(law, sample.columns, lambda values: _quantisation(values, problem.float32))
    return sample.target - value, error + _quantisation(sample.target, problem.float32) + _made_with(problem, sample)


@lru_cache(maxsize=4)
def _made_with(problem: Problem, sample: Sample) -> Floats:
    """The rounding error in each target of the formula that made it, from the columns as they are: (rows,)."""
    formula = parse(problem.data_formula or problem.formula, problem.names)
    _, error = _value_and_error(formula, sample.columns, np.zeros_like)
    return error


def all_rows(problem: Problem, seed: int) -> Sample:
    """Training, validation and test rows of one draw together."""
    samples = problem.draw(seed).samples
    columns = np.concatenate([sample.columns for sample in samples], axis=1)
    return Sample(columns, np.concatenate([sample.target for sample in samples]))


def simplest_at_floor(problem: Problem, seed: int) -> tuple[Expression, float] | None:
    """The shortest law at the floor that pruning finds, if it is shorter than the truth, and its excess.

    Pruning drops terms and replaces functions by the beginning of their series, as often as the floor allows.
    """
    if problem.truth is None:
        return None
    sample = all_rows(problem, seed)
    screening = sample.rows(slice(NUM_SCREENING_ROWS))
    start = canonical(problem.truth)
    limit = complexity(start) + EXTRA_NODES
    seen, frontier, found = {start.key}, [start], [start]
    while frontier:
        law = frontier.pop()
        for pruned in prunings(law):
            if pruned.key in seen or complexity(pruned) > limit:
                continue
            seen.add(pruned.key)
            if excess(pruned, problem, screening) > MAX_REFITTED:
                continue
            reached = excess(pruned, problem, sample)
            if CLEARLY <= reached <= MAX_REFITTED:
                pruned = refitted(pruned, problem, sample)
                reached = excess(pruned, problem, sample)
            if reached < CLEARLY:
                frontier.append(pruned)
                found.append(pruned)
    best = min(found, key=complexity)
    return None if complexity(best) >= complexity(start) else (best, excess(best, problem, sample))


def prunings(law: Expression) -> Iterator[Expression]:
    """Canonical laws in which one subtree of the law is replaced by an approximation of it."""
    names = column_names(1 + max(law.columns, default=0))
    for index in range(len(law)):
        operands = [f"({to_text(operand, names)})" for operand in _operands(law, index)]
        if operands:
            for text in _approximations(_root_name(law.subtree(index)), operands):
                yield canonical(law.replaced(index, parse(text, names)))


def _operands(law: Expression, index: int) -> list[Expression]:
    operands: list[Expression] = []
    start, end = int(law.starts[index]), index - 1
    while end >= start:
        operands.insert(0, law.subtree(end))
        end = int(law.starts[end]) - 1
    return operands


def _root_name(law: Expression) -> str:
    return law.fold(lambda operator, _: operator.name, lambda _: "", lambda _: "")


def _approximations(name: str, operands: list[str]) -> list[str]:
    """The node for operands that are negligible, near 0, large (tanh, atan), or near 1 (roots, quotients)."""
    a, last = operands[0], operands[-1]
    if name in ("sin", "tan", "asin", "sinh", "abs"):
        return [a]
    return {
        "add": [a, last],
        "sub": [a, f"-{last}"],
        "tanh": [a, "1", "-1"],
        "atan": [a, "pi/2", "-pi/2"],
        "cos": ["1", f"1 - {a}^2/2"],
        "cosh": ["1", f"1 + {a}^2/2"],
        "exp": ["1", f"1 + {a}", f"1 + {a} + {a}^2/2"],
        "sqrt": [f"(1 + {a})/2"],
        "log": [f"{a} - 1"],
        "div": [f"{a}*(2 - {last})"],
        "inv": [f"2 - {last}"],
    }.get(name, [])


def _quantisation(values: Floats, float32: bool) -> Floats:
    """Half the spacing of the stored numbers around each value."""
    if float32:
        return 0.5 * np.spacing(np.abs(values).astype(np.float32)).astype(np.float64)
    return np.asarray(0.5 * np.spacing(np.abs(values)))


def _value_and_error(
    law: Expression, columns: Floats, quantisation: Callable[[Floats], Floats]
) -> tuple[Floats, Floats]:
    """Values of the law and a bound of their error to first order: (rows,) each; quantisation: of a column."""
    num_rows = columns.shape[1]

    def read(column: int) -> tuple[Floats, Floats]:
        values = columns[column]
        is_exact = bool((values == np.round(values)).all()) and float(np.abs(values).max()) < 2**24
        return values, np.zeros(num_rows) if is_exact else quantisation(values)

    def number(value: float) -> tuple[Floats, Floats]:
        error = 0.0 if value.is_integer() else ROUNDING * abs(value)
        return np.full(num_rows, value), np.full(num_rows, error)

    return law.fold(_propagate, read, number)


def _propagate(operator: Any, operands: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    values = [value for value, _ in operands]
    result = _applied(operator.name, values)
    # Library functions are good to one unit in the last place, arithmetic to half of one.
    error = 2.0 * ROUNDING * np.abs(result)
    for index, (value, uncertainty) in enumerate(operands):
        step = np.maximum(STEP * np.abs(value), uncertainty)
        step[step == 0.0] = STEP
        ahead, behind = values.copy(), values.copy()
        ahead[index], behind[index] = value + step, value - step
        slope = np.abs(_applied(operator.name, ahead) - _applied(operator.name, behind)) / (2.0 * step)
        error += np.where(uncertainty == 0.0, 0.0, slope * uncertainty)
    return result, error


def _applied(name: str, values: list[Floats]) -> Floats:
    return evaluate_expression(_operator_alone(name, len(values)), np.stack(values))


@cache
def _operator_alone(name: str, arity: int) -> Expression:
    names = column_names(arity)
    return parse(f"{name}({', '.join(names)})", names)
