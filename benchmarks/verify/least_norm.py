"""Least squares of least norm in many digits, for the few constants of a formula."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.verify.arithmetic import CONTEXT, Number

Column = list[Number]


def least_norm_solution(columns: Sequence[Column], target: Column, dependent: Number) -> list[Number]:
    """The shortest of the weights with which the columns come nearest to the target.

    A column of which no more than the share `dependent` is left beside the others counts as their combination.
    With columns = Q R, Q orthonormal, it is R^T (R R^T)^-1 Q^T target.
    """
    basis, rows = _orthonormal(columns, dependent)
    size = len(basis)
    if size == 0:
        return [CONTEXT.zero] * len(columns)
    # Rows of one length: the solver takes what is small beside the largest for nothing.
    lengths = [_length(row) for row in rows]
    units = [[value / length for value in row] for row, length in zip(rows, lengths, strict=True)]
    gram = CONTEXT.matrix(size, size)
    for i in range(size):
        for j in range(size):
            gram[i, j] = _dot(units[i], units[j])
    along = [_dot(direction, target) / length for direction, length in zip(basis, lengths, strict=True)]
    weights = CONTEXT.lu_solve(gram, CONTEXT.matrix(along))
    return [sum((units[i][j] * weights[i] for i in range(size)), CONTEXT.zero) for j in range(len(columns))]


def _orthonormal(columns: Sequence[Column], dependent: Number) -> tuple[list[Column], list[list[Number]]]:
    """Directions that span the columns, and the columns' coordinates in them: (directions, columns)."""
    left = [list(column) for column in columns]
    lengths = [_length(column) for column in columns]
    basis: list[Column] = []
    rows: list[list[Number]] = []
    while True:
        shares = [
            _length(rest) / length if length else CONTEXT.zero for rest, length in zip(left, lengths, strict=True)
        ]
        best = max(range(len(left)), key=shares.__getitem__, default=-1)
        if best < 0 or shares[best] <= dependent:
            return basis, rows
        norm = _length(left[best])
        direction = [value / norm for value in left[best]]
        coordinates = [_dot(direction, rest) for rest in left]
        for rest, coordinate in zip(left, coordinates, strict=True):
            rest[:] = [value - coordinate * along for value, along in zip(rest, direction, strict=True)]
        basis.append(direction)
        rows.append(coordinates)


def _dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    return CONTEXT.fdot(a, b)


def _length(column: Sequence[Number]) -> Number:
    return CONTEXT.sqrt(_dot(column, column))
