"""Constraints: what the user knows of the law, such as its sign or its limits; read, checked and proved here."""

from mosaic_sr.constraints.contradictions import (
    BreakingRow,
    breaking_rows,
    refuse_contradictions,
    refuse_contradictions_here,
)
from mosaic_sr.constraints.placed import Placed
from mosaic_sr.constraints.reading import read_constraint, read_constraints
from mosaic_sr.constraints.regions import region_of
from mosaic_sr.constraints.rules import Rows, Rules, Scale, Verdict
from mosaic_sr.constraints.statement import Constraint
from mosaic_sr.constraints.structure import Costs, StructureLimits

__all__ = [
    "BreakingRow",
    "Constraint",
    "Costs",
    "Placed",
    "Rows",
    "Rules",
    "Scale",
    "StructureLimits",
    "Verdict",
    "breaking_rows",
    "read_constraint",
    "read_constraints",
    "refuse_contradictions",
    "refuse_contradictions_here",
    "region_of",
]
