"""Draws laws of the generated suites: four makers, three sizes, and rows that show every variable and every term."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.suites.generated import make_problem
from benchmarks.suites.identifiability import all_rows, prunings
from benchmarks.suites.problem import Floats, Problem, Sample, column_names
from benchmarks.suites.sampling import Random, Slices
from mosaic_sr import (
    Expression,
    GeneratorConfig,
    canonical,
    complexity,
    evaluate_expression,
    generate,
    num_operators,
    parse,
    skeleton_hash,
    to_text,
)

MAX_VARIABLES = 5
# Operators of small, middle and large laws, both ends included.
SIZES = ((1, 4), (5, 8), (9, 12))
NUM_LAW_TRIALS = 300
NUM_AXES_TRIALS = 8

MIN_ACCEPTANCE = 0.5
MIN_SPREAD = 0.02  # standard deviation of y over its root mean square
MAX_ROW_SHARE = 0.3  # share of the variance of y that one row may carry
MIN_EFFECT = 0.02  # what shuffling a column changes, over the standard deviation of y
MAX_ROUGHNESS = 0.2  # what moving the columns by a thousandth changes, over the standard deviation of y
MIN_PRUNED_NMSE = 1e-6  # what the nearest pruned law must miss

EXPONENTS = (1, 1, 1, 1, 2, 2, 3, -1, -1, -2, -3, 0.5, -0.5)
RANGES = ((0, 1), (0.1, 5), (1, 5), (0.5, 2), (0, 10), (-1, 1), (-3, 3), (-5, 5), (2, 20))
OUTER = (
    "exp(-({u}))",
    "exp({u})",
    "sin({u})",
    "cos({u})",
    "sqrt({u})",
    "log({u})",
    "log(1 + {u})",
    "tanh({u})",
    "atan({u})",
    "1/(1 + {u})",
    "1/(exp({u}) - 1)",
    "sqrt(1 + ({u})^2)",
    "1 - exp(-({u}))",
    "({u})/(1 + {u})",
    "({u})*exp(-({u}))",
    "({u})^2*cos({u})",
)


def monomial_text(rng: np.random.Generator, num_variables: int) -> str:
    """A number times powers of every variable."""
    factors = [f"x{column}^({exponent})" for column, exponent in enumerate(rng.choice(EXPONENTS, num_variables))]
    return "*".join([_constant_text(rng), *factors]) if rng.random() < 0.6 else "*".join(factors)


def sum_text(rng: np.random.Generator, num_variables: int) -> str:
    """A sum of two to four monomials over some of the variables, sometimes over or times another factor."""
    terms = [_partial_monomial(rng, num_variables) for _ in range(int(rng.integers(2, 5)))]
    total = " + ".join(terms)
    if rng.random() < 0.5:
        return total
    return f"({total}){rng.choice(['*', '/'])}({_partial_monomial(rng, num_variables)})"


def composition_text(rng: np.random.Generator, num_variables: int) -> str:
    """A function of a monomial or of a sum, with a factor in front or a term behind."""
    inner = _partial_monomial(rng, num_variables) if rng.random() < 0.6 else sum_text(rng, num_variables)
    text = str(rng.choice(OUTER)).format(u=inner)
    if rng.random() < 0.5:
        text = f"({_partial_monomial(rng, num_variables)})*({text})"
    return f"{text} + {_partial_monomial(rng, num_variables)}" if rng.random() < 0.3 else text


def _partial_monomial(rng: np.random.Generator, num_variables: int) -> str:
    columns = rng.permutation(num_variables)[: int(rng.integers(1, min(num_variables, 3) + 1))]
    factors = [f"x{column}^({rng.choice(EXPONENTS)})" for column in columns]
    return "*".join([_constant_text(rng), *factors]) if rng.random() < 0.5 else "*".join(factors)


def _constant_text(rng: np.random.Generator) -> str:
    """Small integers, numbers of two digits near 1, and numbers of three digits over six decades, of either sign."""
    kind = rng.random()
    if kind < 0.4:
        value = float(rng.integers(2, 11))
    elif kind < 0.75:
        value = round(float(rng.uniform(0.1, 10.0)), 1)
    else:
        value = float(f"{10.0 ** rng.uniform(-3.0, 3.0):.3g}")
    return f"({value if rng.random() < 0.7 else -value!r})"


TEXTS: dict[str, Callable[[np.random.Generator, int], str]] = {
    "monomial": monomial_text,
    "sum": sum_text,
    "composition": composition_text,
}


def make_law(maker: str, num_operators: int, num_variables: int, rng: np.random.Generator) -> Expression:
    """A canonical law, its numbers rounded to four digits and its columns renumbered without gaps."""
    if maker == "random":
        # The canonical form is often shorter than what it came from.
        config = GeneratorConfig(num_variables, min_operators=num_operators, max_operators=num_operators + 2)
        law = generate(rng, config)
    else:
        law = parse(TEXTS[maker](rng, num_variables), column_names(num_variables))
    law = canonical(law)
    law = law.with_constants([float(f"{value:.4g}") for value in law.constants])
    columns = law.columns
    return law.renamed([columns.index(column) if column in columns else 0 for column in range(num_variables)])


def random_axis(rng: np.random.Generator) -> list[Any]:
    """The distribution of a column: plain ranges, decades near 1, decades far from 1, counts."""
    kind = rng.random()
    if kind < 0.4:
        low, high = RANGES[int(rng.integers(len(RANGES)))]
        return ["uniform", low, high, "+"]
    if kind < 0.88:
        exponent = int(rng.integers(-2, 2)) if kind < 0.75 else int(rng.integers(-12, 12))
        high = exponent + int(rng.integers(1, 3))
        return ["log", float(f"1e{exponent}"), float(f"1e{high}"), "+" if rng.random() < 0.7 else "+-"]
    return ["integer", 1, int(rng.choice([10, 20, 100])), "+"]


def shows_its_law(problem: Problem, rng: np.random.Generator) -> bool:
    """Whether the numbers of the problem vary, follow every variable, and tell the law from shorter ones."""
    assert problem.truth is not None
    if not _is_mostly_accepted(problem, rng):
        return False
    sample = all_rows(problem, 0)
    deviations = (sample.target - sample.target.mean()) ** 2
    variance = deviations.mean()
    if variance < MIN_SPREAD**2 * np.mean(sample.target**2) or deviations.max() > MAX_ROW_SHARE * deviations.sum():
        return False
    if not all(_follows(problem, sample, column, rng) for column in range(problem.num_columns)):
        return False
    if (
        _change(problem, sample, sample.columns * (1.0 + 1e-3 * rng.standard_normal(sample.columns.shape)))
        > MAX_ROUGHNESS
    ):
        return False
    size = complexity(canonical(problem.truth))
    shorter = [law for law in prunings(canonical(problem.truth)) if complexity(law) < size]
    return all(_misses(law, sample) for law in shorter)


def _is_mostly_accepted(problem: Problem, rng: np.random.Generator) -> bool:
    assert isinstance(problem.source, Slices)
    rows = problem.source.rows
    assert isinstance(rows, Random)
    columns = np.stack([axis.draw(rows.rows, rng) for axis in rows.axes])
    return float(rows.accept(problem.law(columns)).mean()) >= MIN_ACCEPTANCE


def _follows(problem: Problem, sample: Sample, column: int, rng: np.random.Generator) -> bool:
    shuffled = sample.columns.copy()
    shuffled[column] = rng.permutation(shuffled[column])
    return _change(problem, sample, shuffled) > MIN_EFFECT


def _change(problem: Problem, sample: Sample, columns: Floats) -> float:
    """The median change of y under other columns, over the standard deviation of y."""
    change = problem.law(columns) - sample.target
    change = change[np.isfinite(change)]
    return float(np.median(np.abs(change)) / sample.target.std()) if len(change) else 0.0


def _misses(law: Expression, sample: Sample) -> bool:
    """Whether the law misses the data even after the best scale and offset."""
    value = evaluate_expression(law, sample.columns)
    if not np.isfinite(value).all() or np.ptp(value) == 0.0:
        return True
    correlation = float(np.corrcoef(_scaled(value), _scaled(sample.target))[0, 1])
    return 1.0 - correlation**2 > MIN_PRUNED_NMSE


def _scaled(values: Floats) -> Floats:
    return np.asarray(values / np.abs(values).max())


def new_laws(maker: str, size: tuple[int, int], taken: set[str], rng: np.random.Generator) -> Iterator[Expression]:
    """Laws of that size, as their text parses, with new skeletons; numbers of operators and variables are balanced."""
    while True:
        operators = int(rng.integers(size[0], size[1] + 1))
        variables = int(rng.integers(1, min(MAX_VARIABLES, operators + 1) + 1))
        for _ in range(NUM_LAW_TRIALS):
            law = make_law(maker, operators, variables, rng)
            names = column_names(variables)
            if len(law.columns) != variables or not np.isfinite(law.constants).all():
                continue
            law = parse(to_text(law, names), names)
            if num_operators(law) == operators and skeleton_hash(law) not in taken:
                yield law
                break


def next_row(name: str, index: int, laws: Iterator[Expression], rng: np.random.Generator) -> dict[str, Any]:
    for law in laws:
        names = column_names(len(law.columns))
        for _ in range(NUM_AXES_TRIALS):
            variables = [random_axis(rng) for _ in names]
            row = {"id": f"{name}-{index:03d}", "formula": to_text(law, names), "variables": variables}
            if shows_its_law(make_problem(name, row), rng):
                return row
    raise AssertionError("laws are drawn without end")
