"""Signals that wait: an exception raised inside numba's or LLVM's own bookkeeping would leave that half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any


@contextmanager
def held_signals() -> Iterator[Callable[[], None]]:
    """Let Python's signal handlers wait until the end; the yielded function runs those that wait already.

    Only the main thread runs handlers, so elsewhere there is nothing to hold.
    """
    if not _is_main_thread():
        yield lambda: None
        return
    waiting: list[tuple[int, FrameType | None]] = []
    is_holding = True
    handlers: dict[int, Any] = {
        number: handler for number in signal.valid_signals() if callable(handler := signal.getsignal(number))
    }

    def hold(number: int, frame: FrameType | None) -> None:
        # A handler that could not be put back, because another one raised, passes the signal on.
        if is_holding:
            waiting.append((number, frame))
        else:
            handlers[number](number, frame)

    def run_waiting() -> None:
        while waiting and _is_main_thread():
            number, frame = waiting.pop(0)
            handlers[number](number, frame)

    with ExitStack() as after:
        after.callback(run_waiting)
        try:
            for number, handler in handlers.items():
                after.callback(signal.signal, number, handler)
                signal.signal(number, hold)
            yield run_waiting
        finally:
            is_holding = False


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
