"""`python -m benchmarks speed`: the speed of kernel, fits, search and start, compared with other libraries."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.provenance import find_commit, this_machine
from benchmarks.run_options import Parser
from benchmarks.speed import big_tables, cluster, fitting, kernel, lookup, nodes, prior, search, startup
from benchmarks.speed.row import Row, is_reached
from mosaic_sr import InvalidFile

HEADS = ("name", "ours", "peer", "ratio", "goal", "")
WIDTHS = (82, 10, 10, 8, 12, 6)


def main(words: Sequence[str]) -> int:
    """Measure, print a table as it grows, and write the rows and where they come from as JSON if asked to."""
    parser = Parser(prog="python -m benchmarks speed", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows to this file")
    parser.add_argument("--only", choices=tuple(PARTS), help="measure one part")
    options = parser.parse_args(words)
    # The file of the rows may itself be one of the commit.
    origin = {"commit": find_commit(), "machine": this_machine(1)}
    _write(options.json, origin, [])
    print(_line(HEADS))
    rows: list[Row] = []
    for name, part in PARTS.items():
        if options.only == name or (options.only is None and name not in LONG_PARTS):
            for row in part():
                print(_line(_cells(row)), flush=True)
                rows.append(row)
                _write(options.json, origin, rows)
    return 0


PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "kernel": kernel.rows,
    "startup": startup.rows,
    "fitting": fitting.rows,
    "lookup": lookup.rows,
    "search": search.rows,
    "cluster": cluster.rows,
    "nodes": nodes.rows,
    "prior": prior.rows,
    "big_tables": big_tables.rows,
}
# Measured only where they are named: they take minutes, gigabytes of disk, or a cluster.
LONG_PARTS = ("big_tables", "nodes")


def _write(path: Path | None, origin: Mapping[str, Any], rows: Sequence[Row]) -> None:
    if path is None:
        return
    content = {**origin, "rows": [asdict(row) for row in rows]}
    try:
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InvalidFile(f"cannot write {path}: {error.strerror}") from error


def _cells(row: Row) -> tuple[str, ...]:
    numbers = ("-" if number is None else f"{number:.3g}" for number in (row.ours, row.peer, row.ratio))
    reached = is_reached(row)
    return (row.name, *numbers, row.goal, "" if reached is None else ("ok" if reached else "below"))


def _line(cells: Sequence[str]) -> str:
    padded = [
        cells[0].ljust(WIDTHS[0]),
        *(cell.rjust(width) for cell, width in zip(cells[1:], WIDTHS[1:], strict=True)),
    ]
    return " ".join(padded)
