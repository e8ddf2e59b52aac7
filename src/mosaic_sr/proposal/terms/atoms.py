"""`Atom`: a factor of terms: a power of a column, or a function of one, two or three columns without free numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations

from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.operators import CODES

Argument = tuple[Expression, float]  # and its cost

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
# Functions of products of three columns; roots and logarithms of products fall apart, and the others are rare.
OF_THREE = ("exp", "sin", "cos", "tanh")
# Powers that stand beside a function: up to the third, the root and the reciprocal.
DEAREST_POWER = 2.0


@dataclass(frozen=True)
class Atom:
    """A factor of terms.  power: of its column where it is no function, else 0."""

    expression: Expression
    cost: float
    column: int = -1
    power: float = 0.0

    @property
    def factors(self) -> list[Expression]:
        """The column, its reciprocal or their roots, as often as the power says; a function stands for itself."""
        if self.power == 0.0:
            return [self.expression]
        leaf = variable(self.column)
        whole, half = divmod(abs(self.power), 1.0)
        parts = [leaf] * int(whole) + ([apply("sqrt", leaf)] if half else [])
        return parts if self.power > 0 else [apply("inv", part) for part in parts]


ONE = Atom(constant(1.0), 0.0)


def make_powers(column: int, operators: Sequence[str], highest: float = 4.0) -> list[Atom]:
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


def make_functions(argument: Expression, cost: float, operators: Sequence[str]) -> list[Atom]:
    """The functions of an argument that the operators allow."""
    return [_function_atom(name, argument, cost) for name in FUNCTION_COSTS if name in operators]


# Some 600 for a table of five columns; tables are searched one after the other, with the same arguments.
@lru_cache(maxsize=4096)
def _function_atom(name: str, argument: Expression, cost: float) -> Atom:
    return Atom(apply(name, argument), cost + FUNCTION_COSTS[name])


def make_pair_arguments(columns: Sequence[int], operators: Sequence[str]) -> Iterator[Argument]:
    """Sums, differences, products and ratios of two columns, with their cost."""
    for one, other in combinations(map(variable, columns), 2):
        yield apply("mul", one, other), 2.0
        yield apply("sub", one, other), 2.0
        yield apply("add", one, other), 2.2
        if {"div", "inv"} & set(operators):
            yield apply("div", one, other), 2.2
            yield apply("div", other, one), 2.2


def make_shifted_arguments(column: int) -> Iterator[Argument]:
    """Sums and differences of 1 and a column or its square, with their cost."""
    one, leaf = constant(1.0), variable(column)
    yield apply("add", one, leaf), 2.0
    yield apply("sub", one, leaf), 2.0
    yield apply("add", one, apply("sq", leaf)), 2.2
    yield apply("sub", one, apply("sq", leaf)), 2.2


def make_reciprocals(atoms: Sequence[Atom], names: Sequence[str], operators: Sequence[str]) -> list[Atom]:
    """One over those atoms whose outermost operator is among the names."""
    if not {"div", "inv"} & set(operators):
        return []
    codes = {CODES[name] for name in names}
    return [
        Atom(apply("inv", atom.expression), atom.cost + 0.6)
        for atom in atoms
        if int(atom.expression.codes[-1]) in codes
    ]


def make_small_atoms(columns: Sequence[int], operators: Sequence[str]) -> list[Atom]:
    """Powers and functions of single columns."""
    atoms = [ONE]
    for column in columns:
        atoms += make_powers(column, operators)
        atoms += make_functions(variable(column), 1.0, operators)
    return atoms


def make_power_atoms(columns: Sequence[int], operators: Sequence[str]) -> list[Atom]:
    """Powers of single columns."""
    return [ONE, *(atom for column in columns for atom in make_powers(column, operators))]


def make_large_atoms(columns: Sequence[int], operators: Sequence[str]) -> list[Atom]:
    """The small atoms, functions of powers, functions of two columns and reciprocals of sums."""
    atoms = make_small_atoms(columns, operators)
    atoms += make_reciprocals(atoms, ("log", "sin", "cos"), operators)
    columns = columns[:MOST_PAIRED]
    arguments = [shifted for column in columns for shifted in make_shifted_arguments(column)]
    arguments += make_pair_arguments(columns, operators)
    for column in columns:
        arguments += [(atom.expression, atom.cost) for atom in make_powers(column, operators, highest=3.0)[1:]]
        atoms += make_functions(apply("neg", variable(column)), 1.5, [name for name in operators if name == "exp"])
    return [*atoms, *(atom for argument in arguments for atom in _of_argument(*argument, operators))]


def _of_argument(argument: Expression, cost: float, operators: Sequence[str]) -> list[Atom]:
    """The functions of an argument, one over a sum, and one over a root."""
    own = make_functions(argument, cost, operators)
    over_sum = make_reciprocals([Atom(argument, cost)], ("add", "sub"), operators)
    return [*own, *over_sum, *make_reciprocals(own, ("sqrt",), operators)]


def make_wide_atoms(columns: Sequence[int], operators: Sequence[str]) -> list[Atom]:
    """Powers of the columns, functions of sums, differences, products, ratios and distances of two, and of three."""
    columns = columns[: MOST_PAIRED + 1]
    atoms = [
        ONE,
        *(atom for column in columns for atom in make_powers(column, operators) if atom.cost <= DEAREST_POWER),
    ]
    arguments = [*make_pair_arguments(columns, operators), *_squares(columns)]
    arguments += [shifted for column in columns for shifted in make_shifted_arguments(column)]
    for column in columns:
        atoms += make_functions(variable(column), 1.0, operators)
        arguments += [(atom.expression, atom.cost) for atom in make_powers(column, operators, highest=2.0)[1:3]]
    for argument, cost in arguments:
        atoms += [*_of_argument(argument, cost, operators), *_decays(argument, cost, operators)]
    for argument, cost in _triples(columns, operators):
        atoms += make_functions(argument, cost, [name for name in operators if name in OF_THREE])
        atoms += _decays(argument, cost, operators)
    return atoms


def _decays(argument: Expression, cost: float, operators: Sequence[str]) -> list[Atom]:
    return [Atom(apply("exp", apply("neg", argument)), cost + 1.2)] if "exp" in operators else []


def _triples(columns: Sequence[int], operators: Sequence[str]) -> Iterator[Argument]:
    """Products and ratios of three columns, with their cost."""
    has_division = bool({"div", "inv"} & set(operators))
    for group in combinations(columns, 3):
        one, two, three = map(variable, group)
        yield apply("mul", apply("mul", one, two), three), 3.0
        for first, second, last in ((one, two, three), (one, three, two), (two, three, one)) if has_division else ():
            yield apply("div", apply("mul", first, second), last), 3.0
            yield apply("div", last, apply("mul", first, second)), 3.2


def _squares(columns: Sequence[int]) -> Iterator[Argument]:
    """Squares of two columns added and subtracted, and the square of their difference, with their cost."""
    for one, other in combinations(map(variable, columns), 2):
        yield apply("add", apply("sq", one), apply("sq", other)), 2.6
        yield apply("sub", apply("sq", one), apply("sq", other)), 3.0
        yield apply("sq", apply("sub", one, other)), 3.0
