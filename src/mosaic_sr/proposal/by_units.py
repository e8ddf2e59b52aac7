"""Dimensionless groups of a table's columns as expressions: shared by the proposers that read units.

A law that is homogeneous with pure constants is a product of columns times a function of groups without a unit. The
groups are fewer than the columns, and any function of them is homogeneous.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from mosaic_sr.expressions.expression import Expression, constant, scaled, variable
from mosaic_sr.expressions.powers import monomial
from mosaic_sr.proposal.joined import Joined
from mosaic_sr.table import Table
from mosaic_sr.units.dimensionless import Reduced, length
from mosaic_sr.units.dimensions import Dimensions
from mosaic_sr.units.rational import Vector, solution
from mosaic_sr.units.rational import reduced as echelon

# Bits by which a group is less likely for each factor and power beyond those of the shortest one.
BITS_PER_LENGTH = 0.5
# Bits of each column by which a form over groups is shorter than the same over columns: eleven laws have 5 to 9 bits
# fewer for each, by the structure prior.
BITS_PER_COLUMN = 5.0
# Laws over more groups may be shorter over the columns, as a sum of squares of lengths is.
FEW_GROUPS = 2


@dataclass(frozen=True, eq=False)
class Grouped:
    """Groups of a table's columns with the bits of naming each, and products in front; all in the user's units.

    saved_bits: by so many bits at least a law has fewer over the groups than over the columns.
    """

    quantities: tuple[Expression, ...]
    bits: tuple[float, ...]
    fronts: tuple[Expression, ...]
    num_independent: int
    saved_bits: float = 0.0

    def replace_columns(self, are_constants_pure: bool) -> bool:
        """Whether forms over the groups are all that is needed: every law is one, and few groups make short ones."""
        return are_constants_pure and self.num_independent <= FEW_GROUPS

    def wanted(self, needed: Sequence[int], front: Expression) -> frozenset[int]:
        """Groups without which a law lacks a needed column: those that alone have it."""
        places = set()
        for column in needed:
            holders = [place for place, one in enumerate(self.quantities) if column in one.columns]
            if len(holders) == 1 and column not in front.columns:
                places.add(holders[0])
        return frozenset(places)


def grouped_columns(table: Table, reduced: Reduced | None) -> Grouped | None:
    """The groups of a table; None where its units give none."""
    if reduced is None or not reduced.groups:
        return None
    lengths = [length(vector) for vector in reduced.groups]
    shares = [2.0 ** (-BITS_PER_LENGTH * (own - min(lengths))) for own in lengths]
    quantities = [
        product_in_user_units(table, vector, size)
        for vector, size in zip(reduced.groups, reduced.group_sizes, strict=True)
    ]
    return Grouped(
        tuple(quantities),
        tuple(-math.log2(share / sum(shares)) for share in shares),
        tuple(write_fronts(table, reduced)),
        reduced.num_independent,
        BITS_PER_COLUMN * (_num_columns(reduced.fronts[0]) + min(_num_columns(own) for own in reduced.groups) - 1),
    )


def view_of_groups(table: Table, dimensions: Dimensions | None) -> Joined | None:
    """Independent groups behind the shortest product in front, where every law is a function of them; else None.

    Columns that measure the same are each in a group of their own, over the same others: a difference of such groups
    stands for that of the columns.
    """
    if dimensions is None or not dimensions.are_constants_pure or dimensions.reduced is None:
        return None
    reduced = dimensions.reduced
    if not reduced.groups:
        return None
    like = [column for column, own in enumerate(dimensions.columns) if own and dimensions.columns.count(own) > 1]
    basis = reduced.groups[: reduced.num_independent]
    vectors = groups_with_one_each(basis, like) if like else basis
    quantities = tuple(product_in_user_units(table, vector, _size(vector, reduced)) for vector in vectors)
    front = write_fronts(table, reduced)[0]
    return Joined(quantities, 0.0, front if front.columns else None)


def groups_with_one_each(basis: Sequence[Vector], columns: Sequence[int]) -> list[Vector]:
    """The shortest groups, as many as possible with one of these columns as it is, which the others do not have."""
    places = range(len(basis[0]))
    rest = [place for place in places if place not in columns]
    num_other = len(basis) - len(echelon([[vector[place] for place in columns] for vector in basis])[1])
    found = [_groups_with(basis, [*columns, *chosen]) for chosen in combinations(rest, num_other)]
    return min((groups for groups in found if len(groups) == len(basis)), key=lambda groups: sum(map(length, groups)))


def _groups_with(basis: Sequence[Vector], columns: Sequence[int]) -> list[Vector]:
    """Groups that have one of these columns each, as it is, and then nothing but the other columns."""
    order = [*columns, *(place for place in range(len(basis[0])) if place not in columns)]
    rows, pivots = echelon([[vector[place] for place in order] for vector in basis])
    kept = [row for row, pivot in zip(rows, pivots, strict=True) if pivot < len(columns)]
    return [tuple(row[order.index(place)] for place in range(len(order))) for row in kept]


def _size(vector: Vector, reduced: Reduced) -> float:
    """The factor that converts a group, which the independent ones make together."""
    powers = solution(reduced.groups[: reduced.num_independent], vector)
    sizes = zip(reduced.group_sizes, powers or (), strict=False)
    return float(math.prod(size ** float(power) for size, power in sizes))


def _num_columns(exponents: Sequence[Fraction]) -> int:
    return sum(map(bool, exponents))


def write_fronts(table: Table, reduced: Reduced) -> list[Expression]:
    """The products with the unit of the target."""
    unit = math.ldexp(1.0, -table.target_exponent)
    pairs = zip(reduced.fronts, reduced.front_sizes, strict=True)
    return [product_in_user_units(table, vector, size * unit) for vector, size in pairs]


def product_in_user_units(table: Table, exponents: Sequence[Fraction], size: float) -> Expression:
    """A product of powers of the columns as the user has them, times a number; its value is in the user's units too."""
    scale = size * 2.0 ** sum(float(own) * power for own, power in zip(exponents, table.column_exponents, strict=True))
    if not any(exponents):
        return constant(scale)
    columns = [variable(column) for column in range(len(exponents))]
    return scaled(monomial(columns, np.array(exponents, dtype=np.float64)), scale)
