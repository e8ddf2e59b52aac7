"""Suites of long laws: `long-7` has 40 laws of 9 to 12 operators, drawn with the seed 7 as the generated suites were.

Monomials are left out: so long ones are rare to draw and easy to find. Settings may be tuned on `long-1` to `long-9`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np

from benchmarks.suites.generated import make_problem
from benchmarks.suites.generated_laws import SIZES, new_laws, next_row
from benchmarks.suites.problem import Suite

STREAM = 20_261_122
# How many laws each maker gives, in the shares of the large laws of the generated suites.
NUM_LAWS = {"random": 24, "sum": 7, "composition": 9}


def is_drawn_long(name: str) -> bool:
    """Whether a name is that of such a suite, as long-7."""
    return re.fullmatch(r"long-[1-9]\d*", name) is not None


@cache
def drawn_long_suite(name: str) -> Suite:
    """The suite of such a name: the large laws of each maker."""
    rng = np.random.default_rng([STREAM, int(name.split("-")[1])])
    rows: list[dict[str, Any]] = []
    with np.errstate(all="ignore"):
        for maker, count in NUM_LAWS.items():
            laws = new_laws(maker, SIZES[-1], set(), rng)
            for _ in range(count):
                rows.append(next_row(name, len(rows), laws, rng))
    return Suite(name, tuple(make_problem(name, row) for row in rows))
