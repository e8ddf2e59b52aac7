"""`Dictionary`: terms that a law may be a linear combination of, each a product of atoms, with their values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.regression.projection import find_distinct
from mosaic_sr.proposal.terms.atoms import ONE, Atom

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
PricedProduct = tuple[float, tuple[int, ...]]  # cost and atoms

# Products reach no further than this many atoms.
MOST_ATOMS = 4
# Functions of a single column.
DEAREST_IN_PAIR = 2.6
# Functions of the first four or five columns: their pairs are already many hundreds.
MOST_IN_PAIRS = 40
# Two powers beside a function: products, ratios, and one of them squared.
DEAREST_MONOMIAL = 3.0
# Values beyond these lose to rounding whatever stands beside them.
LARGEST, SMALLEST = 1e50, 1e-50
# A term that moves by less of itself is a number, as far as rounding tells.
LEAST_VARIATION = 1e-9
# Terms that agree to so many digits in all rows are one term.
TWIN_DIGITS = 10
# Terms whose values stay in a processor's own memory while they are multiplied.
BLOCK_TERMS = 512


@dataclass(frozen=True, eq=False)
class Dictionary:
    """Terms over atoms.

    atoms: atom 0 is the number 1.  terms: (terms, most atoms), the atoms of each term, padded with 0.
    values: (rows, terms), finite and not constant.
    """

    atoms: tuple[Atom, ...]
    terms: Indices
    values: Floats

    @property
    def num_terms(self) -> int:
        return len(self.terms)

    def factors(self, term: int) -> list[Expression]:
        """The factors of a term, with powers of a column apart, so that sums can share some of them."""
        return [factor for atom in self.terms[term].tolist() if atom for factor in self.atoms[atom].factors]

    def head(self, num_terms: int) -> Dictionary:
        """The first, cheapest terms."""
        return Dictionary(self.atoms, self.terms[:num_terms], self.values[:, :num_terms])

    def at(self, rows: Indices) -> Dictionary:
        """The dictionary with some of its rows."""
        return Dictionary(self.atoms, self.terms, self.values[rows])

    def beside(self, atoms: tuple[Atom, ...], terms: Indices, values: Floats) -> Dictionary:
        """The dictionary with further terms over other atoms; values: (terms, rows)."""
        width = max(self.terms.shape[1], terms.shape[1])
        shifted = np.where(terms > 0, terms + len(self.atoms), 0)
        joined = np.zeros((len(self.terms) + len(terms), width), dtype=np.intp)
        joined[: len(self.terms), : self.terms.shape[1]] = self.terms
        joined[len(self.terms) :, : terms.shape[1]] = shifted
        return Dictionary((*self.atoms, *atoms), joined, np.concatenate([self.values, values.T], axis=1))

    def parts(self, term: int) -> list[tuple[int, tuple[bytes, ...]]]:
        """For each column that a term reads, the column and the factors that do not read it."""
        factors = self.factors(term)
        columns = sorted(self.columns(term))
        return [(c, tuple(sorted(f.key for f in factors if c not in f.columns))) for c in columns]

    def columns(self, term: int) -> set[int]:
        """The columns that a term reads."""
        return {column for atom in self.terms[term].tolist() for column in self.atoms[atom].expression.columns}


def make_polynomial(variables: Sequence[Expression], columns: Floats, degree: int) -> Dictionary:
    """All products of the variables up to a degree, low degrees first; columns: (columns, rows)."""
    atoms = [ONE, *(Atom(one, 1.0) for one in variables)]
    chosen = [
        group for size in range(1, degree + 1) for group in combinations_with_replacement(range(1, len(atoms)), size)
    ]
    terms = pad_terms(chosen)
    return _without_twins(tuple(atoms), terms, multiply_atoms(_values(atoms, columns), terms))


def pad_terms(groups: Sequence[tuple[int, ...]]) -> Indices:
    """The atoms of terms as a dictionary has them: (terms, most atoms), padded with 0."""
    terms = np.zeros((len(groups), max(map(len, groups), default=0)), dtype=np.intp)
    for row, group in zip(terms, groups, strict=True):
        row[: len(group)] = group
    return terms


def _values(atoms: Sequence[Atom], columns: Floats) -> Floats:
    """(atoms, rows)."""
    return np.array([np.ones(columns.shape[1]), *(evaluate_expression(a.expression, columns) for a in atoms[1:])])


def make_dictionary(atoms: Sequence[Atom], columns: Floats, most_terms: int) -> Dictionary:
    """The cheapest products of the atoms, at most `most_terms` of them; columns: (columns, rows)."""
    kept, values = keep_usable_atoms(atoms, columns)
    terms = list_cheapest_terms(kept, most_terms)
    return _without_twins(kept, terms, multiply_atoms(values, terms))


def keep_usable_atoms(atoms: Sequence[Atom], columns: Floats) -> tuple[tuple[Atom, ...], Floats]:
    """The atoms whose values (atoms, rows) are numbers of ordinary size in all rows, and these values."""
    values = _values(atoms, columns)
    with np.errstate(invalid="ignore"):
        sizes = np.abs(values)
        is_usable = np.all(sizes <= LARGEST, axis=1) & (np.max(sizes, axis=1, initial=0.0) >= SMALLEST)
    is_usable[0] = True
    return tuple(atom for atom, usable in zip(atoms, is_usable, strict=True) if usable), values[is_usable]


def list_cheapest_terms(atoms: Sequence[Atom], most_terms: int) -> Indices:
    """Products of powers of distinct columns and at most two functions, in order of cost."""
    monomials, groups = _monomials(atoms, most_terms), _groups(atoms, most_terms)
    # What has more than `most_terms` cheaper products on both sides together cannot be among the cheapest.
    counts = np.minimum(2 * most_terms // np.arange(1, len(groups) + 1), len(monomials))
    places = np.repeat(np.arange(len(groups)), counts)
    others = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
    sizes = np.array([len(one) for _, one in monomials])[others] + np.array([len(one) for _, one in groups])[places]
    costs = np.array([cost for cost, _ in monomials])[others] + np.array([cost for cost, _ in groups])[places]
    is_fit = np.flatnonzero((sizes > 0) & (sizes <= MOST_ATOMS))
    chosen = is_fit[np.argsort(costs[is_fit], kind="stable")[:most_terms]]
    padding = (0,) * MOST_ATOMS
    terms = [
        (*monomials[other][1], *groups[place][1], *padding)[:MOST_ATOMS]
        for place, other in zip(places[chosen].tolist(), others[chosen].tolist(), strict=True)
    ]
    return np.array(terms, dtype=np.intp).reshape(-1, MOST_ATOMS)


def _groups(atoms: Sequence[Atom], most: int) -> list[PricedProduct]:
    """No function, one, or two cheap ones: products of dear functions would crowd out all else."""
    others = [index for index, atom in enumerate(atoms) if index and atom.power == 0.0]
    simple = [index for index in others if atoms[index].cost <= DEAREST_IN_PAIR][:MOST_IN_PAIRS]
    pairs = [*combinations(simple, 2), *((index, index) for index in simple)]
    groups: list[tuple[int, ...]] = [(), *((index,) for index in others), *pairs]
    cost_of = [atom.cost for atom in atoms].__getitem__
    return sorted(((float(sum(map(cost_of, group))), group) for group in groups), key=_cost)[:most]


def _cost(product: PricedProduct) -> float:
    return product[0]


def _monomials(atoms: Sequence[Atom], most: int) -> list[PricedProduct]:
    """Products of powers of distinct columns in order of cost, the empty one first."""
    by_column: dict[int, list[int]] = {}
    for index, atom in enumerate(atoms):
        if atom.power:
            by_column.setdefault(atom.column, []).append(index)
    cost_of = [atom.cost for atom in atoms].__getitem__
    found: list[PricedProduct] = [(0.0, ())]
    for size in range(1, MOST_ATOMS + 1):
        # Of many columns only the cheap powers meet: the number of products grows with a power of the size.
        room = max(2, int((most / max(1, math.comb(len(by_column), size))) ** (1.0 / size)))
        for group in combinations(by_column.values(), size):
            heed_stop()
            found += [(sum(map(cost_of, chosen)), chosen) for chosen in product(*(each[:room] for each in group))]
    found.sort(key=_cost)
    return found[:most]


def list_wide_terms(atoms: Sequence[Atom], most_terms: int) -> Indices:
    """The cheapest products of one function and at most two powers of different columns: (terms, 3)."""
    found = [index for index, atom in enumerate(atoms) if index and not atom.power]
    monomials = _pairs_of_powers(atoms)
    cost = np.add.outer([atoms[index].cost for index in found], [price for price, _ in monomials]).ravel()
    chosen = np.argsort(cost, kind="stable")[:most_terms]
    places, others = np.divmod(chosen, len(monomials))
    pairs = np.array([pair for _, pair in monomials], dtype=np.intp)
    return np.column_stack([np.array(found, dtype=np.intp)[places], pairs[others]])


def _pairs_of_powers(atoms: Sequence[Atom]) -> list[tuple[float, tuple[int, int]]]:
    """1, powers and products of two powers, each with its cost, as two atoms of which atom 0 is the number 1."""
    places = [index for index, atom in enumerate(atoms) if atom.power]
    pairs = [(0, 0), *((index, 0) for index in places)]
    pairs += [(one, other) for one, other in combinations(places, 2) if atoms[one].column != atoms[other].column]
    priced = [(atoms[one].cost + atoms[other].cost, (one, other)) for one, other in pairs]
    return [entry for entry in priced if entry[0] <= DEAREST_MONOMIAL]


def multiply_atoms(atom_values: Floats, terms: Indices) -> Floats:
    """The values (terms, rows) of products of atoms; terms: (terms, most atoms), padded with atom 0."""
    values = np.empty((len(terms), atom_values.shape[1]))
    with np.errstate(all="ignore"):
        for start in range(0, len(terms), BLOCK_TERMS):
            heed_stop()
            own, block = terms[start : start + BLOCK_TERMS], values[start : start + BLOCK_TERMS]
            block[:] = atom_values[own[:, 0]]
            for place in range(1, terms.shape[1]):
                if own[:, place].any():
                    block *= atom_values[own[:, place]]
    return values


def _without_twins(atoms: tuple[Atom, ...], terms: Indices, values: Floats) -> Dictionary:
    """The dictionary without terms that are constant, out of range, or a cheaper one up to scale and offset."""
    with np.errstate(all="ignore"):
        low, high = values.min(axis=1, initial=np.inf), values.max(axis=1, initial=-np.inf)
        sizes = np.maximum(high, -low)
        is_usable = (sizes <= LARGEST) & (sizes >= SMALLEST) & (high - low > LEAST_VARIATION * sizes)
    if not is_usable.all():
        terms, values = terms[is_usable], values[is_usable]
    centred = values - values.mean(axis=1)[:, None]
    norms = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    first = find_distinct(centred / norms[:, None], TWIN_DIGITS)
    return Dictionary(atoms, terms[first], np.ascontiguousarray(values[first].T))
