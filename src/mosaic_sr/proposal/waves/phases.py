"""Phases: the arguments that a sinusoid may be taken of, one alone or several with a frequency each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, operator_names, scaled, substituted, variable
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.views.steps import KIN
from mosaic_sr.proposal.waves.spectrum import Extent, measure_extent
from mosaic_sr.table import Table

Floats = NDArray[np.float64]
Frequencies = tuple[float, ...]

# In the user's units: sums and exponentials of columns that were scaled would be others.
ARGUMENTS = (
    ("a", "a^2", "a^3", "1/a", "sqrt(a)", "log(a)", "exp(a)"),
    ("a*b", "a + b", "a - b", "a/b", "b/a", "a^2 + b^2", "a^2*b", "b^2*a"),
)
# Of few columns also these.
MORE_ARGUMENTS = (
    (),
    ("a^2/b", "b^2/a", "a/b^2", "b/a^2", "sqrt(a*b)", "sqrt(a^2 + b^2)", "a^2 - b^2"),
    (
        "a*b*c", "a*b/c", "a*c/b", "b*c/a", "a + b + c", "a^2 + b^2 + c^2",
        "a*(b + c)", "b*(a + c)", "c*(a + b)", "a*(b - c)", "b*(a - c)", "c*(a - b)",
    ),
)  # fmt: skip
# Of which two may be added in one phase, with a frequency each.
SUMMED = ("a", "a^2", "a^3", "1/a", "1/a^2", "sqrt(a)", "log(a)", "exp(a)")
# Sums of two columns whose square may be a phase.
RATIOS = (1, -1, 2, -2, 3, -3)
# Values beyond these lose to rounding what a sine would make of them.
LARGEST = 1e12
# Of an exponential, for the same reason.
LARGEST_EXPONENT = 27.0


@dataclass(frozen=True, eq=False)
class Piece:
    """An expression and its values: (rows,)."""

    expression: Expression
    values: Floats

    def on(self, rows: slice) -> Piece:
        """On some of the rows."""
        return Piece(self.expression, self.values[rows])


def make_one(num_rows: int) -> Piece:
    """The number 1."""
    return Piece(constant(1.0), np.ones(num_rows))


@dataclass(frozen=True, eq=False)
class Phase:
    """Arguments: (arguments, rows).

    write: the sum of frequencies times arguments, and the number that is to be added to what is written.
    """

    arguments: Floats
    write: Callable[[Frequencies], tuple[Expression, float]]

    @cached_property
    def extents(self) -> list[Extent]:
        """Of the arguments, for scans."""
        return list(map(measure_extent, self.arguments))


def _wide_arguments() -> tuple[tuple[str, ...], ...]:
    """By the number of columns: products of powers of two to four, and squares of sums of two."""
    squares = [f"(a + {ratio}*b)^2" for ratio in RATIOS]
    squares += [f"({ratio}*a + b)^2" for ratio in RATIOS if abs(ratio) != 1]
    pairs, *others = (tuple(_products("abcd"[:arity])) for arity in (2, 3, 4))
    return ((), (*pairs, *squares), *others)


def _products(names: str) -> Iterator[str]:
    """Products and quotients in which all powers are 1 or all 1/2, or one differs: 2 or 1/2 among 1, 1 among 1/2."""
    usual = {"{}": ("{}^2", "sqrt({})"), "sqrt({})": ("{}",)}
    forms = {(most,) * len(names) for most in usual}
    for most, odds in usual.items():
        forms |= {tuple(odd if name == other else most for name in names) for odd in odds for other in names}
    for powers, is_above in product(sorted(forms), product((True, False), repeat=len(names))):
        factors = [power.format(name) for power, name in zip(powers, names, strict=True)]
        top, bottom = (
            "*".join(factor for factor, own in zip(factors, is_above, strict=True) if own == side)
            for side in (True, False)
        )
        yield (top or "1") + (f"/({bottom})" if bottom else "")


# Many, and each rare.
WIDE_ARGUMENTS = _wide_arguments()


def multiply(number: float, expression: Expression) -> Expression:
    """A multiple of an expression."""
    return apply("mul", constant(number), expression)


def make_pieces(
    texts: Sequence[Sequence[str]], columns: Sequence[int], table: Table, values: Floats, operators: Sequence[str]
) -> Iterator[Piece]:
    """The forms of one column, two columns, ... that the operators allow and that are finite on values (columns, rows).

    A form is meant in the user's units wherever scales matter.
    """
    allowed = {*operators, "add", "mul", *(name for name, other in KIN.items() if other in operators)}
    for arity, forms in enumerate(texts, start=1):
        for form in map(_form, forms):
            if not operator_names(form) <= allowed:
                continue
            for chosen in combinations(columns, arity):
                expression = _in_user_units(form, chosen, table)
                found = evaluate_expression(expression, values)
                if np.all(np.isfinite(found)) and np.max(np.abs(found)) < LARGEST and np.any(found != 0):
                    yield Piece(expression, found)


def make_exponentials(rates: Sequence[float], columns: Sequence[int], values: Floats) -> Iterator[Piece]:
    """exp(k x) with k a rate over half the range of the column, to a power of two; values: (columns, rows)."""
    for column in columns:
        spread = float(np.ptp(values[column]))
        unit = float(np.exp2(-np.rint(np.log2(0.5 * spread)))) if spread > 0.0 else 1.0
        for rate in rates:
            exponents = rate * unit * values[column]
            if np.max(np.abs(exponents)) < LARGEST_EXPONENT:
                yield Piece(apply("exp", multiply(rate * unit, variable(column))), np.exp(exponents))


@cache
def _form(text: str) -> Expression:
    return parse(text, "abcd")


def _in_user_units(form: Expression, chosen: Sequence[int], table: Table) -> Expression:
    """The form of the chosen columns, with factors where it is more than a multiple of itself on scaled columns."""
    exponents = [table.column_exponents[column] for column in chosen]
    names = operator_names(form)
    if "exp" in names and any(exponents):
        inner = [multiply(2.0**exponent, variable(c)) for exponent, c in zip(exponents, chosen, strict=True)]
    elif names & {"add", "sub"} and len(set(exponents)) > 1:
        # Infinite where the sizes of two columns are so far apart that nobody would add them.
        factors = np.exp2(np.array(exponents, dtype=np.float64) - exponents[0]).tolist()
        inner = [scaled(variable(column), factor) for factor, column in zip(factors, chosen, strict=True)]
    else:
        return form.renamed(chosen)
    return substituted(form, inner)


def make_single(piece: Piece) -> Phase:
    """The phase w u."""
    return Phase(piece.values[None], lambda frequencies: (multiply(frequencies[0], piece.expression), 0.0))


def make_plane(first: Piece, second: Piece) -> Phase:
    """The phase v x + w z."""

    def write(frequencies: Frequencies) -> tuple[Expression, float]:
        parts = zip(frequencies, (first, second), strict=True)
        return apply("add", *(multiply(frequency, piece.expression) for frequency, piece in parts)), 0.0

    return Phase(np.array([first.values, second.values]), write)


def make_bowl(piece: Piece) -> Phase:
    """The phase v x + w (x - m)^2 with the mean m, written as x (v' + w x)."""
    middle = float(np.mean(piece.values))

    def write(frequencies: Frequencies) -> tuple[Expression, float]:
        slope = constant(frequencies[0] - 2.0 * frequencies[1] * middle)
        inner = apply("add", slope, multiply(frequencies[1], piece.expression))
        return apply("mul", piece.expression, inner), frequencies[1] * middle * middle

    return Phase(np.array([piece.values, np.square(piece.values - middle)]), write)


def make_saddle(first: Piece, second: Piece) -> Phase:
    """The phase u x + v z + w (x - m) (z - n) with the means m and n, written as w (x + a) (z + b)."""
    middles = float(np.mean(first.values)), float(np.mean(second.values))

    def write(frequencies: Frequencies) -> tuple[Expression, float]:
        of_first, of_second, of_both = frequencies
        shifts = of_second / of_both - middles[0], of_first / of_both - middles[1]
        factors = [
            apply("add", piece.expression, constant(shift))
            for piece, shift in zip((first, second), shifts, strict=True)
        ]
        lacking = of_both * (middles[0] * middles[1] - shifts[0] * shifts[1])
        return multiply(of_both, apply("mul", *factors)), lacking

    both = (first.values - middles[0]) * (second.values - middles[1])
    return Phase(np.array([first.values, second.values, both]), write)
