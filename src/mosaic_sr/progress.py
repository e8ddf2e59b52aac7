"""The search while it runs: live lines in a terminal or a notebook, now and then a line in a log, else nothing."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING

from mosaic_sr.budget import Clock
from mosaic_sr.kernel.jit import COMPILATION
from mosaic_sr.notebook_output import LiveOutput, is_in_notebook
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
    """Show stage, speed, time left and the best law so far: in the cell of a notebook, else on standard error."""
    from rich.console import Console

    console = Console(stderr=True, force_jupyter=False)
    if is_in_notebook():
        show = _in_cell(clock, text)
    else:
        show = _live(console, clock, text) if _is_screen(console) else _log(clock, text)
    with show as observe:
        yield observe


def _is_screen(console: Console) -> bool:
    """Whether lines can be drawn over: FORCE_COLOR, which CI systems set, makes no screen of a log."""
    return console.is_terminal and not console.is_dumb_terminal and console.file.isatty()


def shows_progress(asked: bool | None) -> bool:
    """Whether to show progress; who has not said so sees it in a notebook only."""
    return is_in_notebook() if asked is None else bool(asked)


class Lines:
    """What is to be read about the search at this moment."""

    def __init__(self, clock: Clock, text: Text) -> None:
        self.clock, self._text = clock, text
        self.latest: Snapshot | None = None
        self._compiling: list[str] = []
        self._written: tuple[object, str] = (None, "")

    def observe(self, snapshot: Snapshot) -> None:
        """Take note of a snapshot."""
        self.latest = snapshot
        self._compiling = []

    def now(self) -> list[str]:
        """The lines, without hidden characters."""
        told = ["starting"] if self.latest is None else describe(self.latest, self.clock, self._law)
        return [visible(line) for line in (*told, *self._compiling)]

    def _law(self, snapshot: Snapshot) -> str:
        # Drawn several times a second; the law is written once.
        if self._written[0] is not snapshot.law:
            self._written = (snapshot.law, self._text(snapshot))
        return self._written[1]

    @contextmanager
    def hearing_of_compilation(self) -> Iterator[None]:
        """Show what is compiled as one more line."""

        def report(message: str) -> None:
            self._compiling = [message]
            _has_told_of_compilation.set()

        before, COMPILATION.report = COMPILATION.report, report
        try:
            yield
        finally:
            COMPILATION.report = before


@contextmanager
def _live(console: Console, clock: Clock, text: Text) -> Iterator[Callable[[Snapshot], None]]:
    """Lines that are drawn anew in place, so that the clock moves between snapshots too."""
    from rich.live import Live
    from rich.text import Text as Line

    lines = Lines(clock, text)

    def draw() -> Line:
        return Line("\n".join(line[: console.width - 1] for line in lines.now()))

    screen = Live(get_renderable=draw, console=console, refresh_per_second=8, transient=True)
    with lines.hearing_of_compilation(), screen:
        yield lines.observe


@contextmanager
def _in_cell(clock: Clock, text: Text) -> Iterator[Callable[[Snapshot], None]]:
    """One output of the cell, which is replaced in place; at the end a line of what was done stays."""
    lines = Lines(clock, text)
    with lines.hearing_of_compilation(), LiveOutput(lines.now, lambda: _share(clock)) as output:
        yield lines.observe
    done = 0 if lines.latest is None else lines.latest.evaluations
    output.show([f"{done:,} candidates in {clock.seconds:.1f} s"])


def _share(clock: Clock) -> float | None:
    """How much of the time limit has passed; None where there is no limit."""
    return min(clock.seconds / clock.limit, 1.0) if clock.limit < float("inf") else None


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
