"""Writes expressions as LaTeX, read off the operator rows."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from itertools import repeat

from mosaic_sr.expressions.digits import Precision, each_precision, rounded_text
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.grammar import ATOM_PRECEDENCE, PRECEDENCE, SIGN_PRECEDENCE
from mosaic_sr.expressions.printing import Piece
from mosaic_sr.expressions.rows import CALLS, INFIX_SYMBOLS, POWERS, SYMBOLIC, TREES
from mosaic_sr.expressions.simple_numbers import closed_form
from mosaic_sr.operators import Operator

FUNCTIONS = re.compile("arc(cos|sin|tan)|(cos|sin|tan)h?|exp|log|max|min")
GREEK = re.compile(
    "alpha|beta|[gG]amma|[dD]elta|epsilon|zeta|eta|[tT]heta|iota|kappa|[lL]ambda|mu|nu|[xX]i|[pP]i|rho|[sS]igma|tau"
    "|[uU]psilon|[pP]hi|chi|[pP]si|[oO]mega"
)
# Capitals that look like Latin ones have no command.
LETTERS = "αβγδεϵζηθϑικλμνξπρσςτυφϕχψωΓΔΘΛΞΠΣΥΦΨΩµ"
COMMANDS = (
    "alpha beta gamma delta varepsilon epsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma "
    "varsigma tau upsilon varphi phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega mu"
)
COMMAND_OF = {letter: f"\\{command}" for letter, command in zip(LETTERS, COMMANDS.split(), strict=True)}
ESCAPES = {
    **{character: f"\\{character}" for character in "#$%&_{}"},
    **{"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "`": r"\textasciigrave{}"},
}
WORD = f"A-Za-z{LETTERS}"
CONSTANT_HOLE = "c"
VARIABLE_HOLE = r"\square"


def to_latex(expression: Expression, names: Sequence[str], precision: Precision | None = 3) -> str:
    """The formula in LaTeX's mathematics; constants have `precision` significant digits, None for all of them.

    precision: one number for all constants or one for each.  Constants in closed form, such as 1/3, are written so.
    """
    digits = repeat(None) if precision is None else each_precision(precision)
    return expression.fold(
        _node,
        lambda column: Piece(latex_name(names[column])),
        lambda value: _number(value, next(digits)),
        lambda: Piece(VARIABLE_HOLE),
    ).text


def latex_name(name: str) -> str:
    """A column's name: single letters and Greek ones as symbols, a numbered or underscored end as index."""
    if name in ("pi", "π"):
        return r"\mathrm{pi}"  # the symbol is the number
    match = re.fullmatch(rf"([{WORD}]+?)(?:_([{WORD}0-9]+)|([0-9]+))?", name)
    if match is None:
        return rf"\text{{{''.join(ESCAPES.get(c, c) for c in name)}}}"
    index = match[2] or match[3]
    return _word(match[1]) + (f"_{{{index if index.isdigit() else _word(index)}}}" if index else "")


def _word(word: str) -> str:
    if GREEK.fullmatch(word):
        return f"\\{word}"
    if any(letter in COMMAND_OF for letter in word):
        return " ".join(COMMAND_OF.get(letter, letter) for letter in word)
    return word if len(word) == 1 else rf"\mathrm{{{word}}}"


def _number(value: float, precision: int | None) -> Piece:
    if math.isnan(value):
        return Piece(CONSTANT_HOLE)
    form = closed_form(value)
    if form is not None:
        return Piece(f"-{form.latex}" if value < 0 else form.latex, SIGN_PRECEDENCE)
    text = repr(value) if precision is None else rounded_text(value, precision)
    digits, _, exponent = text.removesuffix(".0").replace("inf", r"\infty").partition("e")
    if exponent:
        return Piece(rf"{digits} \cdot 10^{{{int(exponent)}}}", PRECEDENCE["*"])
    return Piece(digits, SIGN_PRECEDENCE if digits.startswith("-") else ATOM_PRECEDENCE)


def _node(operator: Operator, operands: list[Piece]) -> Piece:
    exponent = POWERS.get(operator.name, 0.5)
    if exponent.is_integer() and exponent > 1:
        return _infix("^", operands[0], Piece(f"{exponent:g}"))
    if operator.name not in SYMBOLIC:
        return _call(operator, ", ".join(operand.text for operand in operands))
    return _render(TREES[operator.name], dict(zip("ab", operands, strict=False)))


def _render(tree: ast.expr, operands: Mapping[str, Piece]) -> Piece:
    """The text of a row that is written by symbols, with its operands put in."""
    match tree:
        case ast.Name(id=name):
            return operands[name]
        case ast.Constant(value=float(value)):
            return _number(value, None)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return Piece(f"-{_bracketed(_render(inner, operands), PRECEDENCE['*'])}", PRECEDENCE["*"])
        case ast.BinOp(left=left, op=op, right=right):
            return _infix(INFIX_SYMBOLS[type(op)], _render(left, operands), _render(right, operands))
        case ast.Call(func=ast.Name(id="sqrt"), args=[inner]):
            return Piece(rf"\sqrt{{{_render(inner, operands).text}}}")
    raise ValueError(f"no LaTeX for {ast.dump(tree)}")


def _call(operator: Operator, arguments: str) -> Piece:
    """A call by the command that LaTeX has for the function or for the operator, else by the operator's own word."""
    words = (CALLS.get(operator.name, ""), operator.label)
    if words[0] == "abs":
        return Piece(rf"\left|{arguments}\right|")
    own = rf"\operatorname{{{''.join(ESCAPES.get(c, c) for c in operator.label)}}}"
    command = next((f"\\{word}" for word in words if FUNCTIONS.fullmatch(word)), own)
    return Piece(rf"{command}\left({arguments}\right)", PRECEDENCE["^"])


def _infix(symbol: str, left: Piece, right: Piece) -> Piece:
    if symbol == "/":
        return Piece(rf"\frac{{{left.text}}}{{{right.text}}}", SIGN_PRECEDENCE)
    if symbol == "^":
        return Piece(f"{_bracketed(left, ATOM_PRECEDENCE)}^{{{right.text}}}", PRECEDENCE["^"])
    if symbol == "*":
        return _product(left, right)
    return _sum(symbol, left, right)


def _product(left: Piece, right: Piece) -> Piece:
    first = left.text if left.precedence >= PRECEDENCE["*"] else _bracketed(left, PRECEDENCE["*"])
    second = _bracketed(right, PRECEDENCE["*"])
    # Digits side by side would read as one number, a digit before a fraction as a mixed one.
    needs_dot = second[0].isdigit() or (first[-1].isdigit() and second.startswith(r"\frac"))
    return Piece(first + (r" \cdot " if needs_dot else " ") + second, PRECEDENCE["*"])


def _sum(symbol: str, left: Piece, right: Piece) -> Piece:
    """A sum in which adding a negative term is written as subtracting."""
    if symbol == "+" and right.text.startswith("-"):
        return Piece(f"{left.text} - {right.text[1:]}", PRECEDENCE["+"])
    text = right.text if symbol == "+" else _bracketed(right, PRECEDENCE["*"])
    return Piece(f"{left.text} {symbol} {text}", PRECEDENCE["+"])


def _bracketed(piece: Piece, precedence: int) -> str:
    """The text, in parentheses if it binds less tightly or starts with a sign that would not stand alone."""
    if piece.precedence >= precedence and not piece.text.startswith("-"):
        return piece.text
    return rf"\left({piece.text}\right)"
