"""Links: the outermost function of a law, undone on the target before a linear combination is fitted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.operators import NAMES
from mosaic_sr.table import Resolution

Floats = NDArray[np.float64]
# An operator of one operand, or one of two with the number that is its second operand.
Outer = str | tuple[str, float]

# The target has to come back from its link to so many of its own roundings, or another branch was needed.
BRANCH_SLACK = 1e-6
# Beyond these, products with the values of terms leave the range of floats when they are squared.
LARGEST, SMALLEST = 1e50, 1e-50


@dataclass(frozen=True)
class Link:
    """y = outer(u).  undo: u of y.  outer: operators, the innermost first.  redo: outer on numbers."""

    name: str
    outer: tuple[Outer, ...]
    undo: Callable[[Floats], Floats]
    redo: Callable[[Floats], Floats]


def _same(values: Floats) -> Floats:
    return values


LINKS: tuple[Link, ...] = (
    Link("identity", (), _same, _same),
    Link("inverse", ("inv",), np.reciprocal, np.reciprocal),
    Link("square", ("sqrt",), np.square, np.sqrt),
    Link("log", ("exp",), np.log, np.exp),
    Link("exp", ("log",), np.exp, np.log),
    Link("root", ("sq",), np.sqrt, np.square),
    Link("inverse square", ("sqrt", "inv"), lambda y: 1.0 / np.square(y), lambda u: 1.0 / np.sqrt(u)),
    Link("exp of minus", ("log", "neg"), lambda y: np.exp(-y), lambda u: -np.log(u)),
    Link("arcsine", ("sin",), np.arcsin, np.sin),
    Link("arccosine", ("cos",), np.arccos, np.cos),
    Link("tangent", ("atan",), np.tan, np.arctan),
    Link("artanh", ("tanh",), np.arctanh, np.tanh),
    Link("cube root", ("cube",), np.cbrt, lambda u: u**3),
    Link("sine", ("asin",), np.sin, np.arcsin),
    Link("cosine", ("acos",), np.cos, np.arccos),
)
assert all(operator in NAMES for link in LINKS for operator in link.outer)

# Of these, one may stand for another: x*x is the square of x wherever multiplication is allowed.
KIN = {"sq": "mul", "cube": "mul", "neg": "sub", "inv": "div"}


@dataclass(frozen=True, eq=False)
class Linked:
    """The target behind a link.

    target: u, (rows,).  floor: what the rounding of y makes of u, (rows,).  sign: -1 where -y is outer(u).
    """

    link: Link
    target: Floats
    floor: Floats
    sign: float

    def law(self, inner: Expression) -> Expression:
        """The law of y for a formula of u."""
        inner = wrapped(inner, self.link.outer)
        return inner if self.sign > 0 else apply("neg", inner)


def wrapped(inner: Expression, outer: Sequence[Outer]) -> Expression:
    """The operators applied to a formula, one after the other."""
    for operator in outer:
        inner = (
            apply(operator, inner) if isinstance(operator, str) else apply(operator[0], inner, constant(operator[1]))
        )
    return inner


def is_allowed(outer: Sequence[Outer], operators: Sequence[str]) -> bool:
    """Whether laws may use all of these operators."""
    names = [operator if isinstance(operator, str) else operator[0] for operator in outer]
    return all(name in operators or KIN.get(name) in operators for name in names)


def linked_targets(target: Floats, resolution: Resolution, operators: Sequence[str]) -> Iterator[Linked]:
    """The target behind every link that it admits in all rows and whose operators are allowed."""
    for link in LINKS:
        if is_allowed(link.outer, operators):
            yield from _admitted(link, target, resolution)


def _admitted(link: Link, target: Floats, resolution: Resolution) -> Iterator[Linked]:
    sign = -1.0 if link.outer and np.all(target <= 0) else 1.0
    own = sign * target
    half = 0.5 * resolution.quantum(own)
    with np.errstate(all="ignore"):
        undone = np.asarray(link.undo(own))
        floor = np.abs(link.undo(own + half) - undone) + np.spacing(np.abs(undone))
        sizes = np.abs(undone)
        if not np.all((sizes < LARGEST) & ((sizes > SMALLEST) | (sizes == 0.0))) or np.ptp(undone) == 0.0:
            return
        returned = link.redo(undone)
    if np.all(np.abs(returned - own) <= BRANCH_SLACK * np.abs(own) + half):
        yield Linked(link, undone, np.where(np.isfinite(floor), floor, 0.0), sign)
