"""The classic sets: Nguyen, Korns, Keijzer, Vladislavleva and Livermore, with their row specifications."""

from __future__ import annotations

import numpy as np

from benchmarks.suites.problem import Floats, Problem, Suite
from benchmarks.suites.sampling import Grid, Random, TrainAndTest, even, is_below_100, uniform


def _harmonic(columns: Floats) -> Floats:
    """The partial sums of 1/i up to the integer in the first column."""
    sums = np.cumsum(1.0 / np.arange(1.0, columns[0].max() + 1.0))
    return np.asarray(sums[columns[0].astype(np.int64) - 1])


def _unit(rows: int, *ranges: tuple[float, float]) -> Random:
    """Random rows of the list that Nguyen and Livermore come from, which keeps targets inside (-100, 100)."""
    return uniform(rows, *ranges, accept=is_below_100)


INNER, PAIR = _unit(20, (-1, 1)), _unit(20, (0, 1), (0, 1))
UP_TO_2, UP_TO_4 = _unit(20, (0, 2)), _unit(20, (0, 4))
SIGNED_PAIR = _unit(50, (-1, 1), (-1, 1))
KORNS_ROWS = uniform(10_000, *[(-50, 50)] * 5)
FEW_OF_PLANE, PLANE = uniform(20, (-3, 3), (-3, 3)), even((-3, 3, 0.01), (-3, 3, 0.01))

# A row is (formula, training rows) where test rows follow the training rows' distribution, else
# (formula, training rows, test rows); the number of a problem is its place in the list.
Row = tuple[str, Random | Grid] | tuple[str, Random | Grid, Random | Grid]

NGUYEN: tuple[Row, ...] = (
    ("x0 + x0^2 + x0^3", INNER),
    ("x0 + x0^2 + x0^3 + x0^4", INNER),
    ("x0 + x0^2 + x0^3 + x0^4 + x0^5", INNER),
    ("x0 + x0^2 + x0^3 + x0^4 + x0^5 + x0^6", INNER),
    ("sin(x0^2)*cos(x0) - 1", INNER),
    ("sin(x0) + sin(x0 + x0^2)", INNER),
    ("log(x0 + 1) + log(x0^2 + 1)", UP_TO_2),
    ("sqrt(x0)", UP_TO_4),
    ("sin(x0) + sin(x1^2)", PAIR),
    ("2*sin(x0)*cos(x1)", PAIR),
    ("x0^x1", PAIR),
    ("x0^4 - x0^3 + x1^2/2 - x1", PAIR),
)

# The raw formulas of 5, 6, 8, 9 and 15 are undefined for negative inputs; abs makes them total.
KORNS: tuple[Row, ...] = (
    ("1.57 + 24.3*x3", KORNS_ROWS),
    ("0.23 + 14.2*(x3 + x1)/(3*x4)", KORNS_ROWS),
    ("-5.41 + 4.9*(x3 - x0 + x1/x4)/(3*x4)", KORNS_ROWS),
    ("-2.3 + 0.13*sin(x2)", KORNS_ROWS),
    ("3 + 2.13*log(abs(x4))", KORNS_ROWS),
    ("1.3 + 0.13*sqrt(abs(x0))", KORNS_ROWS),
    ("213.80940889*(1 - exp(-0.54723748542*x0))", KORNS_ROWS),
    ("6.87 + 11*sqrt(abs(7.23*x0*x3*x4))", KORNS_ROWS),
    ("sqrt(abs(x0))/log(abs(x1))*exp(x2)/x3^2", KORNS_ROWS),
    ("0.81 + 24.3*(2*x1 + 3*x2^2)/(4*x3^3 + 5*x4^4)", KORNS_ROWS),
    ("6.87 + 11*cos(7.23*x0^3)", KORNS_ROWS),
    ("2 - 2.1*cos(9.8*x0)*sin(1.3*x4)", KORNS_ROWS),
    ("32 - 3*tan(x0)*tan(x2)/(tan(x1)*tan(x3))", KORNS_ROWS),
    ("22 - 4.2*(cos(x0) - tan(x1))*tanh(x2)/sin(x3)", KORNS_ROWS),
    ("12 - 6*tan(x0)/exp(x1)*(log(abs(x2)) - tan(x3))", KORNS_ROWS),
)

HARMONIC = "harmonic(x0)"
KEIJZER: tuple[Row, ...] = (
    ("0.3*x0*sin(2*pi*x0)", even((-1, 1, 0.1)), even((-1, 1, 0.001))),
    ("0.3*x0*sin(2*pi*x0)", even((-2, 2, 0.1)), even((-2, 2, 0.001))),
    ("0.3*x0*sin(2*pi*x0)", even((-3, 3, 0.1)), even((-3, 3, 0.001))),
    ("x0^3*exp(-x0)*cos(x0)*sin(x0)*(sin(x0)^2*cos(x0) - 1)", even((0, 10, 0.05)), even((0.05, 10.05, 0.05))),
    ("30*x0*x2/((x0 - 10)*x1^2)", uniform(1000, (-1, 1), (1, 2), (-1, 1)), uniform(10_000, (-1, 1), (1, 2), (-1, 1))),
    (HARMONIC, even((1, 50, 1)), even((1, 120, 1))),
    ("log(x0)", even((1, 100, 1)), even((1, 100, 0.1))),
    ("sqrt(x0)", even((0, 100, 1)), even((0, 100, 0.1))),
    ("log(x0 + sqrt(x0^2 + 1))", even((0, 100, 1)), even((0, 100, 0.1))),
    ("x0^x1", uniform(100, (0, 1), (0, 1)), even((0, 1, 0.01), (0, 1, 0.01))),
    ("x0*x1 + sin((x0 - 1)*(x1 - 1))", FEW_OF_PLANE, PLANE),
    ("x0^4 - x0^3 + x1^2/2 - x1", FEW_OF_PLANE, PLANE),
    ("6*sin(x0)*cos(x1)", FEW_OF_PLANE, PLANE),
    ("8/(2 + x0^2 + x1^2)", FEW_OF_PLANE, PLANE),
    ("x0^3/5 + x1^3/2 - x1 - x0", FEW_OF_PLANE, PLANE),
)

WAVE = "exp(-x0)*x0^3*cos(x0)*sin(x0)*(cos(x0)*sin(x0)^2 - 1)"
VLADISLAVLEVA: tuple[Row, ...] = (
    (
        "exp(-(x0 - 1)^2)/(1.2 + (x1 - 2.5)^2)",
        uniform(100, (0.3, 4), (0.3, 4)),
        even((-0.2, 4.2, 0.1), (-0.2, 4.2, 0.1)),
    ),
    (WAVE, even((0.05, 10, 0.1)), even((-0.5, 10.5, 0.05))),
    (f"{WAVE}*(x1 - 5)", even((0.05, 10, 0.1), (0.05, 10.05, 2)), even((-0.5, 10.5, 0.05), (-0.5, 10.5, 0.5))),
    (
        "10/(5 + (x0 - 3)^2 + (x1 - 3)^2 + (x2 - 3)^2 + (x3 - 3)^2 + (x4 - 3)^2)",
        uniform(1024, *[(0.05, 6.05)] * 5),
        uniform(5000, *[(-0.25, 6.35)] * 5),
    ),
    (
        "30*(x0 - 1)*(x2 - 1)/((x0 - 10)*x1^2)",
        uniform(300, (0.05, 2), (1, 2), (0.05, 2)),
        even((-0.05, 2.1, 0.15), (0.95, 2.05, 0.1), (-0.05, 2.1, 0.15)),
    ),
    ("6*sin(x0)*cos(x1)", uniform(30, (0.1, 5.9), (0.1, 5.9)), even((-0.05, 6.05, 0.02), (-0.05, 6.05, 0.02))),
    (
        "(x0 - 3)*(x1 - 3) + 2*sin((x0 - 4)*(x1 - 4))",
        uniform(300, (0.05, 6.05), (0.05, 6.05)),
        uniform(1000, (-0.25, 6.35), (-0.25, 6.35)),
    ),
    (
        "((x0 - 3)^4 + (x1 - 3)^3 - (x1 - 3))/((x1 - 2)^4 + 10)",
        uniform(50, (0.05, 6.05), (0.05, 6.05)),
        even((-0.25, 6.35, 0.2), (-0.25, 6.35, 0.2)),
    ),
)

LIVERMORE: tuple[Row, ...] = (
    ("1/3 + x0 + sin(x0^2)", _unit(1000, (-10, 10))),
    ("sin(x0^2)*cos(x0) - 2", INNER),
    ("sin(x0^3)*cos(x0^2) - 1", INNER),
    ("log(x0 + 1) + log(x0^2 + 1) + log(x0)", UP_TO_2),
    ("x0^4 - x0^3 + x1^2 - x1", PAIR),
    ("4*x0^4 + 3*x0^3 + 2*x0^2 + x0", INNER),
    ("(exp(x0) - exp(-x0))/2", INNER),
    ("(exp(x0) + exp(-x0))/2", INNER),
    ("x0 + x0^2 + x0^3 + x0^4 + x0^5 + x0^6 + x0^7 + x0^8 + x0^9", INNER),
    ("6*sin(x0)*cos(x1)", PAIR),
    ("x0^2*x1^2/(x0 + x1)", SIGNED_PAIR),
    ("x0^5/x1^3", SIGNED_PAIR),
    ("x0^(1/3)", UP_TO_4),
    ("x0^3 + x0^2 + x0 + sin(x0) + sin(x1^2)", _unit(20, (-1, 1), (-1, 1))),
    ("x0^(1/5)", UP_TO_4),
    ("x0^(2/3)", UP_TO_4),
    ("4*sin(x0)*cos(x1)", PAIR),
    ("sin(x0^2)*cos(x0) - 5", INNER),
    ("log(x0^2 + x0) + log(x0^3 + x0)", UP_TO_2),
    ("x0^5 + x0^4 + x0^2 + x0", INNER),
    ("exp(-x0^2)", INNER),
    ("x0 + x0^2 + x0^3 + x0^4 + x0^5 + x0^6 + x0^7 + x0^8", INNER),
)

INEXPRESSIBLE = "inexpressible: the partial sum of 1/i is no elementary function"


def _problem(suite: str, identifier: str, row: Row) -> Problem:
    formula, train, test = row[0], row[1], row[-1]
    assert isinstance(train, Random | Grid)
    assert isinstance(test, Random | Grid)
    source = TrainAndTest(train, test)
    if formula == HARMONIC:
        return Problem(suite, identifier, formula, 1, source, unidentifiable=INEXPRESSIBLE, data_law=_harmonic)
    return Problem(suite, identifier, formula, len(train.axes), source)


def classic_suites() -> tuple[Suite, ...]:
    """The five classic suites."""
    families = {
        "Nguyen": NGUYEN,
        "Korns": KORNS,
        "Keijzer": KEIJZER,
        "Vladislavleva": VLADISLAVLEVA,
        "Livermore": LIVERMORE,
    }
    return tuple(
        Suite(
            family.lower(),
            tuple(_problem(family.lower(), f"{family}-{index}", row) for index, row in enumerate(rows, 1)),
        )
        for family, rows in families.items()
    )
