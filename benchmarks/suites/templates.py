"""Laws whose form is known except for some functions: each problem carries its template.

They are made so that a search without the template has too much to find: two or three factors, terms or arguments, each
a function of its own with free constants. `python -m benchmarks run --suite templates --templates` hands the template
to the method; without the switch it sees the rows alone.
"""

from __future__ import annotations

from benchmarks.suites.problem import Problem, Suite
from benchmarks.suites.sampling import TrainAndTest, uniform

NUM_TRAIN, NUM_TEST = 200, 500
Ranges = tuple[tuple[float, float], ...]

# name, template, law, ranges of the columns
LAWS: tuple[tuple[str, str, str, Ranges], ...] = (
    ("inhibition", "f(x0)/(1 + g(x1))*x2^a", "3.2*x0/(1.9 + x0)/(1 + 0.19*x1^2)*x2^1.4", ((0.1, 10), (0, 5), (1, 3))),
    ("phase", "sin(f(x0, x1)) + g(x2)", "sin(1.3*x0*x1) + 0.7*exp(-0.9*x2)", ((0.2, 2), (0.2, 2), (0, 4))),
    ("difference", "f(x0) - f(x1)", "2.1*x0^2/(1.3 + x0^2) - 2.1*x1^2/(1.3 + x1^2)", ((0.1, 5), (0.1, 5))),
    ("driven", "f(x0)*g(x1) + h(x2)", "1.37*sqrt(1.83 + x0)*exp(-0.63*x1) + 0.84*sin(2.3*x2)",
     ((0, 8), (0, 4), (0, 5))),
    ("quadrature", "sqrt(f(x0)^2 + g(x1)^2)", "sqrt((1.8*x0/(0.9 + x0))^2 + (0.7*exp(-0.4*x1))^2)",
     ((0.05, 4), (0, 5))),
    ("survival", "exp(-f(x0)*g(x1))", "exp(-0.8*x0^0.7/(1 + 0.6*x1^2))", ((0.1, 5), (0, 3))),
    ("shifted", "f(x0 + x1)*g(x2)", "1.7*(x0 + x1)*exp(-0.4*(x0 + x1))/(1 + 1.7*x2^2)", ((0, 4), (0, 4), (0, 3))),
    ("competition", "f(x0)/(f(x0) + g(x1))", "x0^1.6/(x0^1.6 + 0.7 + 0.4*exp(0.8*x1))", ((0.2, 5), (0, 4))),
    ("light", "f(x0)*tanh(g(x1)) + a*x2", "2.3*x0/(1.1 + x0)*tanh(0.9*x1) + 0.37*x2", ((0.1, 6), (0, 3), (0, 4))),
    ("growth", "f(x0)*g(x1)*h(x2)", "2.6*x0/(1.2 + x0)*exp(-0.3*(x1 - 2.7)^2)*(1 - exp(-0.8*x2))",
     ((0.1, 6), (0, 5), (0.1, 4))),
    ("series", "1/(1/f(x0) + 1/g(x1))", "1/(1/(3.1*x0^1.3) + 1/(0.9*exp(0.5*x1)))", ((0.2, 4), (0, 4))),
    ("similarity", "f(x0/x1)*x1^a", "2.2*(x0/x1)/(1 + 0.6*(x0/x1)^2)*x1^1.6", ((0.2, 5), (0.5, 3))),
    ("soft-sum", "log(1 + f(x0) + g(x1))", "log(1 + 0.8*exp(0.7*x0) + 2.3*x1^1.5)", ((0, 4), (0, 4))),
    ("exponent", "x0^f(x1)*g(x2)", "x0^(0.6 + 0.83*exp(-1.13*x1))*(1.3 + 0.9*sin(1.2*x2))", ((0.3, 5), (0, 4), (0, 5))),
    ("pairs", "f(x0, x1) + f(x1, x2)", "x0*exp(-0.6*x1) + x1*exp(-0.6*x2)", ((0, 4), (0, 4), (0, 4))),
    ("mixture", "a*f(x0) + (1 - a)*f(x1)", "0.35*x0^2/(2.1 + x0^2) + 0.65*x1^2/(2.1 + x1^2)", ((0, 5), (0, 5))),
    ("contrast", "f(x0 - x1)/(1 + g(x2))", "1.9*tanh(1.2*(x0 - x1))/(1 + 0.8*x2^1.5)", ((0, 3), (0, 3), (0, 3))),
    ("activated", "f(x0)*exp(-g(x1)/x2)", "2.9*x0/(0.7 + x0)*exp(-(1.1 + 0.6*x1^2)/x2)", ((0.1, 5), (0, 2), (0.5, 3))),
    ("additive", "f(x0) + g(x1) + h(x2)", "1.53*exp(-0.84*x0) + 1.24*log(1.63 + x1) + 0.92*sin(1.73*x2)",
     ((0, 5), (0, 8), (0, 6))),
    ("approach", "f(x0)*(1 - exp(-g(x1)*x2))", "1.9*x0/(1.1 + x0)*(1 - exp(-(0.4 + 0.3*x1)*x2))",
     ((0.1, 5), (0, 4), (0.1, 4))),
    ("binding", "f(x0)/(x2 + g(x1))", "1.4*sqrt(x0)/(x2 + 0.6 + 0.35*exp(0.7*x1))", ((0.1, 6), (0, 3), (0.1, 4))),
)  # fmt: skip


def templates_suite() -> Suite:
    """The suite `templates`."""
    return Suite("templates", tuple(_problem(*law) for law in LAWS))


def _problem(name: str, template: str, law: str, ranges: Ranges) -> Problem:
    source = TrainAndTest(uniform(NUM_TRAIN, *ranges), uniform(NUM_TEST, *ranges))
    return Problem("templates", f"template-{name}", law, len(ranges), source, template=template)
