"""The work behind `mosaic compare`: read the laws and the columns that they use, weigh, print, and write as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from mosaic_sr.cli.output import say
from mosaic_sr.cli.source import Source
from mosaic_sr.comparing import compare
from mosaic_sr.comparing.candidates import check_laws, columns_read, read_candidate
from mosaic_sr.errors import InvalidFormula, InvalidSettings
from mosaic_sr.files import refuse_overwriting, refuse_unwritable, write_atomically
from mosaic_sr.inputs import find_input
from mosaic_sr.law_file import is_law_file
from mosaic_sr.table import column_names
from mosaic_sr.units.headers import formula_units


@dataclass(frozen=True)
class CompareRequest:
    """What the user asked for."""

    laws: tuple[str, ...]
    file: Path
    target: str
    sigma: str | None
    weights: str | None
    ignored: tuple[str, ...]
    missing: str
    json: Path | None
    keeps_numbers: bool = False
    units: tuple[str, ...] | None = None


def run_compare(request: CompareRequest) -> None:
    """Compare and print; a request that is refused prints and writes nothing."""
    _check(request)
    source = _source(request)
    arrays, read = source.arrays(), source.rows
    names = column_names(source.input, request.target, request.ignored)
    units, on_units = formula_units(request.units, arrays.names, names, request.target, read.units, read.label)
    texts = {} if units is None else dict(zip(arrays.names, units.columns, strict=True))
    found = compare(
        request.laws, arrays.X, arrays.y, sigma=arrays.sigma, sample_weight=arrays.weights, names=arrays.names,
        target_name=request.target, keep_numbers=request.keeps_numbers,
        X_units={name: unit.text for name, unit in texts.items() if unit is not None} or None,
        y_units=None if units is None or units.target is None else units.target.text,
    )  # fmt: skip
    found = replace(found, notes=(*arrays.notes, *on_units, *found.notes))
    if request.json is not None:
        write_atomically(request.json, json.dumps(found.described(), indent=2, allow_nan=False) + "\n")
    for line in found.lines():
        say(line)


def _check(request: CompareRequest) -> None:
    if is_law_file(str(request.file)):
        raise InvalidSettings(f"the table comes last; {str(request.file)!r} is a law file")
    check_laws(request.laws)
    refuse_unwritable(request.json)
    refuse_overwriting(request.json, request.file, *(Path(law) for law in request.laws if is_law_file(law)))


def _source(request: CompareRequest) -> Source:
    """The columns that some law reads; what else the file holds need not be numbers."""
    names = column_names(find_input(request.file), request.target, request.ignored)
    of_rows = [name for name in (request.sigma, request.weights) if name is not None]
    features = [name for name in names if name not in (request.target, *of_rows)]
    candidates = [read_candidate(law, features, [request.target, *of_rows]) for law in request.laws]
    read = columns_read(candidates)
    if not read:
        raise InvalidFormula(f"none of the laws reads a column; the columns are {', '.join(features[:8])}")
    return Source(
        request.file, request.target, tuple(features[column] for column in read), (), request.weights,
        missing=request.missing, sigma=request.sigma,
    )  # fmt: skip
