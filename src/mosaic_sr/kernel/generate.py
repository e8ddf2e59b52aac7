"""Writes `_dispatch.py`: compiled block loops for every operator, derived from the text of its row in the table.

Run `python -m mosaic_sr.kernel.generate` after a change of the operator table.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mosaic_sr.kernel.elementary import ORDINARY
from mosaic_sr.operators import CODES, OPERATORS, Operator

# Functions that stand inside a loop and vectorise there.
INLINE_FUNCTIONS = {"sqrt": "np.sqrt", "abs": "abs", "maximum": "maximum", "copysign": "copysign"}
COMPARISONS = {ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<="}
# Arrays that hold what block functions compute inside a formula. A value that is not itself a block function can keep
# one of them where its result will stand.
VALUE_TEMPORARIES = ("out",)
PARTIAL_TEMPORARIES = ("t1", "t2")
# Of the project's code.
LONGEST_LINE = 120

HEADER = '''"""Block loops of all operators, generated from the operator table by `mosaic_sr.kernel.generate`.

Each function acts on `count` rows: `a`, `b` operands, `v` value, `g` derivative of the root with respect to `v`.
"""

from __future__ import annotations

{imports}import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel import elementary
from mosaic_sr.kernel.elementary import copysign, maximum
from mosaic_sr.kernel.jit import POINTER, compiled
from mosaic_sr.kernel.power import power_number_rows_block, power_rows_number_block, power_rows_rows_block

Floats = NDArray[np.float64]
'''

# A loop over an elementary function: arguments outside its ordinary interval are redone by libm.
ELEMENTARY = '''@compiled(f"void({{POINTER}}, {{POINTER}}, int64)")
def {name}_block(a: Floats, out: Floats, count: int) -> None:
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
    """Turns one formula of the table into statements over a block; `rows` are the names that stand for arrays.

    temporaries: arrays for what block functions compute on the way.  Without block functions each row calls numpy's.
    """

    rows: set[str]
    temporaries: tuple[str, ...]
    has_blocks: bool = True
    statements: list[str] = field(default_factory=list)
    num_temporaries: int = 0

    @property
    def is_full(self) -> bool:
        """Whether the formula needs more temporaries than there are."""
        return self.num_temporaries > len(self.temporaries)

    def is_rows(self, node: ast.expr) -> bool:
        """Whether a part of the formula differs from row to row."""
        return any(isinstance(part, ast.Name) and part.id in self.rows for part in ast.walk(node))

    def is_block(self, node: ast.expr) -> bool:
        """Whether a part of the formula is computed by a block function."""
        match node:
            case ast.Call(func=ast.Name(id=name)):
                return self.has_blocks and name in ORDINARY and self.is_rows(node)
            case ast.BinOp(op=ast.Pow()):
                return self.has_blocks and self.is_rows(node)
        return False

    def text(self, node: ast.expr) -> str:
        """The part as an expression of one row; block functions inside it become statements before it."""
        if self.is_block(node):
            return f"{self.block(node, '')}[i]"
        match node:
            case ast.Constant(value=value):
                return repr(value)
            case ast.Name(id=name):
                return f"{name}[i]" if name in self.rows else name
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"-{self.text(operand)}"
            case ast.BinOp(left=left, op=op, right=right) if type(op) in SYMBOLS:
                return f"({self.text(left)} {SYMBOLS[type(op)]} {self.text(right)})"
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return f"{scalar_function(name)}({', '.join(_bare(self.text(argument)) for argument in arguments)})"
            case ast.Compare(left=left, ops=[comparison], comparators=[right]) if type(comparison) in COMPARISONS:
                return f"{self.text(left)} {COMPARISONS[type(comparison)]} {self.text(right)}"
            case ast.IfExp(test=ast.Compare() as test, body=body, orelse=other):
                return f"({self.text(body)} if {self.text(test)} else {self.text(other)})"
        raise ValueError(f"the generator does not know {ast.unparse(node)}")

    def block(self, node: ast.expr, out: str) -> str:
        """Apply a block function; its result is a temporary array unless `out` is given. Returns the array's name."""
        match node:
            case ast.Call(func=ast.Name(id=name), args=arguments):
                pass
            case ast.BinOp(left=left, right=right):
                arguments = [left, right]
                name = "power_" + "_".join("rows" if self.is_rows(argument) else "number" for argument in arguments)
        names = [self.argument(argument) for argument in arguments]
        out = out or self.temporary()
        self.statements.append(f"{name}_block({', '.join([*names, out])}, count)")
        return out

    def argument(self, node: ast.expr) -> str:
        """The part as an argument of a block function: an array by name, or a number."""
        if isinstance(node, ast.Name) or not self.is_rows(node):
            return _bare(self.text(node)).removesuffix("[i]")
        text = self.text(node)
        out = self.temporary()
        self.loop(out, text)
        return out

    def temporary(self) -> str:
        """The name of the next temporary; one that does not exist when the formula is full."""
        self.num_temporaries += 1
        return "none" if self.is_full else self.temporaries[self.num_temporaries - 1]

    def loop(self, out: str, text: str) -> None:
        self.statements.append(f"for i in range(count):\n    {out}[i] = {_bare(text)}")


SYMBOLS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}


def scalar_function(name: str) -> str:
    """The function of one number that compiled code calls."""
    if name in INLINE_FUNCTIONS:
        return INLINE_FUNCTIONS[name]
    if isinstance(getattr(np, name, None), np.ufunc):
        return f"np.{name}"
    if callable(getattr(math, name, None)):
        return f"math.{name}"
    raise ValueError(f"the generator does not know {name}: a row may call numpy's element-wise functions and math's")


def value_statements(formula: str, rows: set[str]) -> str:
    """Statements that write the formula's value to `out`."""
    tree = ast.parse(formula, mode="eval").body
    # A block function must not read what it writes, so that no temporary can stand where its result will.
    temporaries = () if Lowering(rows, ()).is_block(tree) else VALUE_TEMPORARIES
    return _lowered(tree, rows, temporaries, "{}")


def partial_statements(formula: str, rows: set[str]) -> str:
    """Statements that write the root's derivative with respect to an operand to `out`."""
    tree = ast.parse(formula, mode="eval").body
    match tree:
        case ast.Constant(value=1.0):
            return _lowered(ast.Name("g"), rows | {"v", "g"}, PARTIAL_TEMPORARIES, "{}")
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1.0)):
            return _lowered(ast.Name("g"), rows | {"v", "g"}, PARTIAL_TEMPORARIES, "-{}")
    return _lowered(tree, rows | {"v", "g"}, PARTIAL_TEMPORARIES, "g[i] * {}")


def _lowered(tree: ast.expr, rows: set[str], temporaries: tuple[str, ...], template: str) -> str:
    """Statements that write the formula within the template to `out`: by block functions, which are fast, where there
    is room for what they compute on the way, else row by row.
    """
    lowering = Lowering(rows, temporaries)
    if template == "{}" and lowering.is_block(tree):
        lowering.block(tree, "out")
    else:
        lowering.loop("out", template.format(lowering.text(tree)))
    if lowering.is_full:
        lowering = Lowering(rows, (), has_blocks=False)
        lowering.loop("out", template.format(lowering.text(tree)))
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
    own = [f"{each}: {'float' if each in numbers else 'Floats'}" for each in parameters.split(", ")]
    typed = ", ".join(["code: int", *own, "count: int"])
    header = f"def {name}({typed}) -> None:"
    lines = [
        f'@compiled(f"void({", ".join(types)})")',
        header if len(header) <= LONGEST_LINE else f"def {name}(\n    {typed}\n) -> None:",
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
    imports = "import math\n\n" if any("math." in function for function in functions) else ""
    return "\n\n\n".join([HEADER.format(imports=imports).rstrip(), *functions]) + "\n"


def _number(value: float) -> str:
    """The number as Python writes it, infinities through numpy."""
    return repr(value).replace("e+", "e") if math.isfinite(value) else f"{'-' if value < 0 else ''}np.inf"


DESTINATION = Path(__file__).with_name("_dispatch.py")

if __name__ == "__main__":
    DESTINATION.write_text(source(), encoding="utf-8")
