"""Speed of values: elementary functions against libm, ten random trees against numpy and pyoperon, and linear cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.row import Row, geometric_mean, race, seconds
from mosaic_sr import Expression, evaluate_expression, parse
from mosaic_sr.expressions.expression import apply, variable
from mosaic_sr.kernel import _dispatch
from mosaic_sr.kernel.evaluate import block_values, work_size
from mosaic_sr.kernel.jit import COLUMNS, FLOATS, INTS, OUT, compiled, pointer
from mosaic_sr.operators import CODES, NUM_LEAF_CODES

NAMES = ("x0", "x1", "x2")
TREES = Path(__file__).with_name("trees.txt")
ELEMENTARY = {
    "sin": (-10.0, 10.0),
    "cos": (-10.0, 10.0),
    "tan": (-10.0, 10.0),
    "exp": (-10.0, 10.0),
    "log": (0.01, 100.0),
    "tanh": (-3.0, 3.0),
    "arctan": (-5.0, 5.0),
    "sinh": (-5.0, 5.0),
    "cosh": (-5.0, 5.0),
}
NAMES_BY_CODE = {code: name for name, code in CODES.items()} | dict.fromkeys(range(NUM_LEAF_CODES), "")
CURVED = {*ELEMENTARY, "atan", "pow", "asin", "acos"}
NUMPY: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "exp", "log", "tanh", "sinh", "cosh", "sqrt", "abs")},
    **{name: getattr(np, word) for name, word in (("atan", "arctan"), ("asin", "arcsin"), ("acos", "arccos"))},
    **{name: getattr(np, word) for name, word in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"))},
    **{name: getattr(np, word) for name, word in (("div", "divide"), ("pow", "power"), ("neg", "negative"))},
    "inv": np.reciprocal,
    "sq": np.square,
    "cube": lambda a: a * a * a,
}


def rows() -> Iterator[Row]:
    """All figures of this part."""
    yield from elementary_rows()
    trees = [parse(line, NAMES) for line in TREES.read_text().splitlines()]
    for num_rows in (256, 8000):
        yield from numpy_rows(trees, num_rows)
    for num_rows in (256, 8000):
        yield from operon_rows(trees, num_rows)
    yield from cost_rows()


@compiled(f"void({INTS}, {INTS}, {FLOATS}, {COLUMNS}, {OUT}, int64)")
def evaluate_often(codes, slots, constants, columns, out, times):
    """Evaluate from compiled code with one work buffer, as the search does."""
    work = np.empty(work_size(len(codes)))
    for _ in range(times):
        block_values(codes, slots, constants, columns, 0, columns.shape[1], work, out)


def repeated(block: Any) -> Any:
    """The compiled loop that runs a block function many times."""

    @compiled()
    def repeat(a, out, times):
        for _ in range(times):
            block(pointer(a), pointer(out), len(out))

    return repeat


def libm_loop(function: Any) -> Any:
    """The same loop with libm's function."""

    @compiled()
    def loop(a, out, count):
        for row in range(count):
            out[row] = function(a[row])

    return loop


def elementary_rows() -> Iterator[Row]:
    """Nanoseconds a value over blocks of 512 rows."""
    ratios = []
    for name, (low, high) in ELEMENTARY.items():
        arguments = np.random.default_rng(0).uniform(low, high, 512)
        out = np.empty(512)
        blocks = (getattr(_dispatch, f"{name}_block"), libm_loop(getattr(np, name)))
        ours, peer = race([partial(repeated(block), arguments, out) for block in blocks])
        ratios.append(peer / ours)
        yield Row(f"{name}, ns per value, vs libm loop", ours / 512 * 1e9, peer / 512 * 1e9, peer / ours, ">= 1.5")
    yield Row("elementary functions, geometric mean of ratios", None, None, geometric_mean(ratios), ">= 4")


def call_numpy(expression: Expression, columns: np.ndarray) -> Callable[[], Any]:
    """The expression as nested calls of numpy's functions, operands bound beforehand."""

    def node(operator: Any, operands: list[Any]) -> Any:
        function = NUMPY[operator.name]
        match operands:
            case [a] if callable(a):
                return lambda: function(a())
            case [a]:
                return lambda: function(a)
            case [a, b] if callable(a) and callable(b):
                return lambda: function(a(), b())
            case [a, b] if callable(a):
                return lambda: function(a(), b)
            case [a, b] if callable(b):
                return lambda: function(a, b())
        a, b = operands
        return lambda: function(a, b)

    called: Callable[[], Any] = expression.fold(node, lambda column: columns[column], float)
    return called


def often(action: Callable[[], Any]) -> Callable[[int], None]:
    """The action as many times as asked."""

    def repeat(times: int) -> None:
        for _ in range(times):
            action()

    return repeat


def numpy_rows(trees: list[Expression], num_rows: int) -> Iterator[Row]:
    """Microseconds an evaluation, from compiled code and from Python, against numpy."""
    columns = np.random.default_rng(0).uniform(0.5, 2.0, (3, num_rows))
    ratios: dict[bool, list[float]] = {True: [], False: []}
    for number, tree in enumerate(trees):
        arrays = (tree.codes, tree.slots, tree.constants)
        ours, python, peer = race(
            [
                partial(evaluate_often, *arrays, columns, np.empty(num_rows)),
                often(partial(evaluate_expression, tree, columns)),
                often(call_numpy(tree, columns)),
            ]
        )
        is_curved = bool(CURVED & {NAMES_BY_CODE[code] for code in tree.codes.tolist()})
        ratios[is_curved].append(peer / ours)
        name = f"tree {number}{' curved' if is_curved else ''}, {num_rows} rows, us, vs numpy"
        yield Row(name, ours * 1e6, peer * 1e6, peer / ours, ">= 0.8" if is_curved else "")
        yield Row(f"tree {number}, {num_rows} rows, us, called from Python", python * 1e6, peer * 1e6, peer / python)
    yield Row(
        f"arithmetic trees, {num_rows} rows, geometric mean vs numpy",
        None,
        None,
        geometric_mean(ratios[False]),
        ">= 5" if num_rows == 256 else ">= 3",
    )
    curved = geometric_mean(ratios[True])
    yield Row(f"curved trees, {num_rows} rows, geometric mean vs numpy", None, None, curved, ">= 2")


def operon_rows(trees: list[Expression], num_rows: int) -> Iterator[Row]:
    """Millions of node-rows a second against pyoperon, which computes in float32."""
    try:
        from benchmarks.speed.operon import OperonTree
    except ImportError:
        yield Row(f"pyoperon is not installed: no comparison at {num_rows} rows", None)
        return
    columns = np.random.default_rng(0).uniform(0.5, 2.0, (3, num_rows))
    ratios = []
    for number, tree in enumerate(trees):
        operon = OperonTree(tree, columns)
        arrays = (tree.codes, tree.slots, tree.constants)
        ours, peer = seconds(partial(evaluate_often, *arrays, columns, np.empty(num_rows))), operon.seconds()
        is_same = np.mean(np.isclose(operon.values(), evaluate_expression(tree, columns), rtol=1e-2)) > 0.9
        ratios.append(peer / ours)
        name = f"tree {number}, {num_rows} rows, M node-rows/s, vs pyoperon{'' if is_same else ' (other values)'}"
        yield Row(name, len(tree) * num_rows / ours * 1e-6, len(tree) * num_rows / peer * 1e-6, peer / ours)
    mean = geometric_mean(ratios)
    yield Row(f"ten trees, {num_rows} rows, geometric mean vs pyoperon", None, None, mean, ">= 1.5")


def cost_rows() -> Iterator[Row]:
    """The power of rows and of nodes that the cost grows with; 1 is linear."""
    sizes = np.array([2000, 8000, 32000, 128000])
    columns = np.random.default_rng(0).uniform(0.5, 2.0, (3, sizes[-1]))
    times = [_seconds(_chain(20), np.ascontiguousarray(columns[:, :size])) for size in sizes]
    yield Row("cost ~ rows^p, 2,000 to 128,000 rows: p", float(np.polyfit(np.log(sizes), np.log(times), 1)[0]), 1.0)
    lengths = np.array([16, 32, 64, 128])
    times = [_seconds(_chain(int(length)), np.ascontiguousarray(columns[:, :2048])) for length in lengths]
    yield Row(
        "cost ~ operators^p, 16 to 128 operators: p", float(np.polyfit(np.log(lengths), np.log(times), 1)[0]), 1.0
    )


def _seconds(tree: Expression, columns: np.ndarray) -> float:
    out = np.empty(columns.shape[1])
    return seconds(partial(evaluate_often, tree.codes, tree.slots, tree.constants, columns, out))


def _chain(num_operators: int) -> Expression:
    """A left-leaning chain of sums and products."""
    tree = variable(0)
    for index in range(num_operators):
        tree = apply(("add", "mul")[index % 2], tree, variable(index % 3))
    return tree
