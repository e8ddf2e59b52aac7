"""Laws of noisy rows that are sums or products of parts whose units fit, found by regression.

Units leave so few parts that sums of up to four of them, also under a root or below the line, and products of powers of
up to two sums can be compared by linear algebra alone. What is best is fitted to the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import QuickConfig
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.homogeneous.parts import Parts
from mosaic_sr.proposal.homogeneous.products import find_products
from mosaic_sr.proposal.homogeneous.simple_words import tried_from_start, with_simple_numbers, write_simply
from mosaic_sr.proposal.homogeneous.sums import StartedLaw, find_sums
from mosaic_sr.proposal.trials import Trials, Tried
from mosaic_sr.table import Table
from mosaic_sr.units.dimensionless import Reduced

# Rows that are read: sums say as much on few of them; of products only large targets say something.
ROWS_OF_SUMS, ROWS_OF_PRODUCTS = 400, 1000
# Laws that are handed on, and by how many nats at most they are behind the first: others are far less probable.
NUM_LAWS, MOST_BEHIND = 12, 40.0
# Numbers begin at their estimates, beside which few other starts are worth a try.
FIT = QuickConfig(2, 4, 30)


def find_homogeneous_laws(reduced: Reduced, context: ProposalContext) -> Iterator[list[Expression]]:
    """Laws with fitted numbers, those of each kind at once and the most probable first."""
    table = context.table
    for kind, num_rows in ((find_sums, ROWS_OF_SUMS), (find_products, ROWS_OF_PRODUCTS)):
        rows = table.some_training(num_rows)
        trials = Trials(rows, FIT)
        found = kind(Parts(reduced, table, rows), rows, context.operators)
        tried = [_tried(law, trials, table) for law in found]
        best = sorted((one for one in tried if math.isfinite(one.score)), key=lambda one: -one.score)
        near = [one for one in best[:NUM_LAWS] if one.score > best[0].score - MOST_BEHIND]
        yield [write_simply(one, trials, table) for one in near]


def _tried(law: StartedLaw, trials: Trials, table: Table) -> Tried:
    """A law with its numbers fitted, or simple where they are near such: a sum of large terms may have no root else."""
    form, estimates = law
    start = np.where(np.isnan(form.constants), estimates, form.constants)
    simple = islice(with_simple_numbers(form, start, trials, table), 1)
    return max([tried_from_start(form, start, trials, table), *simple], key=lambda one: one.score)
