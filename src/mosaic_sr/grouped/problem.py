"""`GroupedProblem`: a table with groups as a search needs it, made from checked arrays."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidTable, MosaicWarning
from mosaic_sr.grouped.rows import GroupedRows
from mosaic_sr.preparation import Problem
from mosaic_sr.table import Table
from mosaic_sr.table.checks import name_of_target
from mosaic_sr.table.given import checked_given
from mosaic_sr.table.labels import Labels
from mosaic_sr.table.resolution import find_resolution
from mosaic_sr.table.table import refuse_constant_target

Floats = NDArray[np.float64]

# Standard deviation of what rounding to steps of 1 adds to a number.
ROUNDING_DEVIATION = math.sqrt(1.0 / 12.0)
EPSILON = float(np.finfo(np.float64).eps)
# Forms are compared on at most so many groups, and so many rows of each; the law is fitted to all.
JUDGED_GROUPS, JUDGED_ROWS = 40, 150
# Rows of all groups together, for laws without a group.
POOLED_ROWS = 2000


@dataclass(frozen=True, eq=False)
class GroupedProblem:
    """The rows of all groups and their labels.

    names: of all columns of the user, without that of the groups.  is_named: whether these are his own.
    column: the name of the group column, empty where the labels came as an array.
    """

    rows: GroupedRows
    labels: Labels
    names: tuple[str, ...]
    is_named: bool
    target: str
    column: str
    notes: tuple[str, ...] = ()

    @property
    def num_groups(self) -> int:
        return self.rows.num_groups

    def few(self) -> GroupedRows:
        """Some rows of some groups, the largest first: enough to compare forms."""
        order = np.argsort(-self.rows.sizes_of_groups, kind="stable")
        if len(order) > JUDGED_GROUPS:
            order = np.sort(order[np.linspace(0, len(order) - 1, JUDGED_GROUPS).astype(np.intp)])
        else:
            order = np.arange(len(order))
        return self.rows.take_groups(order.tolist()).thinned(JUDGED_ROWS)

    def leads(self) -> list[int]:
        """The groups that can be searched alone, those that say most first: many rows, and a target that varies."""
        rows = self.rows
        means = rows.sums(rows.target) / rows.sizes_of_groups
        spreads = rows.sums(np.square(rows.target - means[rows.group_of_row]))
        # Beyond some hundred rows more of them tell little.
        telling = np.minimum(rows.sizes_of_groups, 200) * np.sqrt(spreads / rows.sizes_of_groups)
        return [int(group) for group in np.argsort(-telling, kind="stable") if spreads[group] > 0.0]

    def table_of(self, group: int, rng: np.random.Generator) -> Problem:
        """The rows of one group as a table."""
        own = self.rows.group(group)
        return self._problem(
            own.columns, own.target, own.weights, own.sigma if own.has_sigma else None, self.names, rng
        )

    def pooled(self, rng: np.random.Generator) -> tuple[Problem, list[str]]:
        """All groups as one table, with the mean and the standard deviation of each group's target as columns.

        These stand for the constants of the groups; the names of both are returned, too.
        """
        rows = self.rows
        means = rows.sums(rows.target) / rows.sizes_of_groups
        deviations = np.sqrt(rows.sums(np.square(rows.target - means[rows.group_of_row])) / rows.sizes_of_groups)
        added = [_free_name("group_mean", self.names), _free_name("group_deviation", self.names)]
        columns = np.concatenate([rows.columns, [means[rows.group_of_row], deviations[rows.group_of_row]]])
        chosen = np.arange(rows.num_rows)
        if rows.num_rows > POOLED_ROWS:
            chosen = np.sort(rng.permutation(rows.num_rows)[:POOLED_ROWS])
        sigma = None if rows.sigma is None else rows.sigma[chosen]
        return self._problem(
            columns[:, chosen], rows.target[chosen], rows.weights[chosen], sigma, (*self.names, *added), rng
        ), added

    def _problem(
        self, columns: Floats, target: Floats, weights: Floats, sigma: Floats | None, names: Sequence[str],
        rng: np.random.Generator,
    ) -> Problem:  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MosaicWarning)
            own_weights = None if sigma is not None or np.all(weights == 1.0) else weights
            table = Table.from_arrays(
                columns.T, target, rng=rng, names=list(names), target_name=self.target, weights=own_weights, sigma=sigma
            )
        return Problem(table, tuple(names), self.is_named)


def _free_name(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def grouped_problem(
    X: object,
    y: object,
    labels: Labels,
    column: str,
    names: Sequence[str] | None,
    target_name: str | None = None,
    weights: object = None,
    sigma: object = None,
) -> GroupedProblem:
    """The problem of features X (rows, columns) without the group column; InvalidTable as for any other table."""
    given = checked_given(X, y, weights, names, "", sigma)
    target = name_of_target(y, target_name, given.names)
    refuse_constant_target(given, target)
    columns = np.array(given.columns)
    order = np.lexsort([given.target, *columns[::-1], labels.codes])
    kept = order if given.weights is None else order[given.weights[order] > 0]
    codes = labels.codes[kept]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    known = Labels(
        tuple(labels.names[code] for code in codes[starts]),
        np.repeat(np.arange(len(starts)), np.diff(starts, append=len(codes))),
    )
    # Small targets may carry the rounding of terms as large as the others.
    quantum = np.maximum(
        find_resolution(given.target, 0).quantum(given.target[kept]),
        EPSILON * np.sqrt(np.mean(np.square(given.target))),
    )
    rows = GroupedRows(
        np.ascontiguousarray(columns[:, kept]),
        given.target[kept],
        np.ones(len(kept)) if given.weights is None else given.weights[kept],
        ROUNDING_DEVIATION * quantum,
        None if given.sigma is None else given.sigma[kept],
        starts.astype(np.intp),
    )
    if len(kept) < 3:
        raise InvalidTable(f"the table has {len(kept)} rows; at least three are needed, more for a reliable law")
    own_names = tuple(given.names)
    return GroupedProblem(rows, known, own_names, names is not None, target, column, (*given.notes, *_notes(rows)))


def _notes(rows: GroupedRows) -> list[str]:
    """What a user should know of his groups."""
    if rows.num_groups == 1:
        return ["all rows are in one group, so that all constants are shared"]
    single = int(np.count_nonzero(rows.sizes_of_groups == 1))
    if not single:
        return []
    what = "1 group has" if single == 1 else f"{single} groups have"
    return [f"{what} one row; constants there come mostly from the other groups"]
