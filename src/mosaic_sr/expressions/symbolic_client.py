"""`SymbolicWorker`: asks sympy in a child process that is killed when it takes too long."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import queue
import subprocess
import sys
import threading
from types import TracebackType
from typing import IO, Any

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.tokens import from_tokens, to_tokens

START_SECONDS = 120.0  # importing sympy on a busy machine
DEFAULT_TIMEOUT = 5.0

Message = dict[str, Any]


def encode(expression: Expression) -> Message:
    """The expression as what JSON can carry."""
    return {"tokens": to_tokens(expression), "constants": expression.constants.tolist()}


def decode(message: Message) -> Expression:
    """The expression that `encode` wrote; `InvalidFormula` when the message is something else."""
    expression = from_tokens(message["tokens"])
    if len(message["constants"]) != expression.num_constants:
        raise InvalidFormula(f"{expression.num_constants} constants expected, got {len(message['constants'])}")
    return expression.with_constants(message["constants"])


class SymbolicWorker:
    """One child process with sympy in it, started on the first question and again after it was killed.

    Columns are real. An answer of None means that sympy took longer than `timeout` seconds, failed, or answered with
    something that is not an expression.
    """

    def __init__(self) -> None:
        self._child: subprocess.Popen[str] | None = None
        self._replies: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._lock = threading.Lock()

    def simplify(self, expression: Expression, timeout: float = DEFAULT_TIMEOUT) -> Expression | None:
        """The simplest equal expression that sympy finds; the given one if that has fewer nodes."""
        reply = self._ask("simplify", timeout, expression=encode(expression))
        return None if reply is None else min(decode(reply), expression, key=len)

    def close(self) -> None:
        """End the child process; the next question starts another one."""
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        with contextlib.suppress(BrokenPipeError):
            _pipe(child.stdin).close()

    def __enter__(self) -> SymbolicWorker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, task: str, timeout: float, **question: Any) -> Message | None:
        request = {"task": task, "timeout": timeout, **question}
        reply = None
        with self._lock:
            try:
                reply = self._exchange(json.dumps(request), timeout)
            finally:
                # Also after Ctrl-C: a late answer must not meet the next question.
                if reply is None:
                    self.close()
        return None if reply is None or "error" in reply else reply

    def _exchange(self, line: str, timeout: float) -> Message | None:
        """The child's reply to a line; None when it died or took too long."""
        child = self._started()
        if child is None:
            return None
        try:
            _pipe(child.stdin).write(line + "\n")
            _pipe(child.stdin).flush()
        except BrokenPipeError:
            return None
        return self._next_reply(timeout)

    def _next_reply(self, timeout: float) -> Message | None:
        try:
            line = self._replies.get(timeout=timeout)
        except queue.Empty:
            return None
        return dict(json.loads(line)) if line else None

    def _started(self) -> subprocess.Popen[str] | None:
        """The running child; None when it does not come up."""
        if self._child is not None and self._child.poll() is None:
            return self._child
        self.close()
        # -P keeps files of the working directory from being imported in place of modules.
        command = [sys.executable, "-P", "-m", "mosaic_sr.expressions.symbolic_worker"]
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
        )
        self._replies = queue.SimpleQueue()
        threading.Thread(target=_collect, args=(self._child, self._replies), daemon=True).start()
        return self._child if self._next_reply(START_SECONDS) is not None else None


def _collect(child: subprocess.Popen[str], replies: queue.SimpleQueue[str]) -> None:
    """Pass the child's lines on; an empty line says that it ended."""
    with _pipe(child.stdout) as lines:
        for line in lines:
            replies.put(line)
    replies.put("")


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None  # both ends are pipes of our own making
    return stream


@functools.cache
def _worker_of(process: int) -> SymbolicWorker:
    worker = SymbolicWorker()
    atexit.register(worker.close)
    return worker


def shared_worker() -> SymbolicWorker:
    """This process's own worker; a forked process does not share its parent's."""
    return _worker_of(os.getpid())
