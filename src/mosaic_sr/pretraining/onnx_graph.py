"""A small builder of ONNX graphs from torch weights: the few operations that the prior is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor

OPSET = 20  # the first with Gelu
IR_VERSION = 9  # what goes with that opset, so that older runtimes read the file
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


class GraphBuilder:
    """Collects nodes and weights; every method returns the name of its result.

    Weights are stored in half precision and widened when the graph is loaded.
    """

    def __init__(self, weights: Mapping[str, Tensor]) -> None:
        self._weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._stored: dict[str, onnx.TensorProto] = {}

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """One node with one result."""
        return self.ops(kind, 1, *inputs, **attributes)[0]

    def ops(self, kind: str, num_results: int, *inputs: str, **attributes: Any) -> list[str]:
        """One node with several results."""
        results = [f"{kind.lower()}_{len(self._nodes)}_{index}" for index in range(num_results)]
        self._nodes.append(helper.make_node(kind, list(inputs), results, **attributes))
        return results

    def constant(self, values: Any, dtype: type[np.generic] = np.int64) -> str:
        """Numbers written into the graph."""
        array = np.asarray(values, dtype=dtype)
        name = f"constant_{np.dtype(dtype).name}_{'_'.join(map(str, array.shape))}_{array.tobytes().hex()}"
        self._stored.setdefault(name, numpy_helper.from_array(array, name))
        return name

    def weight(self, name: str) -> str:
        """A weight of the model, widened to single precision."""
        if name not in self._stored:
            array = self._weights[name].detach().cpu().numpy().astype(np.float16)
            self._store(name, array)
        return f"{name}_wide"

    def _store(self, name: str, array: NDArray[np.float16]) -> None:
        self._stored[name] = numpy_helper.from_array(array, name)
        self._nodes.append(helper.make_node("Cast", [name], [f"{name}_wide"], to=FLOAT))

    def linear(self, x: str, name: str) -> str:
        """A linear layer, x W^T + b."""
        transposed = self.op("Transpose", self.weight(f"{name}.weight"), perm=[1, 0])
        return self.op("Add", self.op("MatMul", x, transposed), self.weight(f"{name}.bias"))

    def layer_norm(self, x: str, name: str) -> str:
        """Layer normalisation over the last axis."""
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5)

    def feed_forward(self, x: str, name: str) -> str:
        """The residual feed-forward of a block."""
        up = self.linear(self.layer_norm(x, f"{name}.norm_feed_forward"), f"{name}.feed_forward.up")
        return self.op("Add", x, self.linear(self.op("Gelu", up), f"{name}.feed_forward.down"))

    def split_heads(self, x: str, heads: int, head_width: int) -> str:
        """(batch, length, width) -> (batch, heads, length, head width)."""
        split = self.op("Reshape", x, self.constant([0, -1, heads, head_width]))
        return self.op("Transpose", split, perm=[0, 2, 1, 3])

    def merge_heads(self, x: str, width: int) -> str:
        """(batch, heads, length, head width) -> (batch, length, width)."""
        return self.op("Reshape", self.op("Transpose", x, perm=[0, 2, 1, 3]), self.constant([0, -1, width]))

    def attend(self, query: str, keys_transposed: str, values: str, head_width: int, mask: str | None = None) -> str:
        """Softmax attention; keys_transposed: (batch, heads, head width, memory); mask: added to the scores."""
        scores = self.op("MatMul", query, keys_transposed)
        scaled = self.op("Mul", scores, self.constant(head_width**-0.5, np.float32))
        if mask is not None:
            scaled = self.op("Add", scaled, mask)
        return self.op("MatMul", self.op("Softmax", scaled, axis=-1), values)

    def stack(self, names: Sequence[str]) -> str:
        """The results along a new first axis."""
        axis = self.constant([0])
        return self.op("Concat", *[self.op("Unsqueeze", name, axis) for name in names], axis=0)

    def build(
        self,
        name: str,
        inputs: Mapping[str, tuple[int, Sequence[int | str]]],
        outputs: Mapping[str, tuple[str, Sequence[int | str]]],
    ) -> bytes:
        """The finished graph; inputs map to type and shape, outputs to the inner result and its shape."""
        for public, (inner, _) in outputs.items():
            self._nodes.append(helper.make_node("Identity", [inner], [public]))
        graph = helper.make_graph(
            self._nodes,
            name,
            [helper.make_tensor_value_info(key, kind, list(shape)) for key, (kind, shape) in inputs.items()],
            [helper.make_tensor_value_info(key, FLOAT, list(shape)) for key, (_, shape) in outputs.items()],
            initializer=list(self._stored.values()),
        )
        opset = helper.make_opsetid("", OPSET)
        model = helper.make_model(graph, opset_imports=[opset], producer_name="mosaic-sr", ir_version=IR_VERSION)
        onnx.checker.check_model(model)
        content: bytes = model.SerializeToString(deterministic=True)
        return content
