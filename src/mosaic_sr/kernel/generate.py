"""Writes `_dispatch.py`: compiled block loops for every operator, derived from the text of its row in the table.

Run `python -m mosaic_sr.kernel.generate` after a change of the operator table.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path

from mosaic_sr.kernel.elementary import BLOCKS
from mosaic_sr.operators import CODES, OPERATORS, Operator

# Functions that stand inside a loop and vectorise there.
INLINE_FUNCTIONS = {"sqrt": "np.sqrt", "abs": "abs", "maximum": "maximum", "copysign": "copysign"}
# Functions of a number that is the same for all rows.
NUMBER_FUNCTIONS = {name: f"np.{name}" for name in BLOCKS} | INLINE_FUNCTIONS

HEADER = '''"""Block loops of all operators, generated from the operator table by `mosaic_sr.kernel.generate`.

Each function acts on one block: `a`, `b` operands, `v` value, `g` derivative of the root with respect to `v`.
"""

import numpy as np

from mosaic_sr.kernel.elementary import (
    BLOCKS,
{names})
from mosaic_sr.kernel.jit import compiled

{blocks}
'''

# Which operands of a binary operator are rows (arrays) and which are numbers, and the suffix of the functions.
KINDS = {"rows_rows": {"a", "b"}, "rows_number": {"a"}, "number_rows": {"b"}}


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
                if name in BLOCKS and self.is_rows(node):
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
        self.statements.append(f"{name}_block({', '.join([*names, out])})")
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
        self.statements.append(f"for i in range(len({out})):\n    {out}[i] = {_bare(text)}")


SYMBOLS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}


def value_statements(formula: str, rows: set[str]) -> str:
    """Statements that write the formula's value to `out`."""
    tree = ast.parse(formula, mode="eval").body
    lowering = Lowering(rows)
    match tree:
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in BLOCKS:
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


def dispatch(name: str, parameters: str, summary: str, branches: list[tuple[Operator, str]]) -> str:
    """A compiled function that picks the branch of an operator by its code; equal branches are joined."""
    by_statements: dict[str, list[Operator]] = {}
    for operator, statements in branches:
        by_statements.setdefault(statements, []).append(operator)
    lines = ["@compiled()", f"def {name}(code, {parameters}):", f'    """{summary}"""']
    for index, (statements, operators) in enumerate(by_statements.items()):
        condition = " or ".join(f"code == {CODES[operator.name]}" for operator in operators)
        names = ", ".join(operator.name for operator in operators)
        lines.append(f"    {'elif' if index else 'if'} {condition}:  # {names}")
        lines.extend("        " + line for line in statements.splitlines())
    return "\n".join(lines)


def source() -> str:
    """The whole text of `_dispatch.py`."""
    unary = [operator for operator in OPERATORS if operator.arity == 1]
    binary = [operator for operator in OPERATORS if operator.arity == 2]
    functions = [
        dispatch(
            "unary_values",
            "a, out",
            "Write the value of a unary operator.",
            [(operator, value_statements(operator.value, {"a"})) for operator in unary],
        ),
        dispatch(
            "unary_partial",
            "a, v, g, out, t1, t2",
            "Write the derivative with respect to the operand.",
            [(operator, partial_statements(operator.partials[0], {"a"})) for operator in unary],
        ),
    ]
    for kind, rows in KINDS.items():
        functions.append(
            dispatch(
                f"{kind}_values",
                "a, b, out",
                "Write the value of a binary operator.",
                [(operator, value_statements(operator.value, rows)) for operator in binary],
            )
        )
        for side, word in enumerate(("left", "right")):
            functions.append(
                dispatch(
                    f"{kind}_{word}_partial",
                    "a, b, v, g, out, t1, t2",
                    f"Write the derivative with respect to the {word} operand.",
                    [(operator, partial_statements(operator.partials[side], rows)) for operator in binary],
                )
            )
    imported = ["copysign", "maximum", *sorted(f"power_{kind}_block" for kind in KINDS)]
    names = "".join(f"    {name},\n" for name in imported)
    blocks = "\n".join(f'{name}_block = BLOCKS["{name}"]' for name in BLOCKS)
    return "\n\n\n".join([HEADER.format(names=names, blocks=blocks).rstrip(), *functions]) + "\n"


DESTINATION = Path(__file__).with_name("_dispatch.py")

if __name__ == "__main__":
    DESTINATION.write_text(source())
