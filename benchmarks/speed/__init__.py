"""`python -m benchmarks speed`: how fast kernel, fits, search and start are, beside their peers in the same run."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.speed import fitting, kernel, lookup, prior, search, startup
from benchmarks.speed.row import Row, is_reached

HEADS = ("name", "ours", "peer", "ratio", "goal", "")
WIDTHS = (82, 10, 10, 8, 12, 6)


def main(words: Sequence[str]) -> int:
    """Measure, print a table as it grows, and write the rows as JSON if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks speed", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows to this file")
    parser.add_argument("--only", choices=tuple(PARTS), help="measure one part")
    options = parser.parse_args(words)
    print(_line(HEADS))
    rows = []
    for name, part in PARTS.items():
        if options.only in (None, name):
            for row in part():
                print(_line(_cells(row)), flush=True)
                rows.append(row)
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return 0


PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "kernel": kernel.rows,
    "startup": startup.rows,
    "fitting": fitting.rows,
    "lookup": lookup.rows,
    "search": search.rows,
    "prior": prior.rows,
}


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
