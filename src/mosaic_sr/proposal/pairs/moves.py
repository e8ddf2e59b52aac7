"""Moves: the ways in which the library makes a new entry of one or two that it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, operator_names, substituted, variable
from mosaic_sr.expressions.generator import CURVED
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import OPERATORS
from mosaic_sr.proposal.views.steps import COMMON

Floats = NDArray[np.float64]

# Functions that are not common cost one more, so that they come one size later; acos is a number less asin.
RARE = tuple(
    operator.name for operator in OPERATORS if operator.arity == 1 and operator.name not in (*COMMON, "neg", "acos")
)


@dataclass(frozen=True)
class Move:
    """A template over x0 (and x1), and what it adds to the size of its operands.

    is_curved: has a transcendental function.  is_shift: adds a number or multiplies by one.
    commutes: swapping the operands gives the same value up to sign, and entries are kept up to sign.
    """

    template: Expression
    cost: int
    is_curved: bool = False
    is_shift: bool = False
    commutes: bool = False

    @property
    def arity(self) -> int:
        return len(self.template.columns)

    def values(self, *operands: Floats) -> Floats:
        """The move over arrays of one shape, element by element."""
        flat = np.stack([operand.ravel() for operand in operands])
        return evaluate_expression(self.template, flat).reshape(operands[0].shape)

    def expression(self, *operands: Expression) -> Expression:
        """The template with its variables replaced."""
        return substituted(self.template, operands)


def make_moves(operators: Sequence[str]) -> tuple[Move, ...]:
    """The moves whose operators are all allowed."""
    x, y, one, two = variable(0), variable(1), constant(1.0), constant(2.0)
    negative = apply("neg", x)
    drafts = [
        Move(apply("mul", x, y), 1, commutes=True),
        Move(apply("div", x, y), 1),
        Move(apply("add", x, y), 1, commutes=True),
        Move(apply("sub", x, y), 1, commutes=True),
        Move(apply("add", one, x), 2, is_shift=True),
        Move(apply("sub", one, x), 2, is_shift=True),
        *(Move(apply(name, x), 1, is_curved=_is_curved(name)) for name in COMMON),
        # Entries are kept up to sign, so functions that are neither odd nor even need their mirror image.
        *(Move(apply(name, negative), 1, is_curved=_is_curved(name)) for name in ("sqrt", "exp", "log")),
        Move(apply("mul", two, x), 2, is_shift=True),
        *(Move(apply(name, x), 2, is_curved=_is_curved(name)) for name in RARE),
        Move(apply("pow", x, y), 2, is_curved=True),
    ]
    # A sign needs no operator of its own in the canonical form.
    allowed = {*operators, "neg"}
    return tuple(draft for draft in drafts if operator_names(draft.template) <= allowed)


def _is_curved(name: str) -> bool:
    return int(apply(name, variable(0)).codes[-1]) in CURVED
