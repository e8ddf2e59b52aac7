"""`Dictionary`: terms that a law may be a linear combination of, each a product of atoms, with their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import CODES
from mosaic_sr.proposal.regression.projection import first_of_alike

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Product = tuple[float, tuple[int, ...]]  # cost and atoms

# What a power of a column costs; laws are sums of cheap terms more often than of dear ones.
POWER_COSTS = {
    1.0: 1.0, 2.0: 1.5, -1.0: 1.5, 3.0: 2.0, 0.5: 2.0, -2.0: 2.2, -0.5: 2.4, -3.0: 2.8, 4.0: 3.0, 1.5: 3.2,
    -1.5: 3.4, 2.5: 3.6, -4.0: 3.8, -2.5: 3.8,
}  # fmt: skip
# Operators that write them.
WHOLE_POWERS = {1.0: (), 2.0: ("sq",), 3.0: ("cube",), 4.0: ("sq", "sq")}
# What a function adds to the cost of its argument.
FUNCTION_COSTS = {
    "exp": 1.0, "log": 1.0, "sin": 1.0, "cos": 1.0, "tanh": 1.6, "atan": 1.6, "sqrt": 1.2, "abs": 1.6, "tan": 2.2
}  # fmt: skip
# Functions of two columns are made of so many columns, the most relevant.
MOST_PAIRED = 5
# Products reach no further than this many atoms.
MOST_ATOMS = 4
# Functions of a single column.
DEAREST_IN_PAIR = 2.6
# Functions of the first four or five columns: their pairs are already many hundreds.
MOST_IN_PAIRS = 40
# Values beyond these lose to rounding whatever stands beside them.
LARGEST, SMALLEST = 1e50, 1e-50
# Terms that agree to so many digits in all rows are one term.
TWIN_DIGITS = 10
# Terms whose values stay in a processor's own memory while they are multiplied.
BLOCK_TERMS = 512


@dataclass(frozen=True)
class Atom:
    """A factor of terms.  power: of its column where it is no function, else 0."""

    expression: Expression
    cost: float
    column: int = -1
    power: float = 0.0


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
        return [factor for atom in self.terms[term].tolist() if atom for factor in _parts(self.atoms[atom])]

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


def _parts(atom: Atom) -> list[Expression]:
    """The column, its reciprocal or their roots, as often as the power says; a function stands for itself."""
    if atom.power == 0.0:
        return [atom.expression]
    leaf = variable(atom.column)
    whole, half = divmod(abs(atom.power), 1.0)
    parts = [leaf] * int(whole) + ([apply("sqrt", leaf)] if half else [])
    return parts if atom.power > 0 else [apply("inv", part) for part in parts]


ONE = Atom(constant(1.0), 0.0)


def powers(column: int, operators: Sequence[str], highest: float = 4.0) -> list[Atom]:
    """The powers of a column that the operators allow, cheap ones first."""
    has_division, has_root = bool({"div", "inv"} & set(operators)), "sqrt" in operators
    allowed = [
        power
        for power in POWER_COSTS
        if power <= highest and (power > 0 or has_division) and (power == int(power) or has_root)
    ]
    return [_power_atom(column, power) for power in allowed]


@cache
def _power_atom(column: int, power: float) -> Atom:
    """One atom for all dictionaries of all tables."""
    return Atom(_power(variable(column), power), POWER_COSTS[power], column, power)


def _power(leaf: Expression, power: float) -> Expression:
    """The power as squares, cubes, roots and reciprocals write it."""
    if power < 0:
        return apply("inv", _power(leaf, -power))
    whole, half = divmod(power, 1.0)
    root = apply("sqrt", leaf) if half else None
    if not whole:
        assert root is not None
        return root
    size = leaf
    for name in WHOLE_POWERS[whole]:
        size = apply(name, size)
    return size if root is None else apply("mul", size, root)


def polynomial(variables: Sequence[Expression], columns: Floats, degree: int) -> Dictionary:
    """All products of the variables up to a degree, low degrees first; columns: (columns, rows)."""
    atoms = [ONE, *(Atom(one, 1.0) for one in variables)]
    chosen = [
        group for size in range(1, degree + 1) for group in combinations_with_replacement(range(1, len(atoms)), size)
    ]
    terms = np.zeros((len(chosen), degree), dtype=np.intp)
    for row, group in zip(terms, chosen, strict=True):
        row[: len(group)] = group
    return _without_twins(tuple(atoms), terms, products(_values(atoms, columns), terms))


def _values(atoms: Sequence[Atom], columns: Floats) -> Floats:
    """(atoms, rows)."""
    return np.array([np.ones(columns.shape[1]), *(evaluate_expression(a.expression, columns) for a in atoms[1:])])


def functions(argument: Expression, cost: float, operators: Sequence[str]) -> list[Atom]:
    """The functions of an argument that the operators allow."""
    return [_function_atom(name, argument, cost) for name in FUNCTION_COSTS if name in operators]


# Some 600 for a table of five columns; tables are searched one after the other, with the same arguments.
@lru_cache(maxsize=4096)
def _function_atom(name: str, argument: Expression, cost: float) -> Atom:
    return Atom(apply(name, argument), cost + FUNCTION_COSTS[name])


def pair_arguments(columns: Sequence[int], operators: Sequence[str]) -> Iterator[tuple[Expression, float]]:
    """Sums, differences, products and ratios of two columns, with their cost."""
    for one, other in combinations(map(variable, columns), 2):
        yield apply("mul", one, other), 2.0
        yield apply("sub", one, other), 2.0
        yield apply("add", one, other), 2.2
        if {"div", "inv"} & set(operators):
            yield apply("div", one, other), 2.2
            yield apply("div", other, one), 2.2


def shifted_arguments(column: int) -> Iterator[tuple[Expression, float]]:
    """Sums and differences of 1 and a column or its square, with their cost."""
    one, leaf = constant(1.0), variable(column)
    yield apply("add", one, leaf), 2.0
    yield apply("sub", one, leaf), 2.0
    yield apply("add", one, apply("sq", leaf)), 2.2
    yield apply("sub", one, apply("sq", leaf)), 2.2


def reciprocals(atoms: Sequence[Atom], names: Sequence[str], operators: Sequence[str]) -> list[Atom]:
    """One over those atoms whose outermost operator is among the names."""
    if not {"div", "inv"} & set(operators):
        return []
    codes = {CODES[name] for name in names}
    return [
        Atom(apply("inv", atom.expression), atom.cost + 0.6)
        for atom in atoms
        if int(atom.expression.codes[-1]) in codes
    ]


def small_atoms(columns: Sequence[int], operators: Sequence[str]) -> list[Atom]:
    """Powers and functions of single columns."""
    atoms = [ONE]
    for column in columns:
        atoms += powers(column, operators)
        atoms += functions(variable(column), 1.0, operators)
    return atoms


def power_atoms(columns: Sequence[int], operators: Sequence[str]) -> list[Atom]:
    """Powers of single columns."""
    return [ONE, *(atom for column in columns for atom in powers(column, operators))]


def large_atoms(columns: Sequence[int], operators: Sequence[str]) -> list[Atom]:
    """The small atoms, functions of powers, functions of two columns and reciprocals of sums."""
    atoms = small_atoms(columns, operators)
    atoms += reciprocals(atoms, ("log", "sin", "cos"), operators)
    columns = columns[:MOST_PAIRED]
    arguments = [shifted for column in columns for shifted in shifted_arguments(column)]
    arguments += pair_arguments(columns, operators)
    for column in columns:
        arguments += [(atom.expression, atom.cost) for atom in powers(column, operators, highest=3.0)[1:]]
        atoms += functions(apply("neg", variable(column)), 1.5, [name for name in operators if name == "exp"])
    for argument, cost in arguments:
        own = functions(argument, cost, operators)
        atoms += [*own, *reciprocals([Atom(argument, cost)], ("add", "sub"), operators)]
        atoms += reciprocals(own, ("sqrt",), operators)
    return atoms


def make_dictionary(atoms: Sequence[Atom], columns: Floats, most_terms: int) -> Dictionary:
    """The cheapest products of the atoms, at most `most_terms` of them; columns: (columns, rows)."""
    kept, values = usable_atoms(atoms, columns)
    terms = cheapest_terms(kept, most_terms)
    return _without_twins(kept, terms, products(values, terms))


def usable_atoms(atoms: Sequence[Atom], columns: Floats) -> tuple[tuple[Atom, ...], Floats]:
    """The atoms whose values (atoms, rows) are numbers of ordinary size in all rows, and these values."""
    values = _values(atoms, columns)
    with np.errstate(invalid="ignore"):
        sizes = np.abs(values)
        is_usable = np.all(sizes <= LARGEST, axis=1) & (np.max(sizes, axis=1, initial=0.0) >= SMALLEST)
    is_usable[0] = True
    return tuple(atom for atom, usable in zip(atoms, is_usable, strict=True) if usable), values[is_usable]


def cheapest_terms(atoms: Sequence[Atom], most_terms: int) -> Indices:
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


def _groups(atoms: Sequence[Atom], most: int) -> list[Product]:
    """No function, one, or two cheap ones: products of dear functions would crowd out all else."""
    others = [index for index, atom in enumerate(atoms) if index and atom.power == 0.0]
    simple = [index for index in others if atoms[index].cost <= DEAREST_IN_PAIR][:MOST_IN_PAIRS]
    pairs = [*combinations(simple, 2), *((index, index) for index in simple)]
    groups: list[tuple[int, ...]] = [(), *((index,) for index in others), *pairs]
    cost_of = [atom.cost for atom in atoms].__getitem__
    return sorted(((float(sum(map(cost_of, group))), group) for group in groups), key=_cost)[:most]


def _cost(product: Product) -> float:
    return product[0]


def _monomials(atoms: Sequence[Atom], most: int) -> list[Product]:
    """Products of powers of distinct columns in order of cost, the empty one first."""
    by_column: dict[int, list[int]] = {}
    for index, atom in enumerate(atoms):
        if atom.power:
            by_column.setdefault(atom.column, []).append(index)
    cost_of = [atom.cost for atom in atoms].__getitem__
    found: list[Product] = [(0.0, ())]
    for size in range(1, MOST_ATOMS + 1):
        # Of many columns only the cheap powers meet: the number of products grows with a power of the size.
        room = max(2, int((most / max(1, _choose(len(by_column), size))) ** (1.0 / size)))
        for group in combinations(by_column.values(), size):
            heed_stop()
            found += [(sum(map(cost_of, chosen)), chosen) for chosen in product(*(each[:room] for each in group))]
    found.sort(key=_cost)
    return found[:most]


def _choose(count: int, size: int) -> int:
    result = 1
    for step in range(size):
        result = result * (count - step) // (step + 1)
    return result


def products(atom_values: Floats, terms: Indices) -> Floats:
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
        is_usable = (sizes <= LARGEST) & (sizes >= SMALLEST) & (high - low > 1e-9 * sizes)
    if not is_usable.all():
        terms, values = terms[is_usable], values[is_usable]
    centred = values - values.mean(axis=1)[:, None]
    norms = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    first = first_of_alike(centred / norms[:, None], TWIN_DIGITS)
    return Dictionary(atoms, terms[first], np.ascontiguousarray(values[first].T))
