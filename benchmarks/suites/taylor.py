"""The Taylor-order study: data follow truncated Taylor series, so the polynomial is the truth at every order."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial

from benchmarks.suites.problem import Problem, Suite
from benchmarks.suites.sampling import Random, TrainAndTest, uniform

ORDERS = (2, 5, 7, 10)
# The study names no rows and no ranges. The predictions printed there contain the means and deviations of their inputs,
# which fit (-0.5, 0.5), (-3, 3) and uniform draws over the ranges that SRSD gives these two laws.
NUM_ROWS = 200


def _power(base: str, exponent: int) -> str:
    return base if exponent == 1 else f"{base}^{exponent}"


def _sum(terms: list[tuple[int, str]]) -> str:
    """Signed terms as text; the first sign is printed only when negative."""
    (first_sign, first), *rest = terms
    text = f"-{first}" if first_sign < 0 else first
    return text + "".join(f" {'-' if sign < 0 else '+'} {term}" for sign, term in rest)


def _log_series(order: int) -> str:
    terms = [(1 if k % 2 else -1, "x0" if k == 1 else f"{_power('x0', k)}/{k}") for k in range(1, order + 1)]
    return _sum(terms)


def _odd_series(base: str, order: int, first_sign: int) -> str:
    """The series of first_sign x sin(base) about base = 0."""
    terms = []
    for k in range(1, order + 1, 2):
        sign = first_sign * (-1) ** (k // 2)
        terms.append((sign, base if k == 1 else f"{_power(base, k)}/{factorial(k)}"))
    return _sum(terms)


def _sine_series(order: int) -> str:
    return _odd_series("x0", order, 1)


def _torque_series(order: int) -> str:
    """x0*x1*sin(x2) about x2 = pi, where sin(pi + u) = -sin(u)."""
    return f"x0*x1*({_odd_series('(x2 - pi)', order, -1)})"


def _lorentz_series(order: int) -> str:
    """x0*(x1 + x2*x3*sin(x4)) about x4 = pi/4, where every derivative is plus or minus sqrt(2)/2."""
    base = "(x4 - pi/4)"
    terms = [(1, "1"), (1, base)]
    terms += [((1, 1, -1, -1)[k % 4], f"{_power(base, k)}/{factorial(k)}") for k in range(2, order + 1)]
    return f"x0*(x1 + sqrt(2)/2*x2*x3*({_sum(terms)}))"


TWO_PI, HALF_PI = 6.283185307179586, 1.5707963267948966
BASES: dict[str, tuple[Callable[[int], str], Random]] = {
    "log": (_log_series, uniform(NUM_ROWS, (-0.5, 0.5))),
    "sin": (_sine_series, uniform(NUM_ROWS, (-3, 3))),
    "feynman-i.18.12": (_torque_series, uniform(NUM_ROWS, (0.1, 10), (0.1, 10), (0, TWO_PI))),
    "feynman-i.12.11": (
        _lorentz_series,
        uniform(NUM_ROWS, (-10, 10), (0.1, 10), (0.1, 10), (0.1, 10), (0, HALF_PI)),
    ),
}


def taylor_suite() -> Suite:
    """Every base at every order."""
    problems = [
        Problem("taylor", f"taylor-{name}-{order}", series(order), len(rows.axes), TrainAndTest(rows, rows))
        for name, (series, rows) in BASES.items()
        for order in ORDERS
    ]
    return Suite("taylor", tuple(problems))
