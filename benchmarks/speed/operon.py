"""Our trees as pyoperon's, built node by node."""

from __future__ import annotations

import math
import time

import numpy as np
import pyoperon

from mosaic_sr import Expression

NODE_TYPES = {
    "add": "Add",
    "sub": "Sub",
    "mul": "Mul",
    "div": "Div",
    "pow": "Pow",
    "sq": "Square",
    "sqrt": "Sqrt",
    "exp": "Exp",
    "log": "Log",
    "sin": "Sin",
    "cos": "Cos",
    "tan": "Tan",
    "tanh": "Tanh",
    "atan": "Atan",
    "abs": "Abs",
    "asin": "Asin",
    "acos": "Acos",
    "sinh": "Sinh",
    "cosh": "Cosh",
}
# Evaluated in one call, so that the cost of the call from Python does not count.
NUM_COPIES = 50


class OperonTree:
    """One tree over one table."""

    def __init__(self, tree: Expression, columns: np.ndarray) -> None:
        # The dataset reads the array where it is and does not keep it alive.
        self._table = np.asfortranarray(columns.T, dtype=np.float32)
        self._data = pyoperon.Dataset(self._table)
        self._hashes = [variable.Hash for variable in self._data.Variables]
        nodes = tree.fold(lambda operator, below: self._node(operator.name, below), self._variable, self._constant)
        self._trees = [pyoperon.Tree(nodes).UpdateNodes()] * NUM_COPIES
        self._range = pyoperon.Range(0, columns.shape[1])
        self._out = np.empty((NUM_COPIES, columns.shape[1]), dtype=np.float32)

    def seconds(self, num_batches: int = 150) -> float:
        """The best time of one evaluation; each batch starts a thread, which a busy machine delays."""
        best = math.inf
        for _ in range(num_batches):
            started = time.perf_counter()
            pyoperon.EvaluateTrees(self._trees, self._data, self._range, self._out, 1)
            best = min(best, time.perf_counter() - started)
        return best / NUM_COPIES

    def values(self) -> np.ndarray:
        """The values of the last evaluation."""
        return np.asarray(self._out[0])

    def _node(self, name: str, below: list[list[pyoperon.Node]]) -> list[pyoperon.Node]:
        """Postfix nodes; pyoperon reads operands from the last to the first."""
        if name == "cube":
            return self._node("mul", [below[0], self._node("sq", [below[0]])])
        if name == "neg":
            return self._node("mul", [self._constant(-1.0), below[0]])
        if name == "inv":
            return self._node("div", [self._constant(1.0), below[0]])
        operands = [node for operand in reversed(below) for node in operand]
        return [*operands, pyoperon.Node(getattr(pyoperon.NodeType, NODE_TYPES[name]))]

    def _variable(self, column: int) -> list[pyoperon.Node]:
        node = pyoperon.Node.Variable(1.0)
        node.HashValue = self._hashes[column]
        return [node]

    def _constant(self, value: float) -> list[pyoperon.Node]:
        return [pyoperon.Node.Constant(value)]
