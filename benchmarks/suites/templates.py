"""Laws whose form is known except for some functions: each problem carries its template.

They are made so that a search without the template has too much to find: two to four factors, terms or arguments, each
a function of its own with free constants. Problems that the search without a template solved, in 30 s of one processor
and 1 % noise, are not in the suite. `python -m benchmarks run --suite templates --templates` hands the template
to the method; without the switch it sees the rows alone.
"""

from __future__ import annotations

from benchmarks.suites.problem import Problem, Suite
from benchmarks.suites.sampling import TrainAndTest, uniform

NUM_TRAIN, NUM_TEST = 200, 500
Ranges = tuple[tuple[float, float], ...]

# name, template, law, ranges of the columns
LAWS: tuple[tuple[str, str, str, Ranges], ...] = (
    ("driven", "f(x0)*g(x1) + h(x2)", "1.37*sqrt(1.83 + x0)*exp(-0.63*x1) + 0.84*sin(2.3*x2)",
     ((0, 8), (0, 4), (0, 5))),
    ("quadrature", "sqrt(f(x0)^2 + g(x1)^2)", "sqrt((1.8*x0/(0.9 + x0))^2 + (0.7*exp(-0.4*x1))^2)",
     ((0.05, 4), (0, 5))),
    ("shifted", "f(x0 + x1)*g(x2)", "1.7*(x0 + x1)*exp(-0.4*(x0 + x1))/(1 + 1.7*x2^2)", ((0, 4), (0, 4), (0, 3))),
    ("competition", "f(x0)/(f(x0) + g(x1))", "x0^1.6/(x0^1.6 + 0.7 + 0.4*exp(0.8*x1))", ((0.2, 5), (0, 4))),
    ("light", "f(x0)*tanh(g(x1)) + a*x2", "2.3*x0/(1.1 + x0)*tanh(0.9*x1) + 0.37*x2", ((0.1, 6), (0, 3), (0, 4))),
    ("growth", "f(x0)*g(x1)*h(x2)", "2.6*x0/(1.2 + x0)*exp(-0.3*(x1 - 2.7)^2)*(1 - exp(-0.8*x2))",
     ((0.1, 6), (0, 5), (0.1, 4))),
    ("series", "1/(1/f(x0) + 1/g(x1))", "1/(1/(3.1*x0^1.3) + 1/(0.9*exp(0.5*x1)))", ((0.2, 4), (0, 4))),
    ("soft-sum", "log(1 + f(x0) + g(x1))", "log(1 + 0.8*exp(0.7*x0) + 2.3*x1^1.5)", ((0, 4), (0, 4))),
    ("exponent", "x0^f(x1)*g(x2)", "x0^(0.6 + 0.83*exp(-1.13*x1))*(1.3 + 0.9*sin(1.2*x2))", ((0.3, 5), (0, 4), (0, 5))),
    ("contrast", "f(x0 - x1)/(1 + g(x2))", "1.9*tanh(1.2*(x0 - x1))/(1 + 0.8*x2^1.5)", ((0, 3), (0, 3), (0, 3))),
    ("activated", "f(x0)*exp(-g(x1)/x2)", "2.9*x0/(0.7 + x0)*exp(-(1.1 + 0.6*x1^2)/x2)", ((0.1, 5), (0, 2), (0.5, 3))),
    ("approach", "f(x0)*(1 - exp(-g(x1)*x2))", "1.9*x0/(1.1 + x0)*(1 - exp(-(0.4 + 0.3*x1)*x2))",
     ((0.1, 5), (0, 4), (0.1, 4))),
    ("binding", "f(x0)/(x2 + g(x1))", "1.4*sqrt(x0)/(x2 + 0.6 + 0.35*exp(0.7*x1))", ((0.1, 6), (0, 3), (0.1, 4))),
    ("canopy", "f(x0)*g(x1)*h(x2)*k(x3)",
     "2.4*tanh(0.7*x0)*exp(-0.21*(x1 - 2.9)^2)/(1 + 0.63*x2)*(1 - exp(-1.3*x3))", ((0.1, 4), (0, 6), (0, 4), (0.1, 3))),
    ("exchanger", "x0/(1/f(x1) + g(x2) + 1/h(x3))",
     "x0/(1/(1.7*(1 - exp(-0.9*x1))) + 0.13*exp(0.4*x2) + 1/(0.6 + 0.9*log(1.5 + x3)))",
     ((0.5, 5), (0.2, 4), (0, 5), (0, 6))),
    ("two-drugs", "1 - (1 - f(x0))*(1 - g(x1))*exp(-h(x2)*x3)",
     "1 - (1 - x0^1.7/(2.1 + x0^1.7))*(1 - 0.8*x1/(1.4 + x1))*exp(-0.35*x2^0.6*x3)",
     ((0.1, 5), (0, 5), (0.1, 4), (0, 3))),
    ("response", "f(x0)*f(x1)/(f(x0) + f(x1) + f(x2))",
     "1.3*x0^1.5/(0.8 + x0)*(1.3*x1^1.5/(0.8 + x1))"
     "/(1.3*x0^1.5/(0.8 + x0) + 1.3*x1^1.5/(0.8 + x1) + 1.3*x2^1.5/(0.8 + x2))",
     ((0.1, 5), (0.1, 5), (0.1, 5))),
    ("attenuated", "sqrt(f(x0) + x1*g(x2))*exp(-h(x3)*x4)",
     "sqrt(1.2 + 0.4*x0^1.6 + x1*(0.3 + exp(-0.7*x2)))*exp(-(0.2 + 0.15*x3^2)*x4)",
     ((0, 4), (0, 4), (0, 4), (0, 3), (0, 2))),
    ("evaporation", "f(x0)*x1^a + g(x2 - x3)*h(x4)/(1 + x5)",
     "0.8*sqrt(1.1 + x0)*x1^0.65 + 1.7*tanh(0.9*(x2 - x3))*exp(-0.5*x4)/(1 + x5)",
     ((0, 8), (0.2, 4), (0, 3), (0, 3), (0, 4), (0, 3))),
    ("adsorption", "f(x0)*g(x4)/(1 + f(x0) + h(x1) + k(x2)*x3)",
     "1.9*x0^0.7*2.4*exp(-0.3*x4)/(1 + 1.9*x0^0.7 + 0.6*x1/(1.2 + x1) + 0.4*sqrt(x2)*x3)",
     ((0.1, 5), (0, 5), (0, 5), (0, 4), (0, 4))),
    ("dispersion", "f(x0)*sin(g(x1)*x2 + h(x3))", "1.6*x0/(0.7 + x0)*sin((0.8 + 0.5*sqrt(x1))*x2 + 0.4*x3^2)",
     ((0.1, 5), (0, 4), (0, 3), (0, 2))),
    ("hazard", "1 - exp(-f(x0)*g(x1) - h(x2)*x3^a)", "1 - exp(-0.5*x0^1.3/(1 + 0.8*x1) - 0.25*log(1.4 + x2)*x3^1.6)",
     ((0.1, 4), (0, 4), (0, 6), (0, 2))),
    ("two-rates", "f(x0)*(exp(-g(x1)*x2) - exp(-h(x3)*x2))",
     "1.6*x0/(1.3 + x0)*(exp(-(0.1 + 0.12*x1)*x2) - exp(-1.4*sqrt(x3)*x2))", ((0.1, 5), (0, 4), (0, 6), (0.5, 4))),
    ("two-waves", "f(x0)^2 + g(x1)^2 + 2*f(x0)*g(x1)*cos(h(x2))",
     "(1.4*exp(-0.3*x0))^2 + (0.9*x1/(0.6 + x1))^2 + 2*(1.4*exp(-0.3*x0))*(0.9*x1/(0.6 + x1))*cos(0.7*x2^1.5)",
     ((0, 5), (0.1, 4), (0, 3))),
    ("two-limits", "f(x0)*g(x1)/(f(x0) + g(x1))*h(x2)",
     "2.1*sqrt(x0)*(0.8 + 0.5*x1)/(2.1*sqrt(x0) + 0.8 + 0.5*x1)*exp(-0.07*x2^2)", ((0.1, 6), (0, 5), (0, 5))),
    ("rivalry", "f(x0)/(1 + f(x1)*g(x2))", "2.3*x0/(0.9 + x0)/(1 + 2.3*x1/(0.9 + x1)*exp(-0.6*x2))",
     ((0.1, 5), (0.1, 5), (0, 4))),
)  # fmt: skip


def templates_suite() -> Suite:
    """The suite `templates`."""
    return Suite("templates", tuple(_problem(*law) for law in LAWS))


def _problem(name: str, template: str, law: str, ranges: Ranges) -> Problem:
    source = TrainAndTest(uniform(NUM_TRAIN, *ranges), uniform(NUM_TEST, *ranges))
    return Problem("templates", f"template-{name}", law, len(ranges), source, template=template)
