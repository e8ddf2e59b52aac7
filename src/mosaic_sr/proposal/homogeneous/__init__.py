"""Laws of noisy rows that are sums or products of parts whose units fit, found by regression.

Units leave so few parts that sums of up to four of them, also under a root or below the line, and products of powers of
up to two sums can be compared by linear algebra alone. What is best is fitted to the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mosaic_sr.budget import heed_stop
from mosaic_sr.evidence.judge import structure_bits
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import QuickConfig
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.homogeneous.parts import Parts
from mosaic_sr.proposal.homogeneous.products import find_products
from mosaic_sr.proposal.homogeneous.sums import find_sums
from mosaic_sr.proposal.trials import Trials, Tried
from mosaic_sr.units.dimensionless import Reduced

# Rows that are read: sums say as much on few of them; of products only large targets say something.
ROWS_OF_SUMS, ROWS_OF_PRODUCTS = 400, 1000
# Laws that are handed on; those behind them are far less probable.
NUM_LAWS = 15
# Numbers begin at their estimates, beside which few other starts are worth a try.
FIT = QuickConfig(2, 4, 30)


def find_homogeneous_laws(reduced: Reduced, context: ProposalContext) -> Iterator[list[Expression]]:
    """Laws with fitted numbers, those of each kind at once and the most probable first."""
    table, trials = context.table, Trials(context.rows, FIT)
    for kind, num_rows in ((find_sums, ROWS_OF_SUMS), (find_products, ROWS_OF_PRODUCTS)):
        rows = table.some_training(num_rows)
        found = kind(Parts(reduced, table, rows), rows, context.operators)
        tried = [_tried(law, trials, table.num_columns) for law in found]
        best = sorted((one for one in tried if math.isfinite(one.score)), key=lambda one: -one.score)
        yield [one.expression for one in best[:NUM_LAWS]]


def _tried(law: tuple[Expression, np.ndarray], trials: Trials, num_columns: int) -> Tried:
    """A law, its numbers NaN where they are estimates, fitted from these."""
    heed_stop()
    form, start = law
    known = form.with_constants(np.where(np.isnan(form.constants), start, form.constants))
    bits = structure_bits(canonical(known), num_columns)
    fits = [trials.tried_from(form, bits, known.constants, weighting) for weighting in trials.weightings]
    return max(fits, key=lambda one: one.score)
