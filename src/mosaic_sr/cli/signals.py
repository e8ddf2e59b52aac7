"""Signals that ask the command to end: it ends like after Ctrl-C, with the best law so far."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# From `kill`, `timeout`, batch systems and shutdowns; from a terminal that is closed (unknown to Windows).
NAMES = ("SIGTERM", "SIGHUP")


@contextmanager
def signals_like_ctrl_c() -> Iterator[None]:
    """Treat these signals as Ctrl-C; one that is ignored, as under `nohup`, stays ignored."""
    numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    heard = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    for number in heard:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt(signal.Signals(number).name)
