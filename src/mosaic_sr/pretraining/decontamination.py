"""Benchmark laws stay out of the corpus: the skeletons that training must never see."""

from __future__ import annotations

from mosaic_sr.expressions.expression import Expression


def is_benchmark_skeleton(expression: Expression) -> bool:
    return False
