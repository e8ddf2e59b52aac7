"""`mosaic constants law.json data.csv`: the constants of a found law fitted to a table, with their intervals."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from mosaic_sr.cli.known_form import KnownForm
from mosaic_sr.cli.output import say
from mosaic_sr.cli.words import check_missing
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.expressions.digits import with_error
from mosaic_sr.files import refuse_overwriting, refuse_unwritable, write_atomically
from mosaic_sr.inputs import find_input
from mosaic_sr.intervals import Intervals, check_method, law_intervals
from mosaic_sr.law_file import read_law
from mosaic_sr.law_values import finite
from mosaic_sr.outcome import Outcome
from mosaic_sr.report import beside_unit
from mosaic_sr.table import GAP_RULES, read_file


def run_law_constants(request: KnownForm) -> None:
    """Fit and print; a request that is refused prints and writes nothing."""
    method = request.intervals or "profile"
    _check_settings(request, method)
    outcome, _ = read_law(request.formula)
    read = [outcome.names[column] for column in outcome.law.expression.columns]
    stated = [] if request.sigma is None else [request.sigma]
    file = find_input(request.file)
    found = read_file(file, request.target, [*read, *stated]) if read else read_file(file, None, [request.target])
    found = GAP_RULES[request.missing](found)
    columns = np.ones((len(outcome.names), len(found.columns[request.target])))
    for column, name in zip(outcome.law.expression.columns, read, strict=True):
        columns[column] = found.columns[name]
    sigma = None if request.sigma is None else found.columns[request.sigma]
    intervals = law_intervals(
        outcome, columns, found.columns[request.target], method, sigma=sigma, random_state=request.seed
    )
    intervals = replace(intervals, notes=(*found.notes, *intervals.notes))
    if request.json is not None:
        write_atomically(request.json, _as_json(outcome, request, intervals))
    for line in _as_lines(outcome, intervals):
        say(line)


def _check_settings(request: KnownForm, method: str) -> None:
    check_method(method)
    check_missing(request.missing, GAP_RULES)
    if request.weights != "uniform":
        raise InvalidSettings("a law file knows the noise of its rows; leave --weights out")
    refuse_unwritable(request.json)
    refuse_overwriting(request.json, request.file, Path(request.formula))


def _units(outcome: Outcome, found: Intervals) -> tuple[str, ...]:
    """The unit of each fitted constant, as the law file has it; empty for pure numbers."""
    return outcome.law.units if len(outcome.law.units) == len(found.names) else ("",) * len(found.names)


def _as_json(outcome: Outcome, request: KnownForm, found: Intervals) -> str:
    content = {
        "formula": outcome.law.text(),
        "target": request.target,
        "constants": dict(zip(found.names, found.values.tolist(), strict=True)),
        "errors": dict(zip(found.names, map(finite, found.errors.tolist()), strict=True)),
        "intervals": found.described(),
    }
    units = {name: unit for name, unit in zip(found.names, _units(outcome, found), strict=True) if unit}
    content |= {"units": units} if units else {}
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def _as_lines(outcome: Outcome, found: Intervals) -> list[str]:
    width = max(map(len, found.names), default=0)
    fitted = zip(found.names, found.values.tolist(), found.errors.tolist(), _units(outcome, found), strict=True)
    constants = [
        f"  {name:{width}}  {beside_unit(with_error(value, error), unit)}" for name, value, error, unit in fitted
    ]
    law = replace(outcome.law, expression=outcome.law.expression.with_constants(found.values))
    head = [f"{outcome.target} = {law.text(precision=8)}", "", *constants]
    return [*head, "", *found.lines()] if constants else [*head, "  the law has no constants to fit"]
