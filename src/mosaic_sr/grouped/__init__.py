"""One law for all groups of rows, whose constants are shared or differ from group to group."""

from mosaic_sr.grouped.finding import find_grouped_law, refuse_beside_groups, refuse_with_groups
from mosaic_sr.grouped.problem import GroupedProblem, grouped_problem

__all__ = ["GroupedProblem", "find_grouped_law", "grouped_problem", "refuse_beside_groups", "refuse_with_groups"]
