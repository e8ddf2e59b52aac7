"""A table in other dress: with fewer or resampled rows, fewer columns, or its numbers in the user's units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mosaic_sr.table.column_order import content_order
from mosaic_sr.table.door import LEAST_ROWS
from mosaic_sr.table.rows import Rows, spread_over_target
from mosaic_sr.table.table import Table

# A sample of three rows has all of them once in five draws; where so many draws give nothing usable, none will.
MOST_DRAWS = 100
# Whole numbers up to here are float64; heavier rows vary no more than these.
MOST_COUNTED = 2.0**53


def thinned(table: Table, num_rows: int) -> Table:
    """The table with at most so many training and validation rows, spread over the target."""
    if max(table.training.num_rows, table.validation.num_rows) <= num_rows:
        return table
    training = table.some_training(num_rows)
    is_shared = table.validation is table.training
    validation = training if is_shared else spread_over_target(table.validation, num_rows)
    share = training.num_rows / table.training.num_rows
    censored = None if table.censored is None else table.censored.some(share)
    return replace(
        table, training=training, validation=validation, resolutions=table.all_resolutions, censored=censored
    )


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
        errors = rows.x_sigma[list(chosen)] if rows.has_x_sigma else rows.x_sigma
        return replace(rows, columns=rows.columns[list(chosen)], x_sigma=errors)

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
        censored=None if table.censored is None else table.censored.with_rows(of_these(table.censored.rows)),
    )


def unscaled(table: Table) -> Table:
    """The rows of the table that were drawn, with their numbers in the user's units."""
    exponents = np.array(table.column_exponents)[:, None]

    def in_units(rows: Rows) -> Rows:
        errors = np.ldexp(rows.x_sigma, exponents) if rows.has_x_sigma else rows.x_sigma
        columns = np.ldexp(rows.columns, exponents)
        return replace(rows.with_divided_target(-table.target_exponent), columns=columns, x_sigma=errors)

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
        censored=None if table.censored is None else table.censored.with_rows(in_units(table.censored.rows)),
    )


def resampled(table: Table, rng: np.random.Generator) -> Table | None:
    """A bootstrap sample: training and validation rows drawn again with replacement, as weights.

    Standard errors stay with their rows. None where no draw has a target that varies.
    """
    is_shared = table.validation is table.training
    for _ in range(MOST_DRAWS):
        training = _drawn(table.training, rng)
        validation = training if is_shared else _drawn(table.validation, rng)
        is_varied = not (training.has_constant_target or validation.has_constant_target)
        if is_varied and training.num_rows >= LEAST_ROWS:
            return replace(
                table,
                columns=training.columns,
                target=training.target,
                weights=training.weights,
                training=training,
                validation=validation,
                resolutions=table.all_resolutions,
            )
    return None


def _drawn(rows: Rows, rng: np.random.Generator) -> Rows:
    """As many rows as the weights add up to, at least as many as there are, drawn in proportion to their weights.

    A row of weight 2 and a row given twice thus have the same chances; the sum of the weights stays.
    """
    weights = rows.weights if len(rows.weights) else np.ones(rows.num_rows)
    total = float(np.sum(weights))
    num_draws = round(min(max(total, rows.num_rows), MOST_COUNTED))
    counts = rng.multinomial(num_draws, weights / total)
    places = np.flatnonzero(counts)
    drawn = np.asarray(counts[places] * (total / num_draws), dtype=np.float64)
    return replace(rows.take(places), weights=np.empty(0) if np.all(drawn == 1.0) else drawn)
