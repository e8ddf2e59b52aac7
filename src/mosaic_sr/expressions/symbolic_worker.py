"""The child process of `SymbolicWorker`: one JSON line in, one JSON line out, until its input ends."""

from __future__ import annotations

import json
import math
import random
import signal
import sys
from collections.abc import Callable
from typing import Any

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.symbolic import decimal_number, from_sympy, plain_number, real_symbol, seed_sympy, to_sympy
from mosaic_sr.expressions.symbolic_client import Message, decode, encode

MEMORY_BYTES = 4 * 2**30
RECURSION_LIMIT = 5_000
GRACE_SECONDS = 5  # the parent kills first; this ends a child whose parent was killed
NUM_POINTS = 8  # where two expressions are compared before sympy tries to prove them equal
DIGITS = 30
TOLERANCE = 1e-20

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
    return _encoded(_tree(expression, request, plain_number).simplify(), expression)


def derivative(request: Message) -> Message:
    """The expression's derivative with respect to a column."""
    expression = decode(request["expression"])
    tree = _tree(expression, request, plain_number)
    return _encoded(tree.diff(_symbol(f"x{request['column']}", request)), expression)


def are_equal(request: Message) -> Message:
    """`equal` is false when the two differ at a point, true when sympy proves it, else null."""
    first, second = (_tree(decode(request[which]), request, decimal_number) for which in ("first", "second"))
    if first == second:
        return {"equal": True}
    if _differ_somewhere(first, second):
        return {"equal": False}
    difference = first - second
    is_proved = difference.expand() == 0 or difference.simplify() == 0
    return {"equal": True if is_proved else None}


TASKS: dict[str, Callable[[Message], Message]] = {
    "simplify": simplify,
    "derivative": derivative,
    "are_equal": are_equal,
}


def _tree(expression: Expression, request: Message, number: Callable[[float], Any]) -> Any:
    return to_sympy(expression, _names(expression), lambda name: _symbol(name, request), number)


def _symbol(name: str, request: Message) -> Any:
    return real_symbol(name, is_positive=int(name[1:]) in request["positive"])


def _names(expression: Expression) -> list[str]:
    return [f"x{column}" for column in range(1 + max(expression.columns, default=-1))]


def _encoded(tree: Any, expression: Expression) -> Message:
    return encode(from_sympy(tree, _names(expression)))


def _differ_somewhere(first: Any, second: Any) -> bool:
    """Whether the two have different real values at one of a few fixed points."""
    symbols = sorted(first.free_symbols | second.free_symbols, key=str)
    rng = random.Random(0)
    for _ in range(NUM_POINTS):
        point = {symbol: _coordinate(rng, bool(symbol.is_positive)) for symbol in symbols}
        left, right = (tree.subs(point).evalf(DIGITS) for tree in (first, second))
        if left.is_Float and right.is_Float and abs(left - right) > TOLERANCE * (abs(left) + abs(right)):
            return True
    return False


def _coordinate(rng: random.Random, is_positive: bool) -> Any:
    magnitude = decimal_number(rng.randint(200, 3000) / 1000)
    return magnitude if is_positive or rng.random() < 0.5 else -magnitude


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _set_alarm(seconds: int) -> None:
    if sys.platform != "win32":
        signal.alarm(seconds)


if __name__ == "__main__":
    main()
