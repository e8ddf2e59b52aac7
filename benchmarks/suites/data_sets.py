"""The suite `class`: one law, ten data sets of 100 rows, and constants that differ from set to set.

The laws, their ranges and the number of sets are those of the benchmark with which Class Symbolic Regression was
published (PhySO). Columns behind the variables are constants of the data sets; no method sees them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.suites.problem import Draw, Law, Problem, Sample, Suite

NUM_SETS, NUM_ROWS = 10, 100
Range = tuple[float, float]
# id -> formula, ranges of the variables x0, x1, .., and of the constants of a data set behind them
LAWS: dict[str, tuple[str, tuple[Range, ...], tuple[Range, ...]]] = {
    "harmonic-oscillator": ("x1*cos(x2*x0 + x3)", ((0.0, 9.42),), ((0.6, 1.2), (0.2, 1.5), (0.95, 1.15))),
    "radioactive-decay": ("x1*exp(-x0/x2)", ((0.5, 6.0),), ((0.4, 2.0), (0.9, 1.4))),
    "free-fall": ("-0.5*9.81*x0^2 + x1*x0 + x2", ((0.0, 1.0),), ((-2.0, 8.0), (-3.0, 3.0))),
    "damped-oscillator-a": ("exp(-x1*x0)*cos(1.389*x0 + x2)", ((0.0, 9.42),), ((0.2, 1.0), (-0.2, 0.3))),
    "damped-oscillator-b": ("exp(-0.345*x0)*cos(x1*x0 + x2)", ((0.0, 9.42),), ((0.6, 1.4), (-0.2, 0.3))),
    "black-body": ("1/(exp(5.90*x0/x1) - 1)", ((1.0, 5.0),), ((1.0, 5.0),)),
    "ideal-gas": ("x2*8.314*x0/x1", ((1.0, 5.0), (1.0, 5.0)), ((1.0, 5.0),)),
    "terminal-velocity": ("sqrt(2*x0*9.807/(x2*x1*0.470))", ((1.0, 10.0), (1.0, 5.0)), ((1.0, 6.0),)),
}
# Percent of runs with the right form that were published, by noise, with ten data sets.
PUBLISHED = {0.0: 82.5, 0.001: 82.5, 0.01: 75.0, 0.1: 62.5}


@dataclass(frozen=True)
class DataSets:
    """Draws the constants of each data set and as many training as test rows of it."""

    variables: tuple[Range, ...]
    constants: tuple[Range, ...]

    def draw(self, law: Law, rng: np.random.Generator) -> Draw:
        """Rows of all data sets; the groups of a sample number them."""
        chosen = [[rng.uniform(*own) for own in self.constants] for _ in range(NUM_SETS)]
        return Draw(self._sample(law, chosen, rng), None, self._sample(law, chosen, rng))

    def _sample(self, law: Law, constants: list[list[float]], rng: np.random.Generator) -> Sample:
        sets = [
            np.array(
                [*(rng.uniform(*own, NUM_ROWS) for own in self.variables), *(np.full(NUM_ROWS, one) for one in each)]
            )
            for each in constants
        ]
        columns = np.concatenate(sets, axis=1)
        return Sample(columns, law(columns), groups=np.repeat(np.arange(NUM_SETS), NUM_ROWS))


def class_suite() -> Suite:
    """Eight laws."""
    problems = [
        Problem(
            "class", f"class-{name}", formula, len(variables) + len(constants), DataSets(variables, constants),
            num_hidden=len(constants),
        )
        for name, (formula, variables, constants) in LAWS.items()
    ]  # fmt: skip
    return Suite("class", tuple(problems))
