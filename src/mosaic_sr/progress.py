"""The search while it runs: live lines in a terminal, now and then a line in a log, nothing for a program."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING

from mosaic_sr.budget import Clock
from mosaic_sr.kernel.jit import COMPILATION
from mosaic_sr.pipeline import Snapshot
from mosaic_sr.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

Observer = AbstractContextManager[Callable[[Snapshot], None]]
# Gives the text of a snapshot's law as the user would write it.
Text = Callable[[Snapshot], str]
# A log that is read later needs few lines.
SECONDS_BETWEEN_LINES = 10.0
# Whether the user knows why he waits; a live line that has gone from the screen has told him, too.
_has_told_of_compilation = threading.Event()


@contextmanager
def silent() -> Iterator[Callable[[Snapshot], None]]:
    """Show nothing."""
    yield lambda snapshot: None


@contextmanager
def live_progress(clock: Clock, text: Text) -> Iterator[Callable[[Snapshot], None]]:
    """Show stage, speed, time left and the best law so far on standard error."""
    from rich.console import Console

    console = Console(stderr=True)
    with _live(console, clock, text) if console.is_terminal or console.is_jupyter else _log(clock, text) as observe:
        yield observe


@contextmanager
def _live(console: Console, clock: Clock, text: Text) -> Iterator[Callable[[Snapshot], None]]:
    """Lines that are drawn anew in place, so that the clock moves between snapshots too."""
    from rich.live import Live
    from rich.text import Text as Line

    latest: list[Snapshot] = []
    compiling: list[str] = []
    shown: dict[int, str] = {}

    def law_of(snapshot: Snapshot) -> str:
        # Drawn eight times a second; the law is written once.
        if id(snapshot.law) not in shown:
            shown.clear()
            shown[id(snapshot.law)] = text(snapshot)
        return shown[id(snapshot.law)]

    def draw() -> Line:
        lines = [*(describe(latest[-1], clock, law_of) if latest else ["starting"]), *compiling]
        return Line("\n".join(visible(line)[: console.width - 1] for line in lines))

    def observe(snapshot: Snapshot) -> None:
        latest[:] = [snapshot]
        compiling.clear()

    def report(message: str) -> None:
        compiling[:] = [message]
        _has_told_of_compilation.set()

    before, COMPILATION.report = COMPILATION.report, report
    try:
        with Live(get_renderable=draw, console=console, refresh_per_second=8, transient=True):
            yield observe
    finally:
        COMPILATION.report = before


@contextmanager
def _log(clock: Clock, text: Text) -> Iterator[Callable[[Snapshot], None]]:
    last = [time.monotonic()]

    def observe(snapshot: Snapshot) -> None:
        if time.monotonic() - last[0] >= SECONDS_BETWEEN_LINES:
            last[0] = time.monotonic()
            print_line(" · ".join(describe(snapshot, clock, text)))

    yield observe


def print_compilation(message: str) -> None:
    """Tell a person that waits why, once: the first use of a version compiles some dozens of functions."""
    if not _has_told_of_compilation.is_set():
        _has_told_of_compilation.set()
        print_line("mosaic-sr: compiling, once per version; this takes about a minute")


def print_line(line: str) -> None:
    """A line on standard error; that nobody reads it any more is no reason to end a search."""
    with suppress(OSError):
        print(visible(line), file=sys.stderr, flush=True)


def describe(snapshot: Snapshot, clock: Clock, text: Text) -> list[str]:
    """The lines that stand for a snapshot: stage, candidates and speed, time left; then the best law so far."""
    seconds = clock.seconds
    left = max(clock.limit - seconds, 0.0)
    time_left = f"{left:.0f} s left" if left < float("inf") else f"{seconds:.0f} s"
    speed = snapshot.evaluations / max(seconds, 1e-9)
    head = f"{snapshot.stage} · {snapshot.evaluations:,} candidates · {speed:,.0f}/s · {time_left}"
    if snapshot.law is None:
        return [head]
    return [head, f"best so far: {text(snapshot)}", f"validation NMSE {snapshot.law.validation.nmse:.2e}"]
