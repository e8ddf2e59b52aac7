"""`Outcome`: what a search has found, in the user's units, and how it went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mosaic_sr.confirmation import Confirmation
from mosaic_sr.constraints import Verdict
from mosaic_sr.equation import Equation, in_user_units
from mosaic_sr.evidence.chi_square import ChiSquare
from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.expressions.expression import substituted, variable
from mosaic_sr.fitting.uncertainty import standard_errors
from mosaic_sr.group_constants import GroupConstants
from mosaic_sr.parting import Parting
from mosaic_sr.sampled import Ranges
from mosaic_sr.selection import SelectionConfig, refitted
from mosaic_sr.table import Table, unscaled
from mosaic_sr.units.stated import StatedUnits


@dataclass(frozen=True)
class Outcome:
    """The law, the simpler equations beside it, and the course of the search.

    front: in order of complexity, each with less loss than all simpler ones, and the law among them.
    names: of all the user's columns.
    is_named: whether these are the user's own names.  trace: one line whenever the law or the stage has changed.
    stopped_early: whether the clock or the user ended the search; one that has spent its candidates has finished.
    stopped_by: what ended it before it was through, for a person; law files do not keep it.
    has_paths: whether it had come to the search paths, which alone can be gone on from; not kept either.
    is_kept: whether the files of the search, where it has a folder, could be written at its end; not kept either.
    path_trace: where the search paths stood after each round, in presets that trace them; not kept either.
    scatter: how far noisy rows lie from the law; None where the law agrees with them or was not weighed.
    column_probabilities: one per column of the user, that the law of noisy rows reads it; empty where not weighed.
    num_forms, covered_bits: the enumeration has tried all forms of up to so many bits of structure.
    listed_over: what columns make together, as text, where forms over these quantities were tried.
    is_decided: whether more search on these noisy rows would not have changed the law.
    parting: where more rows would decide between the law and its closest rival; None where there is no rival.
    target_range, target_deviation: largest minus smallest target and its standard deviation; 0 where not known.
    stability: share of the bootstrap samples in which the structure of the law was found again; None where none was
        searched.  stability_samples: how many were.
    sampled: smallest and largest value of each column in all rows, by its place; empty where not known. Law files
        keep those of columns that an equation of the file reads.
    chi2: of the law, where the user states the errors of the target; else None.
    loss: the user's own loss by which equations were chosen; "squared" where there is none.
    parts: with a template, its unknown functions as they are written there, such as f(S), and what they are.
    decoded_operators: operators of the most probable sketch of the learned prior, where it was asked; not kept either.
    constraints: how the law keeps each of the user's constraints.
    units: of all columns and of the target; None where none is stated.
    groups: constants that differ from group to group; the law has their means. None where the rows have no groups.
    indicators: by column of labels, its labels; the law reads columns of 0 and 1 in its place.
    confirmation: what all rows of a long table say of the law, which was found on some; else None.
    """

    law: Equation
    front: tuple[Equation, ...]
    names: tuple[str, ...]
    target: str
    is_named: bool
    evaluations: int
    seconds: float
    stopped_early: bool = False
    stopped_by: str = ""
    has_paths: bool = False
    is_kept: bool = True
    stage_seconds: Mapping[str, float] = field(default_factory=dict)
    trace: Sequence[Mapping[str, Any]] = ()
    path_trace: Sequence[Mapping[str, Any]] = ()
    notes: tuple[str, ...] = ()
    scatter: Scatter | None = None
    column_probabilities: tuple[float, ...] = ()
    num_forms: int = 0
    covered_bits: float = 0.0
    listed_over: tuple[str, ...] = ()
    is_decided: bool = False
    parting: Parting | None = None
    target_range: float = 0.0
    target_deviation: float = 0.0
    stability: float | None = None
    stability_samples: int = 0
    sampled: Ranges = field(default_factory=dict)
    decoded_operators: int | None = None
    constraints: tuple[Verdict, ...] = ()
    loss: str = "squared"
    chi2: ChiSquare | None = None
    units: StatedUnits | None = None
    groups: GroupConstants | None = None
    indicators: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parts: tuple[tuple[str, Equation], ...] = ()
    confirmation: Confirmation | None = None


def presentable(equation: Equation, table: Table, names: Sequence[str], config: SelectionConfig) -> Equation:
    """The law of a table's scaled columns as a law of the user's columns, with standard errors in these units."""
    own = _within_limits(in_user_units(equation, table, names), table, config)
    ties = tuple(presentable(tie, table, names, config) for tie in equation.ties)
    return replace(own, standard_errors=standard_errors(own.expression, table), ties=ties)


def _within_limits(law: Equation, table: Table, config: SelectionConfig) -> Equation:
    """A law in words within the limits, with its errors measured again where these are others."""
    words = config.limits.words_for(law.expression, table)
    if words is None or words == law.expression:
        return law
    places = {column: variable(place) for place, column in enumerate(table.used)}
    is_fixed = np.ones(words.num_constants, dtype=np.bool_)
    return replace(refitted(law, substituted(words, places), unscaled(table), config, is_fixed), expression=words)
