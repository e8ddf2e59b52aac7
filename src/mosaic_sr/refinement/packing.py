"""Paths as named arrays and back, for files: every array of every path, nothing that would have to be unpickled."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import constant
from mosaic_sr.operators import ARITY, CODES, NUM_CODES, operator_of
from mosaic_sr.refinement import Paths, RefinementConfig
from mosaic_sr.refinement.path import Path, start_path
from mosaic_sr.refinement.programs import check_program

Arrays = dict[str, NDArray[Any]]

ROUNDS, DEFINED, DEFINED_CODES = "num_rounds", "defined", "defined_codes"
CODES_END = ".codes"  # of the names of arrays that hold codes
# The sum over all paths is still a 64-bit number.
MOST_COUNTED = 2**48


def pack_paths(state: Paths) -> Arrays:
    """The arrays of all paths, each stacked over the paths under its dotted name, and the number of rounds.

    Codes of defined operators differ from process to process, so that their names go along.
    """
    packed: Arrays = {ROUNDS: np.array(state.num_rounds)}
    leaves = [_leaves(path, "path") for path in state.paths]
    packed |= {name: np.stack([leaf[name] for leaf in leaves]) for name in (leaves[0] if leaves else {})}
    codes = sorted({code for name in packed if name.endswith(CODES_END) for code in np.unique(packed[name]).tolist()})
    defined = [code for code in codes if code >= NUM_CODES]
    names = np.array([operator_of(code).name for code in defined], np.str_)
    return packed | ({DEFINED: names, DEFINED_CODES: np.array(defined, np.int32)} if defined else {})


def unpack_paths(arrays: Mapping[str, NDArray[Any]], config: RefinementConfig, num_columns: int) -> Paths:
    """The paths that `pack_paths` wrote in a search with these settings over so many columns; ValueError otherwise.

    Compiled code trusts what it gets, so that every array is compared with that of a fresh path, and every program is
    checked to be one.
    """
    arrays = _recoded(arrays, config)
    like = {} if set(arrays) == {ROUNDS} else _leaves(_fresh_path(config), "path")
    if set(arrays) != {ROUNDS, *like}:
        raise ValueError("its arrays are not those of search paths")
    count = len(np.atleast_1d(arrays[next(iter(like))])) if like else 0
    if count > config.num_paths:
        raise ValueError(f"it holds {count} search paths, the settings ask for {config.num_paths}")
    _refuse_others(arrays[ROUNDS], np.zeros((), np.int64), ROUNDS)
    for name, array in like.items():
        _refuse_others(arrays[name], np.broadcast_to(array, (count, *array.shape)), name)
    paths = tuple(_rebuilt(Path, arrays, "path", index) for index in range(count))
    for path in paths:
        _check_path(path, num_columns)
    return Paths(_counted(arrays[ROUNDS]), paths)


def _fresh_path(config: RefinementConfig) -> Path:
    return start_path(constant(1.0), config.path, np.zeros(1, np.uint64), "")


def _refuse_others(array: NDArray[Any], like: NDArray[Any], name: str) -> None:
    """Refuse an array that has not the kind and the shape of another; texts may be of any length."""
    is_alike = array.dtype == like.dtype or array.dtype.kind == like.dtype.kind == "U"
    if not is_alike or array.shape != like.shape:
        raise ValueError(f"{name!r} is {array.dtype} of {array.shape}, expected {like.dtype} of {like.shape}")


def _check_path(path: Path, num_columns: int) -> None:
    """Refuse numbers that compiled code would take for places in memory, and losses that cannot be compared."""
    _counted(path.counts)
    check_program(path.program, num_columns)
    for size, loss in enumerate(path.bests.losses.tolist()):
        program = path.bests.program(size)
        if program.sizes[0] != (size if loss < math.inf else 0) or math.isnan(loss):
            raise ValueError(f"the best program of {size} nodes has {program.sizes[0]} of them and a loss of {loss}")
        if loss < math.inf:
            check_program(program, num_columns)


def _counted(numbers: NDArray[np.int64]) -> int:
    """The largest of some counts."""
    if numbers.min() < 0 or numbers.max() > MOST_COUNTED:
        raise ValueError(f"{numbers.tolist()} are no counts")
    return int(numbers.max())


def _recoded(arrays: Mapping[str, NDArray[Any]], config: RefinementConfig) -> Arrays:
    """The arrays of the paths with the codes that the defined operators of the search have in this process."""
    names, codes = arrays.get(DEFINED, np.empty(0, np.str_)), arrays.get(DEFINED_CODES, np.empty(0, np.int32))
    _refuse_others(names, np.empty(len(np.atleast_1d(names)), np.str_), DEFINED)
    _refuse_others(codes, np.empty(len(np.atleast_1d(codes)), np.int32), DEFINED_CODES)
    if names.shape != codes.shape or not set(names.tolist()) <= set(config.operators):
        raise ValueError("it has operators of another search")
    own = np.arange(len(ARITY))
    own[NUM_CODES:] = -1  # what is not listed is no operator
    for code, name in zip(codes.tolist(), names.tolist(), strict=True):
        if not NUM_CODES <= code < len(ARITY):
            raise ValueError("a defined operator has the code of another one")
        own[code] = CODES[name]

    def recoded(array: NDArray[Any]) -> NDArray[Any]:
        if array.dtype.kind != "i":
            return array  # to be refused with the others of a wrong kind
        is_known = (array >= 0) & (array < len(ARITY))
        return np.where(is_known, own[np.where(is_known, array, 0)], array).astype(array.dtype)

    kept = {name: array for name, array in arrays.items() if name not in (DEFINED, DEFINED_CODES)}
    return {name: recoded(array) if name.endswith(CODES_END) else array for name, array in kept.items()}


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
