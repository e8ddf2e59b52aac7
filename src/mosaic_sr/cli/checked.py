"""The work behind `mosaic check`: read the table whatever its cells hold, look at it, print, and write as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from mosaic_sr.checking import check_loose
from mosaic_sr.cli.output import say
from mosaic_sr.files import refuse_overwriting, refuse_unwritable, write_atomically
from mosaic_sr.inputs import find_input
from mosaic_sr.table.loose import read_loosely


@dataclass(frozen=True)
class CheckRequest:
    """What the user asked for."""

    file: Path
    target: str | None
    columns: tuple[str, ...] | None
    ignored: tuple[str, ...]
    sigma: str | None
    json: Path | None
    units: tuple[str, ...] | None = None


def run_check(request: CheckRequest) -> None:
    """Check and print; a request that is refused prints and writes nothing."""
    refuse_unwritable(request.json)
    refuse_overwriting(request.json, request.file)
    left_out = [*request.ignored, *([] if request.sigma is None else [request.sigma])]
    table = read_loosely(find_input(request.file), request.target, request.columns, left_out)
    found = check_loose(table, has_sigma=request.sigma is not None, units=request.units)
    if request.json is not None:
        write_atomically(request.json, json.dumps(found.described(), indent=2, allow_nan=False) + "\n")
    for line in found.lines():
        say(line)
