"""The child process of `SymbolicWorker`: one JSON line in, one JSON line out, until its input ends."""

from __future__ import annotations

import json
import math
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

from mosaic_sr.expressions.symbolic import from_sympy, real_symbol, seed_sympy, to_sympy
from mosaic_sr.expressions.symbolic_client import Message, decode, encode

MEMORY_BYTES = 4 * 2**30
RECURSION_LIMIT = 5_000
GRACE_SECONDS = 5  # the parent kills first; this ends a child whose parent was killed

# What sympy raises on trees it cannot handle; anything else ends this process, which the parent answers.
FAILURES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)


def main() -> None:
    """Answer questions until the input ends."""
    replies = sys.stdout
    sys.stdout = sys.stderr  # whatever a library prints must not look like a reply
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    sys.setrecursionlimit(RECURSION_LIMIT)
    seed_sympy()
    _limit_memory()
    print(json.dumps({"ready": True}), file=replies, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(line)), file=replies, flush=True)


def answer(line: str) -> Message:
    """The reply to one request line; trouble is a reply too."""
    try:
        request = json.loads(line)
        _set_alarm(math.ceil(request["timeout"]) + GRACE_SECONDS)
        seed_sympy()
        return TASKS[request["task"]](request)
    except FAILURES as error:
        return {"error": f"{type(error).__name__}: {error}"[:500]}
    finally:
        _set_alarm(0)


def simplify(request: Message) -> Message:
    """The expression after sympy's simplification."""
    expression = decode(request["expression"])
    names = [f"x{column}" for column in range(1 + max(expression.columns, default=-1))]
    tree = to_sympy(expression, names, symbol=real_symbol)
    return encode(from_sympy(tree.simplify(), names))


TASKS: dict[str, Callable[[Message], Message]] = {
    "simplify": simplify,
}


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource

        with suppress(OSError, ValueError):  # some releases of macOS have no such limit
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _set_alarm(seconds: int) -> None:
    if sys.platform != "win32":
        signal.alarm(seconds)


if __name__ == "__main__":
    main()
