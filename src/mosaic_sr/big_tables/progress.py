"""A bar for the passes over a long file: drawn in place in a terminal, a line now and then in a log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mosaic_sr.progress import SECONDS_BETWEEN_LINES, print_line

Observe = Callable[[str, int], None]


@contextmanager
def pass_progress(is_shown: bool, num_rows: int) -> Iterator[Observe]:
    """Shows what is done and how many rows are through; num_rows: of the file, 0 where it is not known."""
    if not is_shown:
        yield lambda what, done: None
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal and not console.is_jupyter:
        yield _lines(num_rows)
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,} rows"))
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task("reading", total=num_rows or None)
        yield lambda what, done: bar.update(task, description=what, completed=done)


def _lines(num_rows: int) -> Observe:
    last = [time.monotonic()]

    def observe(what: str, done: int) -> None:
        if time.monotonic() - last[0] >= SECONDS_BETWEEN_LINES:
            last[0] = time.monotonic()
            print_line(f"{what} · {done:,}{f' of {num_rows:,}' if num_rows else ''} rows")

    return observe
