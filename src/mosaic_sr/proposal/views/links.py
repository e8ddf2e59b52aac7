"""Links: the outermost function of a law, undone on the target before a linear combination is fitted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply
from mosaic_sr.proposal.views.steps import Outer, find_branches, is_allowed, undo_step, wrap
from mosaic_sr.table import Resolution

Floats = NDArray[np.float64]

# Beyond these, products with the values of terms leave the range of floats when they are squared.
LARGEST, SMALLEST = 1e50, 1e-50
# The operators around a sum, the innermost first, in the order in which they are tried.
LINKS: tuple[tuple[Outer, ...], ...] = (
    (), ("inv",), ("sqrt",), ("exp",), ("log",), ("sq",), ("sqrt", "inv"), ("log", "neg"),
    ("sin",), ("cos",), ("atan",), ("tanh",), ("cube",), ("asin",), ("acos",),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Linked:
    """The target behind a link: y = outer(u).

    outer: operators, the innermost first.  target: u, (rows,).  floor: what the rounding of y makes of u, (rows,).
    sign: -1 where -y is outer(u).
    """

    outer: tuple[Outer, ...]
    target: Floats
    floor: Floats
    sign: float = 1.0

    def law(self, inner: Expression) -> Expression:
        """The law of y for a formula of u."""
        inner = wrap(inner, self.outer)
        return inner if self.sign > 0 else apply("neg", inner)


def undo_links(target: Floats, resolution: Resolution, operators: Sequence[str]) -> Iterator[Linked]:
    """The target behind every link that it admits in all rows and whose operators are allowed."""
    half = 0.5 * resolution.quantum(target)
    for outer in LINKS:
        sign = -1.0 if outer and np.all(target <= 0) else 1.0
        linked = _behind(outer, sign, target, half) if is_allowed(outer, operators) else None
        if linked is not None:
            yield linked


def _behind(outer: tuple[Outer, ...], sign: float, target: Floats, half: Floats) -> Linked | None:
    inner, floor = sign * target, half + np.spacing(np.abs(target)) * (not outer)
    for operator in reversed(outer):
        step = find_branches(operator)[0]
        if not step.admits(inner.min(), inner.max()):
            return None
        inner, floor = undo_step(step, inner, floor)
    with np.errstate(invalid="ignore"):
        sizes = np.abs(inner)
        is_usable = np.all((sizes < LARGEST) & ((sizes > SMALLEST) | (sizes == 0.0))) and np.ptp(inner) > 0.0
    return Linked(outer, inner, floor, sign) if is_usable else None
