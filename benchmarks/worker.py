"""A persistent child process for what may crash or hang: killed at a hard limit, replaced at the next call."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import threading
import traceback
from collections.abc import Callable
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

MAX_LAST_WORDS = 300
# A started child is only waited for while it imports; nothing of ours takes longer on a slow disk.
EXIT_SECONDS = 10.0


class Failure(Exception):
    """The call did not return: the text says whether the child crashed or was killed at its limit."""


class Worker:
    """Runs module-level functions in one child process, one at a time.

    prepare: called in every new child before anything else, so that imports and compilation stay off the clock.
    """

    def __init__(self, prepare: Callable[..., object], *arguments: Any, limit: float) -> None:
        self._preparation = (prepare, arguments, limit)
        self._child: _Child | None = None
        self._is_closed = False

    def start(self) -> None:
        """Start and prepare a child unless one is ready; a failure to prepare is raised."""
        if self._is_closed:
            raise Failure("the worker is closed")
        if self._child is not None and self._child.is_alive:
            return
        self.stop()
        self._child = _Child()
        prepare, arguments, limit = self._preparation
        self._ask(prepare, arguments, limit)

    def call(self, function: Callable[..., Any], *arguments: Any, limit: float) -> Any:
        """The function's value, within `limit` seconds of a prepared child."""
        self.start()
        return self._ask(function, arguments, limit)

    def close(self) -> None:
        """Stop for good; a call that is under way in another thread fails."""
        self._is_closed = True
        self.stop()

    def stop(self) -> None:
        """End the child and all that it started."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()

    def _ask(self, function: Callable[..., Any], arguments: tuple[Any, ...], limit: float) -> Any:
        if self._child is None:
            raise Failure("the worker is closed")
        try:
            return self._child.ask(function, arguments, limit)
        except Failure:
            self.stop()
            raise


class _Child:
    """One process in a session of its own; what it prints goes to a file whose last line explains a crash."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self._log = tempfile.NamedTemporaryFile(prefix="benchmark-", suffix=".log")  # noqa: SIM115
        self._connection, far_end = context.Pipe()
        self._process = context.Process(target=_serve, args=(far_end, self._log.name))
        self._process.start()
        far_end.close()

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def ask(self, function: Callable[..., Any], arguments: tuple[Any, ...], limit: float) -> Any:
        os.truncate(self._log.name, 0)
        try:
            self._connection.send((function, arguments))
            if not self._connection.poll(limit):
                raise Failure(f"killed at the hard limit of {limit:g} s")
            return self._connection.recv()
        except (EOFError, OSError) as error:
            self._process.join(EXIT_SECONDS)
            raise Failure(self._last_words()) from error

    def kill(self) -> None:
        assert self._process.pid is not None
        # The group first: grandchildren outlive a leader that crashed.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self._process.close()
        self._connection.close()
        self._log.close()

    def _last_words(self) -> str:
        code = self._process.exitcode
        if code is not None and code < 0:
            return f"crashed: {signal.Signals(-code).name}"
        lines = Path(self._log.name).read_text(errors="replace").split("\n")
        spoken = [line.strip() for line in lines if line.strip()]
        return f"crashed: {spoken[-1] if spoken else f'exit code {code}'}"[:MAX_LAST_WORDS]


def _serve(connection: Connection, log: str) -> None:
    """The child's life: answer calls until the parent hangs up. An exception ends it and stands in the log."""
    os.setsid()
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    try:
        while True:
            function, arguments = connection.recv()
            connection.send(function(*arguments))
    finally:
        # Leave at once: the usual end of a process waits for its own children, which may hang.
        traceback.print_exc()
        os._exit(1)


def _leave_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os.killpg(0, signal.SIGKILL)
