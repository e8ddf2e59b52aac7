"""Wide dictionaries: one function of one, two or three columns times a product of powers, by the ten thousand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from mosaic_sr.expressions.expression import Expression, apply, variable
from mosaic_sr.proposal.terms.dictionary import (
    MOST_PAIRED,
    ONE,
    Atom,
    Indices,
    functions,
    pair_arguments,
    powers,
    reciprocals,
    shifted_arguments,
)

# Functions of products of three columns; roots and logarithms of products fall apart, and the others are rare.
OF_THREE = ("exp", "sin", "cos", "tanh")
# Powers that stand beside a function: up to the third, the root and the reciprocal.
DEAREST_POWER = 2.0
# Two powers beside a function: products, ratios, and one of them squared.
DEAREST_MONOMIAL = 3.0


def wide_atoms(columns: Sequence[int], operators: Sequence[str]) -> list[Atom]:
    """Powers of the columns, functions of sums, differences, products, ratios and distances of two, and of three."""
    columns = columns[: MOST_PAIRED + 1]
    atoms = [ONE, *(atom for column in columns for atom in powers(column, operators) if atom.cost <= DEAREST_POWER)]
    arguments = [*pair_arguments(columns, operators), *_squares(columns)]
    arguments += [shifted for column in columns for shifted in shifted_arguments(column)]
    for column in columns:
        atoms += functions(variable(column), 1.0, operators)
        arguments += [(atom.expression, atom.cost) for atom in powers(column, operators, highest=2.0)[1:3]]
    for argument, cost in arguments:
        own = functions(argument, cost, operators)
        atoms += [*own, *reciprocals([Atom(argument, cost)], ("add", "sub"), operators)]
        atoms += reciprocals(own, ("sqrt",), operators)
        atoms += _decays(argument, cost, operators)
    for argument, cost in _triples(columns, operators):
        atoms += functions(argument, cost, [name for name in operators if name in OF_THREE])
        atoms += _decays(argument, cost, operators)
    return atoms


def _decays(argument: Expression, cost: float, operators: Sequence[str]) -> list[Atom]:
    return [Atom(apply("exp", apply("neg", argument)), cost + 1.2)] if "exp" in operators else []


def _triples(columns: Sequence[int], operators: Sequence[str]) -> Iterator[tuple[Expression, float]]:
    """Products and ratios of three columns, with their cost."""
    has_division = bool({"div", "inv"} & set(operators))
    for group in combinations(columns, 3):
        one, two, three = map(variable, group)
        yield apply("mul", apply("mul", one, two), three), 3.0
        for first, second, last in ((one, two, three), (one, three, two), (two, three, one)) if has_division else ():
            yield apply("div", apply("mul", first, second), last), 3.0
            yield apply("div", last, apply("mul", first, second)), 3.2


def _squares(columns: Sequence[int]) -> Iterator[tuple[Expression, float]]:
    """Squares of two columns added and subtracted, and the square of their difference, with their cost."""
    for one, other in combinations(map(variable, columns), 2):
        yield apply("add", apply("sq", one), apply("sq", other)), 2.6
        yield apply("sub", apply("sq", one), apply("sq", other)), 3.0
        yield apply("sq", apply("sub", one, other)), 3.0


def wide_terms(atoms: Sequence[Atom], most_terms: int) -> Indices:
    """The cheapest products of one function and at most two powers of different columns: (terms, 3)."""
    found = [index for index, atom in enumerate(atoms) if index and not atom.power]
    monomials = _monomials(atoms)
    cost = np.add.outer([atoms[index].cost for index in found], [price for price, _ in monomials]).ravel()
    chosen = np.argsort(cost, kind="stable")[:most_terms]
    places, others = np.divmod(chosen, len(monomials))
    pairs = np.array([pair for _, pair in monomials], dtype=np.intp)
    return np.column_stack([np.array(found, dtype=np.intp)[places], pairs[others]])


def _monomials(atoms: Sequence[Atom]) -> list[tuple[float, tuple[int, int]]]:
    """1, powers and products of two powers, each with its cost, as two atoms of which atom 0 is the number 1."""
    places = [index for index, atom in enumerate(atoms) if atom.power]
    pairs = [(0, 0), *((index, 0) for index in places)]
    pairs += [(one, other) for one, other in combinations(places, 2) if atoms[one].column != atoms[other].column]
    priced = [(atoms[one].cost + atoms[other].cost, (one, other)) for one, other in pairs]
    return [entry for entry in priced if entry[0] <= DEAREST_MONOMIAL]
