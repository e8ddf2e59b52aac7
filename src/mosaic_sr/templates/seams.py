"""Seams: where a part meets the template. `a - -0.2*x` becomes `a + 0.2*x`, `1 + (1 + x)` `2 + x`, `2*x*(3*z)` `6*x*z`.

The form of the template stays as the user knows it; only signs and numbers that a person would join are joined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mosaic_sr.equation import Equation
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.fitting.uncertainty import rows_in_user_units, standard_errors
from mosaic_sr.law_writing import carried_covariance
from mosaic_sr.operators import Operator, operator_named
from mosaic_sr.table import Table
from mosaic_sr.writing.sameness import Comparison

ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b if b else np.nan,
}
SUMS = ("add", "sub")
# Parities of functions of one operand, as the table of operators has them.
EVEN, ODD = 1, -1


@dataclass(frozen=True)
class _Piece:
    """A subtree: an operator with its operands, a number with its name, or a column."""

    name: str = ""
    operands: tuple[_Piece, ...] = ()
    number: float | None = None
    label: str = ""
    column: int = -1

    @property
    def is_plain(self) -> bool:
        """Whether this is a number that the user has not named."""
        return self.number is not None and not self.label

    def build(self) -> tuple[Expression, tuple[str, ...]]:
        """The expression, and the names of its constants in reading order."""
        if self.number is not None:
            return constant(self.number), (self.label,)
        if not self.name:
            return variable(self.column), ()
        built = [operand.build() for operand in self.operands]
        return apply(self.name, *(one for one, _ in built)), tuple(label for _, own in built for label in own)


def without_seams(law: Equation, table: Table) -> Equation:
    """The law with its seams joined; errors and names are those of its constants as they are then."""
    names = iter(law.constant_names or ("",) * law.expression.num_constants)
    whole = law.expression.fold(
        lambda operator, operands: _joined(_node(operator, operands)),
        lambda column: _Piece(column=column),
        lambda value: _Piece(number=value, label=next(names)),
    )
    expression, labels = whole.build()
    columns = rows_in_user_units(table, law.expression).columns
    if expression == law.expression or not Comparison(law.expression, columns).holds(expression):
        return law
    found = None
    if law.covariance and np.all(np.isfinite(law.covariance)):
        found = carried_covariance(law.expression, np.array(law.covariance), expression, columns)
    covariance = () if found is None else tuple(map(tuple, found.tolist()))
    errors = standard_errors(expression, table) if found is None else tuple(np.sqrt(np.maximum(np.diag(found), 0.0)))
    own = labels if any(labels) else ()
    return replace(law, expression=expression, constant_names=own, standard_errors=errors, covariance=covariance)


def _node(operator: Operator, operands: list[_Piece]) -> _Piece:
    return _Piece(operator.name, tuple(operands))


def _joined(piece: _Piece) -> _Piece:
    """A node whose operands are joined already."""
    if piece.name == "neg":
        flipped = _flipped(piece.operands[0])
        return piece if flipped is None else flipped
    if len(piece.operands) == 1 and operator_named(piece.name).parity == EVEN:
        flipped = _flipped(piece.operands[0])
        return piece if flipped is None else _Piece(piece.name, (flipped,))
    if piece.name not in ARITHMETIC:
        return piece
    left, right = piece.operands
    if left.is_plain and right.is_plain:
        value = ARITHMETIC[piece.name](left.number or 0.0, right.number or 0.0)
        return _Piece(number=value) if np.isfinite(value) else piece
    if piece.name in SUMS:
        return _sum(_terms(piece, 1.0))
    if right.is_plain and right.number == 1.0:
        return left
    if piece.name == "mul" and left.is_plain and left.number == 1.0:
        return right
    if piece.name == "mul" and right.operands and _leads_with_number(right):
        return _times(left, right)
    if piece.name == "mul" and right.name == "sub" and (positive := _flipped(left)) is not None:
        return _joined(_Piece("mul", (positive, _Piece("sub", right.operands[::-1]))))
    flipped = _flipped(right)
    return piece if flipped is None else _Piece(piece.name, (_scaled(left, -1.0), flipped))


def _terms(piece: _Piece, sign: float) -> list[tuple[float, _Piece]]:
    """The terms of a sum, each with its sign."""
    if piece.name == "neg":
        return _terms(piece.operands[0], -sign)
    if piece.name in SUMS:
        second = sign if piece.name == "add" else -sign
        return [*_terms(piece.operands[0], sign), *_terms(piece.operands[1], second)]
    flipped = _flipped(piece)
    return [(sign, piece)] if flipped is None else [(-sign, flipped)]


def _sum(terms: Sequence[tuple[float, _Piece]]) -> _Piece:
    """A sum in the order of its terms, with one number, a positive term first."""
    numbers = [sign * (term.number or 0.0) for sign, term in terms if term.is_plain]
    place = next((place for place, (_, term) in enumerate(terms) if term.is_plain), 0)
    found = [(sign, term) for sign, term in terms if not term.is_plain]
    if (total := sum(numbers)) or not found:
        found.insert(place, (-1.0 if total < 0.0 else 1.0, _Piece(number=abs(total))))
    first = next((place for place, (sign, _) in enumerate(found) if sign > 0.0), 0)
    sign, whole = found.pop(first)
    whole = _scaled(whole, -1.0) if sign < 0.0 else whole
    for sign, term in found:
        whole = _Piece("sub" if sign < 0.0 else "add", (whole, term))
    return whole


def _leads_with_number(piece: _Piece) -> bool:
    """Whether the first factor of a product or quotient is a number that the user has not named."""
    return piece.is_plain or (piece.name in ("mul", "div") and _leads_with_number(piece.operands[0]))


def _times(left: _Piece, right: _Piece) -> _Piece:
    """A product with the number of its second factor in the first."""
    if right.number is not None:
        return _scaled(left, right.number)
    return _Piece(right.name, (_times(left, right.operands[0]), right.operands[1]))


def _scaled(piece: _Piece, number: float) -> _Piece:
    """A number times a piece, in the number that the piece begins with, if any."""
    if piece.is_plain and piece.number is not None:
        return _Piece(number=number * piece.number)
    if piece.name in ("mul", "div") and _leads_with_number(piece):
        return _joined(_Piece(piece.name, (_scaled(piece.operands[0], number), piece.operands[1])))
    if number == -1.0:
        return _Piece("neg", (piece,)) if piece.name != "neg" else piece.operands[0]
    return _joined(_Piece("mul", (_Piece(number=number), piece)))


def _flipped(piece: _Piece) -> _Piece | None:
    """The opposite of a term with a minus in front; None where it has none, or the user has named its number."""
    if piece.name == "neg":
        return piece.operands[0]
    if piece.is_plain and piece.number is not None and piece.number < 0.0:
        return _Piece(number=-piece.number)
    is_odd = len(piece.operands) == 1 and operator_named(piece.name).parity == ODD
    first = _flipped(piece.operands[0]) if is_odd or piece.name in ARITHMETIC else None
    if first is None:
        return None
    if piece.name == "sub":
        return _Piece("add", (first, piece.operands[1]))
    if piece.name == "add":
        second = _flipped(piece.operands[1])
        return None if second is None else _Piece("add", (first, second))
    return _joined(_Piece(piece.name, (first, *piece.operands[1:])))
