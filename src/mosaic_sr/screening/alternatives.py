"""What the columns say that a law does not read: neighbours that could stand in it, and what it leaves to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import in_table_units
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.screening.scan import Scan
from mosaic_sr.smooth import standardised
from mosaic_sr.table import Table

Floats = NDArray[np.float64]

# Columns that share nine tenths of their variance are easily taken for each other.
STRONG = 0.95
# Neighbours that are named for each column; of a hundred nobody reads more.
MOST_NAMED = 3
# How far beyond chance a group must go with what the law leaves. A choice, not measured: a false note costs a search.
LEAST_EXCESS = 0.03


@np.errstate(all="ignore")  # numerical trouble is a value here
def notes_on_columns(law: Expression, table: Table) -> list[str]:
    """One sentence for each neighbour of a column of the law, and one if a column explains what the law leaves.

    law: over the user's columns.  table: with all columns that were screened.
    """
    columns, target = all_rows(table)
    own = in_table_units(law, table)
    residuals = target - evaluate_expression(own, columns)
    if not own.columns or not np.all(np.isfinite(residuals)):
        return []
    return [*_neighbours(own, table.names, columns, target), *_unexplained(own, table.names, columns, residuals)]


def all_rows(table: Table) -> tuple[Floats, Floats]:
    """Columns (columns, rows) and target of training and validation rows; without rows that the user holds out."""
    if table.validation is table.training or table.holds_out:
        return table.training.columns, table.training.target
    parts = (table.training, table.validation)
    return np.concatenate([part.columns for part in parts], axis=1), np.concatenate([part.target for part in parts])


def _neighbours(law: Expression, names: tuple[str, ...], columns: Floats, target: Floats) -> list[str]:
    numbers, notes, read = standardised(columns)[0], [], sorted(set(law.columns))
    error = _error(law, columns, target)
    for column in read:
        correlations = numbers @ numbers[column] / columns.shape[1]
        correlations[read] = 0.0
        for other in np.argsort(-np.abs(correlations), kind="stable")[:MOST_NAMED].tolist():
            correlation = float(correlations[other])
            if abs(correlation) < STRONG:
                break
            exchanged = _error(law, _exchanged(columns, numbers, column, other, correlation), target)
            notes.append(_sentence(names[column], names[other], correlation, exchanged, error))
    return notes


def _sentence(name: str, other: str, correlation: float, exchanged: float, error: float) -> str:
    """What is told of a neighbour; exchanged, error: root mean square errors with it and with the column itself."""
    stated = f"{name} could be {other}: correlation {correlation:.3f}"
    # Beyond a million times the errors of the law are rounding.
    if not exchanged <= 1e6 * error:
        return f"{stated}, but without {name} the law does not match the rows"
    return f"{stated}, the errors are then {exchanged / error:.2g} times as large"


def _exchanged(columns: Floats, numbers: Floats, column: int, other: int, correlation: float) -> Floats:
    """The columns with one of them as its neighbour predicts it, in its own units."""
    moved, own = columns.copy(), columns[column]
    moved[column] = own.mean() + own.std() * correlation * numbers[other]
    return moved


def _error(law: Expression, columns: Floats, target: Floats) -> float:
    return float(np.sqrt(np.mean(np.square(target - evaluate_expression(law, columns)))))


def _unexplained(law: Expression, names: tuple[str, ...], columns: Floats, residuals: Floats) -> list[str]:
    read = sorted(set(law.columns))
    for group in Scan(columns).groups(residuals, read):
        others = [names[column] for column in group.columns if column not in read]
        if others and group.excess > LEAST_EXCESS:
            shown = " and ".join(others)
            return [
                f"{shown} may explain what the law leaves: correlation {group.correlation:.2f}; to search with "
                f"{'it' if len(others) == 1 else 'them'}, require {shown} (--must-use, must_use)"
            ]
    return []
