"""The constants of groups in words: which are shared, mean and spread of the others, and a table of the groups."""

from __future__ import annotations

import numpy as np

from mosaic_sr.expressions.digits import with_error
from mosaic_sr.group_constants import GroupConstants
from mosaic_sr.outcome import Outcome

# Groups that are listed on a terminal, the first and the last ones; the law file has all of them.
MOST_LISTED, LISTED_LAST = 12, 3


def group_lines(outcome: Outcome) -> list[str]:
    """Lines for a person; none where the rows have no groups."""
    groups = outcome.groups
    if groups is None:
        return []
    form = f"{outcome.target} = {groups.form(outcome.law).text(precision=8)}"
    return [f"form: {form}", *_constants(outcome, groups), *_table(groups)]


def _constants(outcome: Outcome, groups: GroupConstants) -> list[str]:
    lines = []
    for fitted, (name, own) in enumerate(zip(groups.names, groups.marked(outcome.names), strict=True)):
        constant = outcome.law.constants[groups.places.index(fitted)]
        value = with_error(constant.value, constant.standard_error)
        if groups.is_shared[fitted]:
            lines.append(f"  {own} = {value} in all groups")
        else:
            lines.append(f"  {own}: mean {value}, spread over groups {groups.spread[fitted]:.3g}; {name} below")
    return lines


def _table(groups: GroupConstants) -> list[str]:
    """One line per group with its constants; of many groups the first and the last."""
    own = np.flatnonzero(~groups.is_shared).tolist()
    if not own:
        return [f"all constants are the same in the {len(groups.labels)} groups"]
    count, listed = len(groups.labels), list(range(len(groups.labels)))
    if count > MOST_LISTED:
        listed = [*listed[: MOST_LISTED - LISTED_LAST], *listed[-LISTED_LAST:]]
    head = [groups.column or "group", "rows", *(groups.names[fitted] for fitted in own)]
    errors = groups.errors
    cells = [
        [
            str(groups.labels[group]),
            str(int(groups.num_rows[group])),
            *(with_error(float(groups.values[group, fitted]), float(errors[group, fitted])) for fitted in own),
        ]
        for group in listed
    ]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (head, *cells)
    ]
    if count > MOST_LISTED:
        lines.insert(1 + MOST_LISTED - LISTED_LAST, f"... {count - MOST_LISTED:,} more groups, in the law file")
    return lines
