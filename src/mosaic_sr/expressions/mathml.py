"""Writes expressions as MathML, which browsers and notebooks draw without fonts or scripts from the network."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from mosaic_sr.expressions.digits import Precision, each_precision, rounded_text
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.grammar import ATOM_PRECEDENCE, PRECEDENCE, SIGN_PRECEDENCE
from mosaic_sr.expressions.rows import CALLS, INFIX_SYMBOLS, POWERS, SYMBOLIC, TREES
from mosaic_sr.expressions.simple_numbers import closed_form
from mosaic_sr.operators import Operator

# Small letters in the order of Unicode; the empty word stands for the final sigma.
LETTERS = "alpha,beta,gamma,delta,epsilon,zeta,eta,theta,iota,kappa,lambda,mu,nu,xi,omicron,pi,rho,,sigma,tau,upsilon"
GREEK = {name: chr(code) for code, name in enumerate((LETTERS + ",phi,chi,psi,omega").split(","), start=0x3B1)}
# Letters that are numbers are upright.
LETTERS_OF_NUMBERS = {"pi": "π", "e": "e"}
MINUS, TIMES, APPLY = "<mo>−</mo>", "<mo>&#x2062;</mo>", "<mo>&#x2061;</mo>"


@dataclass(frozen=True)
class Markup:
    """The markup of a subtree without its leading minus, how tightly it binds, and whether that minus is there."""

    body: str
    precedence: int = ATOM_PRECEDENCE
    is_negative: bool = False

    @property
    def is_sum(self) -> bool:
        """Whether a minus belongs to the first term alone."""
        return self.precedence == PRECEDENCE["+"]

    @property
    def text(self) -> str:
        """One element."""
        return f"<mrow>{MINUS if self.is_negative else ''}{self.body}</mrow>"

    def within(self, precedence: int) -> str:
        """The markup, in parentheses if it binds less tightly or starts with a minus."""
        if self.precedence >= precedence and not self.is_negative:
            return self.text if self.is_sum else self.body
        return f"<mrow><mo>(</mo>{self.text}<mo>)</mo></mrow>"


NUMBERS = {name: Markup(f'<mi mathvariant="normal">{letter}</mi>') for name, letter in LETTERS_OF_NUMBERS.items()}


def to_mathml(expression: Expression, names: Sequence[str], target: str, precision: Precision = 5) -> str:
    """The element that shows `target = law`; constants have `precision` digits, one number or one for each.

    Constants in closed form, such as 1/3 and 2*pi, are written so.
    """
    digits = each_precision(precision)
    law = expression.fold(
        _node, lambda column: Markup(_name(names[column])), lambda value: _number(value, next(digits))
    ).text
    return f'<math display="block"><mrow>{_name(target)}<mo>=</mo>{law}</mrow></math>'


def _name(name: str) -> str:
    """A column's name, a numbered or underscored end as index, Greek letters as symbols."""
    match = re.fullmatch(r"([^\W\d_]+)(?:_([^\W_]+)|([0-9]+))?", name)
    if match is None:
        return f"<mtext>{escape(name)}</mtext>"
    index = match[2] or match[3]
    word = f"<mi>{_word(match[1])}</mi>"
    return f"<msub>{word}<mi>{_word(index)}</mi></msub>" if index else word


def _word(word: str) -> str:
    letter = GREEK.get(word.lower())
    if word in ("pi", "π"):
        return "pi"  # the symbol is the number
    if letter is None:
        return word
    return letter if word.islower() else letter.upper()


def _number(value: float, precision: int) -> Markup:
    if not math.isfinite(value):
        return Markup("<mi>∞</mi>", is_negative=value < 0)
    form = closed_form(abs(value))
    if form is not None and not form.text.isdigit():
        written = ast.parse(form.text.replace("^", "**"), mode="eval").body
        own = _render(written, NUMBERS)
        return Markup(own.body, own.precedence, value < 0)
    digits, _, exponent = rounded_text(abs(value), precision).partition("e")
    if not exponent:
        return Markup(f"<mn>{digits}</mn>", is_negative=value < 0)
    power = f"<msup><mn>10</mn><mn>{int(exponent)}</mn></msup>".replace("<mn>-", "<mn>−")
    return Markup(f"<mrow><mn>{digits}</mn><mo>·</mo>{power}</mrow>", PRECEDENCE["*"], value < 0)


def _node(operator: Operator, operands: list[Markup]) -> Markup:
    exponent = POWERS.get(operator.name, 0.5)
    if exponent.is_integer() and exponent > 1:
        return _infix("^", operands[0], Markup(f"<mn>{exponent:g}</mn>"))
    if operator.name not in SYMBOLIC:
        return _call(operator, "<mo>,</mo>".join(operand.text for operand in operands))
    return _render(TREES[operator.name], dict(zip("ab", operands, strict=False)))


def _render(tree: ast.expr, operands: Mapping[str, Markup]) -> Markup:
    """The text of a row that is written by symbols, with its operands put in."""
    match tree:
        case ast.Name(id=name):
            return operands[name]
        case ast.Constant(value=int(whole)):
            return Markup(f"<mn>{whole}</mn>")
        case ast.Constant(value=float(value)):
            return _number(value, 6)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            operand = _render(inner, operands)
            return Markup(operand.within(PRECEDENCE["*"]), min(operand.precedence, SIGN_PRECEDENCE), True)
        case ast.BinOp(left=left, op=op, right=right):
            return _infix(INFIX_SYMBOLS[type(op)], _render(left, operands), _render(right, operands))
        case ast.Call(func=ast.Name(id="sqrt"), args=[inner]):
            return Markup(f"<msqrt>{_render(inner, operands).text}</msqrt>")
    raise ValueError(f"no MathML for {ast.dump(tree)}")


def _call(operator: Operator, arguments: str) -> Markup:
    """A call by the name of the mathematical function, which numpy spells out, else by the operator's own word."""
    called = CALLS.get(operator.name, "")
    if called == "abs":
        return Markup(f"<mrow><mo>|</mo>{arguments}<mo>|</mo></mrow>")
    word = called if called.startswith("arc") else operator.label
    brackets = f"<mrow><mo>(</mo>{arguments}<mo>)</mo></mrow>"
    return Markup(f"<mrow><mi>{escape(word)}</mi>{APPLY}{brackets}</mrow>", PRECEDENCE["^"])


def _infix(symbol: str, left: Markup, right: Markup) -> Markup:
    if symbol == "/":
        above = left.text if left.is_sum else left.body
        return Markup(f"<mfrac>{above}{right.text}</mfrac>", SIGN_PRECEDENCE, left.is_negative and not left.is_sum)
    if symbol == "^":
        return Markup(f"<msup>{left.within(ATOM_PRECEDENCE)}{right.text}</msup>", PRECEDENCE["^"])
    return _product(left, right) if symbol == "*" else _sum(symbol, left, right)


def _product(left: Markup, right: Markup) -> Markup:
    first = left.within(PRECEDENCE["*"]) if left.is_sum else left.body
    second = right.within(PRECEDENCE["*"])
    # Digits side by side would read as one number.
    sign = "<mo>·</mo>" if re.match("(<mrow>|<msup>)*<mn>", second) else TIMES
    return Markup(f"<mrow>{first}{sign}{second}</mrow>", PRECEDENCE["*"], left.is_negative and not left.is_sum)


def _sum(symbol: str, left: Markup, right: Markup) -> Markup:
    """A sum whose minus is that of its first term: a + -b is a - b, a - -b is a + b."""
    if symbol == "-" and right.is_sum:
        right = Markup(right.within(ATOM_PRECEDENCE))
    is_minus = (symbol == "-") != right.is_negative
    return Markup(f"{left.body}{MINUS if is_minus else '<mo>+</mo>'}{right.body}", PRECEDENCE["+"], left.is_negative)
