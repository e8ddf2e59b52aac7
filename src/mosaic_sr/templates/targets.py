"""Tables of single unknowns: what an unknown must be in each row, given all the others, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidTable
from mosaic_sr.table import Rows, Table
from mosaic_sr.table.resolution import derived_resolution
from mosaic_sr.template_form import Template
from mosaic_sr.templates.smooth_parts import Model

Floats = NDArray[np.float64]

# Newton's steps that solve the template for the value in a slot; they double the digits each time.
NEWTON_STEPS = 25
# Of the size of the target: what is solved, and rows that may stay unsolved before the first step counts instead.
SOLVED, MOST_UNSOLVED = 1e-11, 0.05
# A row where the law hardly depends on the unknown tells nothing of it: slopes below this share of the usual one.
LEAST_SLOPE = 1e-3
# Fewer rows make no table.
LEAST_ROWS = 6
# Of a computed value: a few roundings, next to that of the target.
ROUNDINGS = 8.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Wanted:
    """The values that an unknown must have.

    arguments: (arguments, rows).  values, slopes: (rows,) what it must be, and how the law follows it there.
    rows: (rows,) the row of the whole table that says so.  rounding: (rows,) of its target.
    """

    arguments: Floats
    values: Floats
    slopes: Floats
    rows: NDArray[np.intp]
    rounding: Floats


def wanted_values(
    template: Template, unknown: int, rows: Rows, slots: Floats, constants: Floats, rounding: Floats
) -> Wanted | None:
    """What an unknown must be in each row, all other slots given; slots: (slots, rows) from which it starts.

    rounding: (rows,) of the target.  None where the rows say too little.
    """
    model, found = Model(template, rows), list[Wanted]()
    places = template.slots_of(unknown)
    for slot in places:
        with np.errstate(all="ignore"):
            slopes = model.slope_along(slot, slots, constants)
            step = slots[slot] + (rows.target - model.values(slots, constants)) / slopes
            # Where an unknown stands at several places, a row says something of their values together only.
            values = _solved(model, slot, slots, constants, rows.target, step) if len(places) == 1 else step
        sizes = np.abs(slopes)
        is_usable = np.isfinite(values) & np.isfinite(sizes) & (sizes > LEAST_SLOPE * np.nanmedian(sizes))
        own = np.flatnonzero(is_usable)
        found.append(Wanted(model.arguments[slot][:, own], values[own], slopes[own], own, rounding[own]))
    joined = Wanted(
        np.concatenate([one.arguments for one in found], axis=1),
        np.concatenate([one.values for one in found]),
        np.concatenate([one.slopes for one in found]),
        np.concatenate([one.rows for one in found]),
        np.concatenate([one.rounding for one in found]),
    )
    is_enough = len(joined.values) >= LEAST_ROWS and np.ptp(joined.values) > 0.0
    return joined if is_enough else None


def _solved(model: Model, slot: int, slots: Floats, constants: Floats, target: Floats, step: Floats) -> Floats:
    """The value in a slot for which the law is the target, near the one that it has; else its first step."""
    moved, size = slots.copy(), float(np.max(np.abs(target)))
    for _ in range(NEWTON_STEPS):
        rest = target - model.values(moved, constants)
        is_open = ~(np.abs(rest) <= SOLVED * size * 1e-3)
        if not is_open.any():
            break
        slopes = model.slope_along(slot, moved, constants)
        moved[slot] = np.where(is_open, moved[slot] + rest / slopes, moved[slot])
    is_solved = np.abs(target - model.values(moved, constants)) <= SOLVED * size
    if np.mean(~is_solved) > MOST_UNSOLVED:
        return step
    return np.where(is_solved, moved[slot], np.nan)


def table_of(wanted: Wanted, noise: Floats | None, rng: np.random.Generator) -> Table | None:
    """The table of an unknown over its arguments; None where nothing varies.

    noise: (rows,) standard deviation of the target of the whole table; None where it is only rounding.
    """
    values, sizes = wanted.values, np.abs(wanted.slopes)
    sigma = None if noise is None else np.minimum(noise[wanted.rows] / sizes, 0.5 * float(np.std(values)))
    try:
        table = Table.from_arrays(wanted.arguments.T, values, rng=rng, sigma=sigma)
    except InvalidTable:
        return None
    if noise is not None:
        return table
    unsure = wanted.rounding / sizes + ROUNDINGS * np.abs(values)
    resolution = derived_resolution(values, unsure)
    resolution = replace(resolution, exponent=resolution.exponent + table.target_exponent)
    return replace(table, resolutions=(*table.column_resolutions, resolution))
