"""Writes `_dispatch.py`: compiled block loops for every operator, derived from the text of its row in the table.

Run `python -m mosaic_sr.kernel.generate` after a change of the operator table.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, field
from pathlib import Path

from mosaic_sr.kernel.elementary import ORDINARY
from mosaic_sr.operators import CODES, OPERATORS, Operator

# Functions that stand inside a loop and vectorise there.
INLINE_FUNCTIONS = {"sqrt": "np.sqrt", "abs": "abs", "maximum": "maximum", "copysign": "copysign"}
# Functions of a number that is the same for all rows.
NUMBER_FUNCTIONS = {name: f"np.{name}" for name in ORDINARY} | INLINE_FUNCTIONS

HEADER = '''"""Block loops of all operators, generated from the operator table by `mosaic_sr.kernel.generate`.

Each function acts on `count` rows: `a`, `b` operands, `v` value, `g` derivative of the root with respect to `v`.
"""

import numpy as np

from mosaic_sr.kernel import elementary
from mosaic_sr.kernel.elementary import copysign, maximum
from mosaic_sr.kernel.jit import POINTER, compiled
from mosaic_sr.kernel.power import power_number_rows_block, power_rows_number_block, power_rows_rows_block
'''

# A loop over an elementary function: arguments outside its ordinary interval are redone by libm.
ELEMENTARY = '''@compiled(f"void({{POINTER}}, {{POINTER}}, int64)")
def {name}_block(a, out, count):
    """Write {name}(a[i])."""
    num_unusual = 0
    for i in range(count):
        num_unusual += 0 if (a[i] >= {low}) & (a[i] <= {high}) else 1
        out[i] = elementary.{name}(a[i])
    if num_unusual > 0:
        for i in range(count):
            if not ((a[i] >= {low}) & (a[i] <= {high})):
                out[i] = np.{name}(a[i])'''

# The kinds of a binary operator's operands, rows (arrays) or a number, and which of them are numbers.
KINDS: dict[str, set[str]] = {"rows_rows": set(), "rows_number": {"b"}, "number_rows": {"a"}}


@dataclass
class Lowering:
    """Turns one formula of the table into statements over a block; `rows` are the names that stand for arrays."""

    rows: set[str]
    statements: list[str] = field(default_factory=list)
    num_temporaries: int = 0

    def is_rows(self, node: ast.expr) -> bool:
        """Whether a part of the formula differs from row to row."""
        return any(isinstance(part, ast.Name) and part.id in self.rows for part in ast.walk(node))

    def text(self, node: ast.expr) -> str:
        """The part as an expression of one row; block functions inside it become statements before it."""
        match node:
            case ast.Constant(value=value):
                return repr(value)
            case ast.Name(id=name):
                return f"{name}[i]" if name in self.rows else name
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"-{self.text(operand)}"
            case ast.BinOp(left=left, op=ast.Pow(), right=right) if self.is_rows(node):
                return self.block("power", [left, right])
            case ast.BinOp(left=left, op=op, right=right):
                return f"({self.text(left)} {SYMBOLS[type(op)]} {self.text(right)})"
            case ast.Call(func=ast.Name(id=name), args=arguments):
                if name in ORDINARY and self.is_rows(node):
                    return self.block(name, arguments)
                known = INLINE_FUNCTIONS if self.is_rows(node) else NUMBER_FUNCTIONS
                return f"{known[name]}({', '.join(_bare(self.text(argument)) for argument in arguments)})"
        raise ValueError(f"the generator does not know {ast.dump(node)}")

    def block(self, name: str, arguments: list[ast.expr], out: str = "") -> str:
        """Apply a block function; its result is a temporary array unless `out` is given."""
        names = [self.argument(argument) for argument in arguments]
        out = out or self.temporary()
        if name == "power":
            name += "_" + "_".join("rows" if self.is_rows(argument) else "number" for argument in arguments)
        self.statements.append(f"{name}_block({', '.join([*names, out])}, count)")
        return f"{out}[i]"

    def argument(self, node: ast.expr) -> str:
        """The part as an argument of a block function: an array by name, or a number."""
        if isinstance(node, ast.Name) or not self.is_rows(node):
            return _bare(self.text(node)).removesuffix("[i]")
        text = self.text(node)
        if text.isidentifier():
            return text
        out = self.temporary()
        self.loop(out, text)
        return out

    def temporary(self) -> str:
        self.num_temporaries += 1
        return f"t{self.num_temporaries}"

    def loop(self, out: str, text: str) -> None:
        self.statements.append(f"for i in range(count):\n    {out}[i] = {_bare(text)}")


SYMBOLS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}


def value_statements(formula: str, rows: set[str]) -> str:
    """Statements that write the formula's value to `out`."""
    tree = ast.parse(formula, mode="eval").body
    lowering = Lowering(rows)
    match tree:
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in ORDINARY:
            lowering.block(name, arguments, "out")
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            lowering.block("power", [left, right], "out")
        case _:
            lowering.loop("out", lowering.text(tree))
    return "\n".join(lowering.statements)


def partial_statements(formula: str, rows: set[str]) -> str:
    """Statements that write the root's derivative with respect to an operand to `out`."""
    tree = ast.parse(formula, mode="eval").body
    lowering = Lowering(rows | {"v", "g"})
    match tree:
        case ast.Constant(value=1.0):
            lowering.loop("out", "g[i]")
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1.0)):
            lowering.loop("out", "-g[i]")
        case _:
            lowering.loop("out", f"g[i] * {lowering.text(tree)}")
    return "\n".join(lowering.statements)


def _bare(text: str) -> str:
    """The text without a pair of brackets around the whole."""
    return text[1:-1] if text.startswith("(") and text.endswith(")") and _closes_last(text) else text


def _closes_last(text: str) -> bool:
    depth = 0
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return position == len(text) - 1
    return False


def dispatch(name: str, parameters: str, numbers: set[str], branches: list[tuple[Operator, str]]) -> str:
    """An entry point that picks the branch of an operator by its code; equal branches are joined."""
    by_statements: dict[str, list[Operator]] = {}
    for operator, statements in branches:
        by_statements.setdefault(statements, []).append(operator)
    types = ["int64", *("float64" if name in numbers else "{POINTER}" for name in parameters.split(", ")), "int64"]
    lines = [
        f'@compiled(f"void({", ".join(types)})")',
        f"def {name}(code, {parameters}, count):",
        f'    """Write {"the adjoint of an operand" if "g" in parameters else "the value of an operator"}."""',
    ]
    for index, (statements, operators) in enumerate(by_statements.items()):
        condition = " or ".join(f"code == {CODES[operator.name]}" for operator in operators)
        names = ", ".join(operator.name for operator in operators)
        lines.append(f"    {'elif' if index else 'if'} {condition}:  # {names}")
        lines.extend("        " + line for line in statements.splitlines())
    return "\n".join(lines)


def value_function(name: str, parameters: str, numbers: set[str], operators: list[Operator]) -> str:
    """The dispatch of the values."""
    rows = {"a", "b"} - numbers
    return dispatch(name, parameters, numbers, [(each, value_statements(each.value, rows)) for each in operators])


def partial_function(name: str, parameters: str, numbers: set[str], operators: list[Operator], side: int) -> str:
    """The dispatch of the derivatives with respect to one operand."""
    rows = {"a", "b"} - numbers
    branches = [(operator, partial_statements(operator.partials[side], rows)) for operator in operators]
    return dispatch(name, parameters, numbers, branches)


def source() -> str:
    """The whole text of `_dispatch.py`."""
    unary = [operator for operator in OPERATORS if operator.arity == 1]
    binary = [operator for operator in OPERATORS if operator.arity == 2]
    functions = [
        ELEMENTARY.format(name=name, low=_number(low), high=_number(high)) for name, (low, high) in ORDINARY.items()
    ]
    functions.append(value_function("unary_values", "a, out", set(), unary))
    functions.append(partial_function("unary_partial", "a, v, g, out, t1, t2", set(), unary, 0))
    for kind, numbers in KINDS.items():
        functions.append(value_function(f"{kind}_values", "a, b, out", numbers, binary))
        for side, word in enumerate(("left", "right")):
            name = f"{kind}_{word}_partial"
            functions.append(partial_function(name, "a, b, v, g, out, t1, t2", numbers, binary, side))
    return "\n\n\n".join([HEADER.rstrip(), *functions]) + "\n"


def _number(value: float) -> str:
    """The number as Python writes it, infinities through numpy."""
    return repr(value).replace("e+", "e") if math.isfinite(value) else f"{'-' if value < 0 else ''}np.inf"


DESTINATION = Path(__file__).with_name("_dispatch.py")

if __name__ == "__main__":
    DESTINATION.write_text(source())
