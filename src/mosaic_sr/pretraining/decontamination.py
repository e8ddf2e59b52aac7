"""Benchmark laws stay out of the corpus: hashes of the skeletons that training must never see.

`skeletons.json` is written by `python -m benchmarks skeletons`; it holds the problems of four operators or more. Some
of their skeletons are smaller, since scales and offsets do not count; those stay out as well.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from importlib.resources import files

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.skeleton import skeleton_hash


@cache
def benchmark_skeletons() -> frozenset[str]:
    """Hashes of the benchmark problems with four operators or more."""
    content = json.loads(files("mosaic_sr.pretraining").joinpath("skeletons.json").read_text(encoding="utf-8"))
    return frozenset(content["skeletons"])


def is_benchmark_skeleton(expression: Expression) -> bool:
    """Whether the law equals a benchmark's up to commutation, affine constants and the names of its variables."""
    return _hash_of_structure(_Structure(expression)) in benchmark_skeletons()


class _Structure:
    """An expression that compares by its structure, because a skeleton does not see the values of constants."""

    def __init__(self, expression: Expression) -> None:
        self.expression = expression

    def __hash__(self) -> int:
        return hash(self.expression.structure_key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Structure) and self.expression.structure_key == other.expression.structure_key


@lru_cache(maxsize=20_000)  # short laws come again and again
def _hash_of_structure(structure: _Structure) -> str:
    return skeleton_hash(structure.expression)
