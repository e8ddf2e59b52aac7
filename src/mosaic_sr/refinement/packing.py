"""Paths as named arrays and back, for files: every array of every path, nothing that would have to be unpickled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.refinement import Paths
from mosaic_sr.refinement.path import Path

Arrays = dict[str, NDArray[Any]]


def pack_paths(state: Paths) -> Arrays:
    """The arrays of all paths, each stacked over the paths under its dotted name, and the number of rounds."""
    packed: Arrays = {"num_rounds": np.array(state.num_rounds)}
    leaves = [_leaves(path, "path") for path in state.paths]
    packed |= {name: np.stack([leaf[name] for leaf in leaves]) for name in (leaves[0] if leaves else {})}
    return packed


def unpack_paths(arrays: Mapping[str, NDArray[Any]]) -> Paths:
    """The paths that `pack_paths` wrote; KeyError or ValueError when an array is missing or of another shape."""
    names = [name for name in arrays if name.startswith("path.")]
    count = len(arrays[names[0]]) if names else 0
    return Paths(int(arrays["num_rounds"]), tuple(_rebuilt(Path, arrays, "path", index) for index in range(count)))


def _leaves(value: Any, name: str) -> Arrays:
    if is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
    elif isinstance(value, tuple):
        parts = value._asdict()  # type: ignore[attr-defined]
    else:
        return {name: np.asarray(value)}
    return {leaf: array for part, own in parts.items() for leaf, array in _leaves(own, f"{name}.{part}").items()}


def _rebuilt(kind: Any, arrays: Mapping[str, NDArray[Any]], name: str, index: int) -> Any:
    if kind is str:
        return str(arrays[name][index])
    if kind is int or kind is float:
        return kind(arrays[name][index])
    is_record = is_dataclass(kind) or (isinstance(kind, type) and issubclass(kind, tuple))
    if not is_record:
        return arrays[name][index].copy()  # a row of the stack is not an array of its own
    hints = get_type_hints(kind)
    return kind(**{part: _rebuilt(own, arrays, f"{name}.{part}", index) for part, own in hints.items()})
