"""The search while it runs: one live line for a person, nothing for a program."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from mosaic_sr.pipeline import Snapshot

Observer = AbstractContextManager[Callable[[Snapshot], None]]
# A law longer than this does not fit on a line of a terminal.
LONGEST_LAW = 90


@contextmanager
def silent() -> Iterator[Callable[[Snapshot], None]]:
    """Show nothing."""
    yield lambda snapshot: None


@contextmanager
def live_progress(time_limit: float | None) -> Iterator[Callable[[Snapshot], None]]:
    """Show stage, speed, time left and the best law so far on standard error, in place."""
    from rich.console import Console
    from rich.live import Live

    started = time.monotonic()
    with Live(console=Console(stderr=True), refresh_per_second=8, transient=True) as live:
        yield lambda snapshot: live.update(describe(snapshot, time.monotonic() - started, time_limit))


def print_compilation(message: str) -> None:
    """Tell a person that waits why: the first use of a version compiles its kernel."""
    print(f"mosaic-sr: {message}", file=sys.stderr, flush=True)


def describe(snapshot: Snapshot, seconds: float, time_limit: float | None) -> str:
    """The line that stands for a snapshot."""
    left = "" if time_limit is None else f" · {max(time_limit - seconds, 0.0):.0f} s left"
    head = (
        f"{snapshot.stage} · {snapshot.evaluations:,} fits · {snapshot.evaluations / max(seconds, 1e-9):,.0f}/s{left}"
    )
    if snapshot.law is None:
        return head
    text = snapshot.law.text(precision=4)
    shown = text if len(text) <= LONGEST_LAW else f"{text[: LONGEST_LAW - 1]}…"
    return f"{head}\n  best so far: {shown}   (validation NMSE {snapshot.law.validation.nmse:.2e})"
