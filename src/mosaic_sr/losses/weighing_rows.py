"""Errors of rows under which squares stand for an own loss, so that the search looks where the loss does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.losses.loss import SQUARED, Loss
from mosaic_sr.table import Rows, Table, unscaled

Floats = NDArray[np.float64]

# The error at which loss and square are compared, in standard deviations of the target: that of a rough law.
STEP = 0.05
# Weights that differ by less are the same: the formula has rounded.
SAME = 1e-6
# No row counts more than this many times as much as the usual one, or the others would not be heard.
MOST = 1e6


def with_loss_weights(table: Table, loss: Loss) -> Table:
    """The table with errors of rows that are the smaller the faster the loss grows there; weights stay the user's."""
    if loss.text in (SQUARED, "absolute", "huber"):
        return table  # the same in every row
    plain = unscaled(table)
    training = _with_errors(table.training, plain.training.target, loss)
    is_shared = table.validation is table.training
    validation = training if is_shared else _with_errors(table.validation, plain.validation.target, loss)
    if training.has_sigma != validation.has_sigma:
        return table
    return replace(table, training=training, validation=validation)


@np.errstate(all="ignore")
def _with_errors(rows: Rows, target: Floats, loss: Loss) -> Rows:
    """target: in the user's units, in which the loss is meant."""
    step = STEP * (float(np.std(target)) or 1.0)
    grown = loss.excess(target, target + step) + loss.excess(target, target - step)
    # Beyond the domain of the loss, as below 0 for counts, one side tells.
    one_side = 2.0 * np.minimum(loss.excess(target, target + step), loss.excess(target, target - step))
    grown = np.where(np.isfinite(grown), grown, one_side)
    usual = float(np.median(grown[grown > 0.0])) if np.any(grown > 0.0) else 0.0
    is_known = usual > 0.0 and bool(np.all(np.isfinite(grown)))
    if not is_known or np.ptp(grown) <= SAME * usual:
        return rows
    errors = STEP * (float(np.std(rows.target)) or 1.0) / np.sqrt(np.clip(grown / usual, 1.0 / MOST, MOST))
    return replace(rows, sigma=np.asarray(errors))
