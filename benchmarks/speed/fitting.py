"""Speed of fits: against scipy, warm, cold and screened fits per second; how often they succeed; their memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray
from scipy.optimize import least_squares

from benchmarks.speed.fitting_problems import ConstantProblem, derivatives_at, draw_problems
from benchmarks.speed.row import Row, race, seconds
from mosaic_sr import Expression, evaluate_expression, parse
from mosaic_sr.fitting import FitConfig, fit_constants
from mosaic_sr.kernel.jit import COLUMNS, FLOATS, INTS, OUT, OUT_ROWS, compiled
from mosaic_sr.kernel.levenberg import TOLERANCE, fit_program
from mosaic_sr.kernel.linear import OUT_PLAN, PLAN_ROWS
from mosaic_sr.kernel.moments import fit_work_size
from mosaic_sr.kernel.multistart import fit_from_starts, screen_program
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]

NAMES = ("x0", "x1", "x2")
NO_WEIGHTS = np.empty(0)
NUM_PROBLEMS = 300
CANDIDATE = "_*sin(_*x0) + x1*x2"  # ten nodes, two constants
SCREENED = "_*sin(x0*x1) + _*x2"  # ten nodes, two linear constants


def rows() -> Iterator[Row]:
    """All figures of this part."""
    yield from scipy_rows()
    yield from rate_rows()
    yield from success_rows()
    yield from memory_rows()


@compiled(f"float64({INTS}, {INTS}, {COLUMNS}, {INTS}, {COLUMNS}, {FLOATS}, {FLOATS}, {OUT_PLAN}, {OUT}, {OUT}, int64)")
def fit_often(codes, slots, starts, own, columns, target, weights, plan, buffer, constants, times):
    """Fit from compiled code, from each start in turn, as a search does; returns the last loss."""
    loss = 0.0
    for repetition in range(times):
        start = starts[repetition % len(starts)]
        for index in range(len(constants)):
            constants[index] = start[index]
        loss = fit_program(codes, slots, constants, own, columns, target, weights, 60, 1e-30, TOLERANCE, plan, buffer)[
            1
        ]
    return loss


@compiled(f"float64({INTS}, {INTS}, {FLOATS}, {INTS}, {COLUMNS}, {FLOATS}, {FLOATS}, {OUT_PLAN}, {OUT}, int64)")
def screen_often(codes, slots, constants, own, columns, target, weights, plan, buffer, times):
    """Screen from compiled code; returns the sum of the losses."""
    total = 0.0
    for _ in range(times):
        total += screen_program(codes, slots, constants, own, columns, target, weights, plan, buffer)
    return total


@compiled(
    f"float64({INTS}, {INTS}, {OUT}, {INTS}, {COLUMNS}, {FLOATS}, {COLUMNS}, {COLUMNS}, {FLOATS}, {FLOATS},"
    f" {OUT_PLAN}, {OUT}, {OUT_ROWS}, int64)"
)
def start_often(
    codes,
    slots,
    constants,
    own,
    few_columns,
    few,
    few_weights,
    columns,
    target,
    weights,
    plan,
    buffer,
    candidates,
    times,
):
    """Fit from sixteen starts, from compiled code; returns the last loss."""
    loss = 0.0
    for _ in range(times):
        constants[:] = np.nan
        loss = fit_from_starts(
            codes, slots, constants, own, few_columns, few, few_weights, columns, target, weights,
            16, 8, 60, 1e-30, TOLERANCE, 0.0, plan, buffer, candidates,
        )[1]  # fmt: skip
    return loss


class Bench:
    """A formula, its rows and the buffers of its fits."""

    def __init__(self, text: str, truth: list[float], num_rows: int, noise: float = 0.01) -> None:
        rng = np.random.default_rng(0)
        self.expression: Expression = parse(text, NAMES)
        self.columns = rng.uniform(0.5, 3.0, (3, num_rows))
        exact = evaluate_expression(self.expression.with_constants(truth), self.columns)
        self.target = exact + noise * rng.normal(size=num_rows)
        self.truth = np.array(truth)
        self.own = np.arange(len(truth), dtype=np.int32)
        self.plan = np.zeros((PLAN_ROWS, len(self.expression)), dtype=np.int64)
        self.buffer = np.empty(fit_work_size(len(self.expression), len(truth)))

    def fits(self, starts: Floats) -> Callable[[int], float]:
        """The action that fits from each of the starts in turn."""
        program = self.expression.codes, self.expression.slots
        constants = np.empty(len(self.truth))
        numbers = self.own, self.columns, self.target, NO_WEIGHTS, self.plan, self.buffer, constants
        return lambda times: float(fit_often(*program, starts, *numbers, times))


def scipy_rows() -> Iterator[Row]:
    """One start of four constants, two of them linear, against scipy with residual and Jacobian from sympy."""
    bench = Bench("_*sin(_*x0) + _*exp(_*x1)", [2.5, 1.7, 0.3, 0.8], 256)
    start = np.array([[1.0, 1.4, 1.0, 0.5]])
    residual, jacobian = lambdified(bench)
    peers = {
        method: lambda times, method=method: [
            least_squares(residual, start[0], jac=jacobian, method=method) for _ in range(times)
        ]
        for method in ("lm", "trf")
    }
    ours = bench.fits(start)
    times = race([ours, *peers.values()])
    for method, peer, goal in zip(peers, times[1:], (">= 10", ">= 50"), strict=True):
        yield Row(
            f"fit of a*sin(b*x0)+c*exp(d*x1), 256 rows, us, scipy {method}",
            1e6 * times[0],
            1e6 * peer,
            peer / times[0],
            goal,
        )
    error = ours(1) / (2.0 * peers["lm"](1)[0].cost)
    yield Row("  its final error over scipy's", error, goal="<= 1.000001")


def lambdified(bench: Bench) -> tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]:
    """Residual (rows,) and Jacobian (rows, constants) as numpy functions made by sympy."""
    a, b, c, d, x0, x1 = symbols = sympy.symbols("a b c d x0 x1")
    formula = a * sympy.sin(b * x0) + c * sympy.exp(d * x1)
    value = sympy.lambdify(symbols, formula, "numpy")
    slopes = sympy.lambdify(symbols, [formula.diff(symbol) for symbol in (a, b, c, d)], "numpy")
    columns = bench.columns[0], bench.columns[1]
    return (
        lambda constants: value(*constants, *columns) - bench.target,
        lambda constants: np.stack(slopes(*constants, *columns), axis=1),
    )


def rate_rows() -> Iterator[Row]:
    """Fits and screenings per second."""
    bench = Bench(CANDIDATE, [2.0, 1.3], 200)
    near = bench.truth * np.random.default_rng(1).uniform(0.9, 1.1, (16, 2))
    yield Row(
        "warm refits of ten nodes, two constants, 200 rows, per second",
        1.0 / seconds(bench.fits(near)),
        goal=">= 10000",
    )
    few = np.linspace(0, 199, 32).astype(np.int64)
    few_columns, few_target = np.ascontiguousarray(bench.columns[:, few]), bench.target[few]
    few_weights = np.array([np.ones(32), few_target**-2.0])
    program, candidates = (bench.expression.codes, bench.expression.slots), np.empty((16, 3))
    numbers = bench.own, few_columns, few_target, few_weights, bench.columns, bench.target, NO_WEIGHTS
    cold = seconds(
        lambda times: start_often(*program, np.empty(2), *numbers, bench.plan, bench.buffer, candidates, times)
    )
    yield Row("cold fits from 16 starts of the same, per second", 1.0 / cold)
    screen = Bench(SCREENED, [2.0, 1.3], 32)
    parts = screen.expression.codes, screen.expression.slots, screen.truth, screen.own, screen.columns, screen.target
    each = seconds(lambda times: screen_often(*parts, NO_WEIGHTS, screen.plan, screen.buffer, times))
    yield Row("screenings of ten nodes, 32 rows, per second", 1.0 / each, goal=">= 200000")


def is_found(problem: ConstantProblem, loss: float) -> bool:
    """Whether the residual is rounding: 1e-12 of the target's spread, or what one rounding of each constant does."""
    moves = np.abs(derivatives_at(problem.truth, problem.columns) * problem.truth.constants[:, None]).sum(axis=0)
    rounding = np.finfo(np.float64).eps * (np.abs(problem.target) + moves)
    spread = problem.target.std()
    return bool(np.sqrt(loss) * spread <= 1e-12 * spread + 8.0 * np.sqrt(np.mean(np.square(rounding))))


def success_rows() -> Iterator[Row]:
    """How often sixteen starts find the constants of generated formulas, by the number of nonlinear ones."""
    problems, rejected = draw_problems(seed=0, count=NUM_PROBLEMS)
    yield Row(f"{NUM_PROBLEMS} generated formulas: share of draws rejected", rejected)
    several = np.mean([problem.num_nonlinear >= 2 for problem in problems])
    yield Row("  share with two or more nonlinear constants", float(several), goal=">= 0.4")
    found: dict[int, list[bool]] = {}
    for problem in problems:
        fit = fit_constants(problem.formula, Rows(problem.columns, problem.target, NO_WEIGHTS), FitConfig())
        found.setdefault(problem.num_nonlinear, []).append(is_found(problem, fit.loss))
    for counts, goal in (((0, 1), ">= 0.95"), ((2, 3), ">= 0.8"), ((4, 5), "")):
        outcomes = [outcome for count in counts for outcome in found.get(count, [])]
        share = float(np.mean(outcomes)) if outcomes else None
        yield Row(f"  found of {len(outcomes)} with {counts[0]}-{counts[1]} nonlinear constants", share, goal=goal)


def memory_rows() -> Iterator[Row]:
    """A fit over ten million rows, and the memory that it takes beside the table."""
    bench = Bench("_*sin(_*x0) + _", [2.0, 1.3, 0.5], 10_000_000)
    table = Rows(bench.columns, bench.target, NO_WEIGHTS)
    tracemalloc.start()
    fit: Any = None

    def once(times: int) -> None:
        nonlocal fit
        fit = fit_constants(bench.expression, table, FitConfig(starts=4))

    elapsed = seconds(once, rounds=1)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    yield Row("cold fit of three constants on 1e7 rows, seconds", elapsed)
    yield Row("  memory in addition to the table of 320 MB, MB", most / 1e6, goal="<= 100")
