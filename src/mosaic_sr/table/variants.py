"""A table in other dress: with fewer rows or columns, or with its numbers in the user's units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mosaic_sr.table.column_order import content_order
from mosaic_sr.table.rows import Rows, spread_over_target
from mosaic_sr.table.table import Table


def thinned(table: Table, num_rows: int) -> Table:
    """The table with at most so many training and validation rows, spread over the target."""
    if max(table.training.num_rows, table.validation.num_rows) <= num_rows:
        return table
    training = table.some_training(num_rows)
    is_shared = table.validation is table.training
    validation = training if is_shared else spread_over_target(table.validation, num_rows)
    return replace(table, training=training, validation=validation, resolutions=table.all_resolutions)


def by_content(table: Table) -> Table:
    """The rows that were drawn, with the columns in an order that their numbers decide, whatever order they came in."""
    drawn = replace(
        table,
        columns=table.training.columns,
        target=table.training.target,
        weights=table.training.weights,
        resolutions=table.all_resolutions,
    )
    return narrowed(drawn, content_order(list(table.training.columns), table.training.target))


def narrowed(table: Table, chosen: Sequence[int]) -> Table:
    """The table with some of its columns, in the order given."""
    if list(chosen) == list(range(table.num_columns)):
        return table

    def of_these(rows: Rows) -> Rows:
        return Rows(rows.columns[list(chosen)], rows.target, rows.weights)

    training, *known = of_these(table.training), *table.column_resolutions
    return replace(
        table,
        names=tuple(table.names[column] for column in chosen),
        used=tuple(table.used[column] for column in chosen),
        columns=table.columns[list(chosen)],
        resolutions=(*(known[column] for column in chosen), table.target_resolution),
        column_exponents=tuple(table.column_exponents[column] for column in chosen),
        training=training,
        validation=training if table.validation is table.training else of_these(table.validation),
    )


def unscaled(table: Table) -> Table:
    """The rows of the table that were drawn, with their numbers in the user's units."""
    exponents = np.array(table.column_exponents)[:, None]

    def in_units(rows: Rows) -> Rows:
        return Rows(np.ldexp(rows.columns, exponents), np.ldexp(rows.target, table.target_exponent), rows.weights)

    training = in_units(table.training)
    all_exponents = (*table.column_exponents, table.target_exponent)
    resolutions = [
        replace(known, exponent=known.exponent - exponent)
        for known, exponent in zip(table.all_resolutions, all_exponents, strict=True)
    ]
    return replace(
        table,
        columns=training.columns,
        target=training.target,
        weights=training.weights,
        resolutions=tuple(resolutions),
        column_exponents=(0,) * table.num_columns,
        target_exponent=0,
        training=training,
        validation=training if table.validation is table.training else in_units(table.validation),
    )
