"""MOSAIC-SR as SRBench calls it: `est`, `model(est, X)`, `eval_kwargs`, and what it may ask besides."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import sympy

from mosaic_sr import MosaicRegressor, SearchConfig

# Of pi and e, where a law has them.
DIGITS = 17
# A population may have no more members.
MOST_MEMBERS = 100

# The harness sets `random_state` and `time_limit` on it; speed counts, so that the usual number of candidates stays.
est = MosaicRegressor(n_jobs=1, max_evaluations=SearchConfig().max_evaluations)

# A law is a law of the raw columns: standardised ones would hide it.
eval_kwargs = {
    "scale_x": False,
    "scale_y": False,
    "test_params": {"time_limit": 60.0},
}


def model(est: MosaicRegressor, X: Any = None) -> str:
    """The law as text that sympy parses, over the names of X's columns.

    The harness replaces the letters `pi`, `log` and `sqrt` and the sign `^` wherever they stand, so numbers are
    written out and powers are written with `**`.
    """
    law = est.get_best()
    if X is not None and hasattr(X, "columns"):
        law = replace(law, names=tuple(str(name) for name in X.columns))
    tree = law.sympy()
    return str(tree.xreplace({number: number.evalf(DIGITS) for number in tree.atoms(sympy.NumberSymbol)}))


def complexity(est: MosaicRegressor) -> int:
    """Nodes of the law's tree."""
    return est.get_best().complexity


def get_best_solution(est: MosaicRegressor) -> MosaicRegressor:
    """The estimator itself, which predicts by its law."""
    return est


def get_population(est: MosaicRegressor) -> list[MosaicRegressor]:
    """An estimator for each equation of the front, from the simplest on."""
    return [_with_law(est, index) for index in range(len(est.front_))][:MOST_MEMBERS]


def _with_law(est: MosaicRegressor, index: int) -> MosaicRegressor:
    member = copy(est)
    member.law_ = est.get_best(index)
    return member
