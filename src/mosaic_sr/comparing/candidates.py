"""Laws to compare, as users give them: formulas with named constants or numbers, equations, and law files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mosaic_sr.equation import Equation
from mosaic_sr.errors import InvalidFormula, InvalidSettings
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.simple_numbers import closed_form
from mosaic_sr.fitting.named import NamedFormula, notes_on_names, parse_named
from mosaic_sr.law_file import is_law_file, read_law

# What users may hand in as a law.
Given = str | Path | Equation
# Exponents and factors such as 0.75 and 2.5 are set by people; 0.7 and 8.03 may be set or fitted, so they are fitted.
QUARTERS = 4.0
# Names in a message.
SHOWN_NAMES = 8
# Every pair of the best with another is compared; beyond this many nobody reads the table.
MOST_LAWS = 50


@dataclass(frozen=True, eq=False)
class Candidate:
    """A law to compare.

    label: as the user gave it.  formula: over the columns of the table, its parameters to be fitted.
    notes: how its names and numbers were read, one sentence each.
    """

    label: str
    formula: NamedFormula
    notes: tuple[str, ...] = ()


def check_laws(laws: object) -> list[Given]:
    """At least two laws, each a formula, an equation or a law file."""
    if isinstance(laws, str | Path | Equation) or not isinstance(laws, Sequence):
        raise InvalidSettings('laws must be a list of two or more laws, e.g. ["a*x", "a*x^2"]')
    if not 2 <= len(laws) <= MOST_LAWS:
        raise InvalidSettings(f"{len(laws)} law{'s' * (len(laws) != 1)} given; compare two to {MOST_LAWS} laws")
    for law in laws:
        if not isinstance(law, str | Path | Equation):
            raise InvalidSettings(
                f"a law must be a formula, an Equation or the path of a law file, got {type(law).__name__}"
            )
    return list(laws)


def read_candidate(law: Given, columns: Sequence[str], others: Sequence[str], keeps_numbers: bool = False) -> Candidate:
    """The law over the columns.

    others: names that a constant may not have, such as the target's.
    keeps_numbers: whether all numbers stay as they are; else those are fitted again that look fitted.
    """
    if isinstance(law, Equation) or is_law_file(law):
        known = law if isinstance(law, Equation) else read_law(law)[0].law
        candidate = _of_equation(known, str(law), columns)
    else:
        formula = parse_named(str(law), columns)
        notes = notes_on_names(formula, [*columns, *others])
        candidate = Candidate(str(law), formula, tuple(f"{str(law)!r}: {note}" for note in notes))
    return candidate if keeps_numbers else _with_fitted_numbers(candidate, columns)


def _of_equation(law: Equation, label: str, columns: Sequence[str]) -> Candidate:
    places = {name: place for place, name in enumerate(columns)}
    missing = [law.names[column] for column in law.expression.columns if law.names[column] not in places]
    if missing:
        shown = ", ".join(columns[:SHOWN_NAMES])
        raise InvalidFormula(f"{label} reads column {missing[0]!r}, which the table lacks; its columns are {shown}")
    expression = law.expression.renamed([places.get(name, 0) for name in law.names])
    fixed = np.full(expression.num_constants, -1, dtype=np.int32)
    return Candidate(label, NamedFormula(expression, (), fixed))


def _with_fitted_numbers(candidate: Candidate, columns: Sequence[str]) -> Candidate:
    """The candidate with its numbers fitted on, those excepted that belong to its structure, such as 2 or pi/4."""
    formula, parameters, names = candidate.formula, candidate.formula.parameter_of_constant.copy(), list[str]()
    for place in np.flatnonzero(parameters < 0):
        if not _is_structure(float(formula.expression.constants[place])):
            parameters[place] = len(formula.names) + len(names)
            names.append(_free_name(len(names) + 1, {*columns, *formula.names}))
    own = replace(formula, names=(*formula.names, *names), parameter_of_constant=parameters)
    return replace(candidate, formula=own)


def _is_structure(value: float) -> bool:
    """Whether a number belongs to the structure of a law: a whole one, quarters, and other closed forms."""
    return bool(np.isnan(value)) or (QUARTERS * value).is_integer() or closed_form(value) is not None


def _free_name(number: int, taken: set[str]) -> str:
    name = f"c{number}"
    while name in taken:
        name += "_"
    return name


def columns_read(candidates: Sequence[Candidate]) -> list[int]:
    """Places of the columns that some law reads."""
    return sorted({column for one in candidates for column in one.formula.expression.columns})


def narrowed(candidate: Candidate, read: Sequence[int]) -> Candidate:
    """The candidate over these of its columns only."""
    places = {column: place for place, column in enumerate(read)}
    expression: Expression = candidate.formula.expression
    moved = expression.renamed([places.get(column, 0) for column in range(max([*read, -1]) + 1)])
    return replace(candidate, formula=replace(candidate.formula, expression=moved))
