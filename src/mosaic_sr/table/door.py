"""What a user's table needs beside sound numbers before a search; parts of it that proposers make may have less."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidTable
from mosaic_sr.table.table import Table

Floats = NDArray[np.float64]

# A straight line goes through any two rows.
LEAST_ROWS = 3
# Fewer rows than this for each fitted constant say nothing of an equation: it is not listed.
LEAST_ROWS_PER_CONSTANT = 3


def refuse_unusable(table: Table) -> None:
    """Refuse too few distinct rows, and numbers so small that the factor which brings them near 1 is no float64."""
    num_distinct = _num_distinct(table)
    if num_distinct < LEAST_ROWS:
        raise InvalidTable(
            f"the table has {num_distinct} distinct rows; at least {LEAST_ROWS} are needed, more for a reliable law"
        )
    why = f"has numbers below {sys.float_info.min:.1e}, where float64 loses digits; use a smaller unit"
    for name, values, exponent in zip(table.names, table.columns, table.column_exponents, strict=True):
        if _are_subnormal(values, exponent):
            raise InvalidTable(f"column {name!r} of X {why}, or leave the column out")
    if _are_subnormal(table.target, table.target_exponent):
        raise InvalidTable(f"the target {table.target_name!r} {why}")


def _num_distinct(table: Table) -> int:
    """Rows that differ in a column or in the target: those that differ in the standard error alone are neighbours."""
    if not table.training.has_sigma:
        return table.num_rows
    numbers = np.vstack([table.columns, table.target])
    return 1 + int(np.count_nonzero(np.any(numbers[:, 1:] != numbers[:, :-1], axis=0)))


def _are_subnormal(values: Floats, exponent: int) -> bool:
    """Whether most of the values that are not zero are, in the user's units, too small for all digits of a float64."""
    magnitudes = np.abs(np.ldexp(values[values != 0], exponent))
    return bool(np.count_nonzero(magnitudes < sys.float_info.min) > len(magnitudes) // 2)
