"""One output of a notebook's cell that is replaced in place while a search runs."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from html import escape
from types import TracebackType
from typing import Any

# Often enough for a clock in seconds; notebooks drop outputs that come much faster.
SECONDS_BETWEEN_UPDATES = 0.5
STYLE = "font-family:var(--jp-code-font-family,monospace);white-space:pre-wrap;line-height:1.4;opacity:.85"


def is_in_notebook() -> bool:
    """Whether Python runs in the kernel of a notebook (Jupyter, VS Code, Colab), which IPython is behind in all."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return "ZMQInteractiveShell" in (kind.__name__ for kind in type(shell).__mro__)


class LiveOutput:
    """A context in which an output shows `lines()`, and a bar for `share()` of the time, where there is one.

    A thread draws: the search itself may be in compiled code for seconds.
    """

    def __init__(self, lines: Callable[[], Sequence[str]], share: Callable[[], float | None]) -> None:
        self._lines, self._share = lines, share
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._draw, name="mosaic-sr progress", daemon=True)

    def __enter__(self) -> LiveOutput:
        from IPython.display import display

        self._handle: Any = display(_bundle(self._lines(), self._share()), raw=True, display_id=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._has_ended.set()
        self._thread.join()

    def show(self, lines: Sequence[str]) -> None:
        """Replace what is shown, without a bar."""
        self._handle.update(_bundle(lines, None), raw=True)

    def _draw(self) -> None:
        while not self._has_ended.wait(SECONDS_BETWEEN_UPDATES):
            self._handle.update(_bundle(self._lines(), self._share()), raw=True)


def _bundle(lines: Sequence[str], share: float | None) -> dict[str, str]:
    """The lines as HTML and as plain text, for whichever the front end shows."""
    bar = "" if share is None else f'<progress value="{share:.4f}" style="width:min(30em,100%)"></progress>\n'
    text = "\n".join(lines)
    return {"text/html": f'<div style="{STYLE}">{bar}{escape(text)}</div>', "text/plain": text}
