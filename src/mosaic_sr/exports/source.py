"""The one writer of programs: it walks a law and asks the row of a language how each node is written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.exports.identifiers import Words, identifiers
from mosaic_sr.exports.language import Argument, Language
from mosaic_sr.expressions.definitions import body_of, parameters_of
from mosaic_sr.expressions.expression import Expression, operator_names
from mosaic_sr.expressions.grammar import ATOM_PRECEDENCE, PRECEDENCE, SIGN_PRECEDENCE
from mosaic_sr.expressions.printing import Piece
from mosaic_sr.expressions.rows import CALLED, CALLS, COMPARISONS, INFIX_SYMBOLS, POWERS, SYMBOLIC, TREES, numpy_value
from mosaic_sr.operators import NAMES, Operator, operator_named
from mosaic_sr.visible import visible

# What a law is called where its target is not known.
LAW = "law"


def to_program(language: Language, expression: Expression, names: Sequence[str], target: str | None = None) -> str:
    """The law as a program: what it imports, the functions that it needs, and a function called as the target."""
    if expression.num_holes or np.isnan(expression.constants).any():
        raise InvalidFormula("the formula has open columns or constants; fit it before you export it")
    writer = Writer(language, _labels(language, expression), tuple(_called(language, expression)))
    *arguments, law = arguments_of(language, expression, names, target)
    body = writer.piece(expression, [argument.identifier for argument in arguments]).text
    notes = [language.comment.format(note) for note in renamings(*arguments, law) if language.comment]
    source = "\n".join([*notes, language.law(law.identifier, arguments, body)])
    return assembled(language, source, writer.definitions(source))


def assembled(language: Language, source: str, functions: Sequence[str]) -> str:
    """A program: the source of a law with the functions of its operators, the helpers that these call, and imports."""
    helpers = [helper for word, helper in language.helpers.items() if _calls("\n".join([*functions, source]), word)]
    parts = [source, *functions, *helpers] if language.is_law_first else [*helpers, *functions, source]
    return language.blank.join(filter(None, [language.preamble("\n".join(parts)), *parts]))


def arguments_of(
    language: Language, expression: Expression, names: Sequence[str], target: str | None = None
) -> list[Argument]:
    """The columns that the law reads and, at the end, the law itself, each with its name in the language."""
    columns, name = [names[column] for column in expression.columns], LAW if target is None else target
    taken = [*_called(language, expression), *_labels(language, expression).values()]
    words = identifiers(columns, language.words, taken)
    law = identifiers([name], _for_functions(language), [*taken, *words])
    return list(map(Argument, [*words, *law], [*columns, name]))


def _for_functions(language: Language) -> Words:
    """What may be the name of a function."""
    return replace(language.words, reserved=language.words.reserved | language.function_words)


def renamings(*arguments: Argument) -> list[str]:
    """A sentence for each column that is called otherwise; safe in a comment, also in one that ends with a sign."""
    shown = [(each.identifier, visible(each.column).replace("*/", "* /")) for each in arguments]
    return [f"{identifier} stands for {column}" for identifier, column in shown if identifier != column]


def _calls(text: str, word: str) -> bool:
    return bool(re.search(rf"(?<!\w){word}\(", text))


def _called(language: Language, expression: Expression) -> list[str]:
    """The functions that a program of the law calls without a prefix."""
    functions = {function for name in _operators_in(expression) & CALLED.keys() for function in CALLED[name]}
    texts = [*(language.functions.get(function, "") for function in functions), *language.helpers, language.choice]
    return [word for text in sorted(texts) for word in re.findall(r"(?<![\w.])[A-Za-z]\w*", text)]


def _operators_in(expression: Expression) -> frozenset[str]:
    """The operators of a law and of the formulas of its defined operators."""
    found = operator_names(expression)
    return found.union(*(operator_names(body_of(name)) for name in found - TREES.keys()))


def _labels(language: Language, expression: Expression) -> dict[str, str]:
    """The functions that operators are written as, by the operators' names; those of the table first."""
    if language.function is None:
        return {}
    found = _operators_in(expression) - SYMBOLIC - CALLS.keys()
    needed = sorted(found, key=lambda name: (name not in NAMES, name))
    labels = [operator_named(name).label for name in needed]
    taken = _called(language, expression)
    return dict(zip(needed, identifiers(labels, _for_functions(language), taken), strict=True))


@dataclass(frozen=True)
class Writer:
    """Writes expressions in a language.

    labels: the functions that operators are written as, by operators' names.  called: other functions of the program.
    """

    language: Language
    labels: dict[str, str]
    called: tuple[str, ...]

    def definitions(self, source: str) -> list[str]:
        """The functions of operators that a source calls; calls of numbers alone are computed already."""
        found: list[str] = []
        for name in reversed(self.labels):  # a function calls only those before it
            if _calls("\n".join([source, *found]), self.labels[name]):
                found.insert(0, self.definition(operator_named(name)))
        return found

    def piece(self, expression: Expression, columns: Sequence[str]) -> Piece:
        """The text of an expression; columns: the words for the columns that it reads, in ascending order."""
        word_of = dict(zip(expression.columns, columns, strict=True))
        return expression.fold(self.node, lambda column: Piece(word_of[column]), self.language.number)

    def definition(self, operator: Operator) -> str:
        """The function that an operator is written as."""
        if self.language.function is None:
            raise ValueError(f"{self.language.name} has no functions")
        own = list("ab"[: operator.arity]) if operator.name in TREES else list(parameters_of(operator.name))
        words = identifiers(own, self.language.words, [*self.called, *self.labels.values()])
        if operator.name in TREES:
            body = self.row(TREES[operator.name], dict(zip(own, map(Piece, words), strict=True)), operator)
        else:
            body = self.piece(body_of(operator.name), words)
        arguments = list(map(Argument, words, own))
        return self.language.function(self.labels[operator.name], arguments, body.text)

    def node(self, operator: Operator, operands: list[Piece]) -> Piece:
        """The text of an operator over its operands; a number where all of them are numbers."""
        numbers = [operand.number for operand in operands if operand.number is not None]
        if len(numbers) == len(operands):
            return self.language.number(_value(operator, numbers))
        return self._fitting(self._written(operator, operands))

    def _written(self, operator: Operator, operands: list[Piece]) -> Piece:
        exponent = POWERS.get(operator.name, 0.5)
        if exponent.is_integer() and exponent > 1:
            # The row's `a * a` would write the operand twice, and nested ones exponentially often.
            return self.language.power(operands[0], Piece(f"{exponent:g}", number=exponent))
        if operator.name in self.labels:
            return Piece(f"{self.labels[operator.name]}({', '.join(operand.text for operand in operands)})")
        if operator.name in TREES:
            return self.row(TREES[operator.name], dict(zip("ab", operands, strict=False)), operator)
        return body_of(operator.name).fold(self.node, operands.__getitem__, self.language.number)

    def _fitting(self, piece: Piece) -> Piece:
        most = self.language.most_letters
        if most and len(piece.text) > most:
            raise InvalidFormula(
                f"the law is too long for {self.language.name}: more than {most} characters; "
                "take a simpler equation of the front, or another language"
            )
        return piece

    def row(self, tree: ast.expr, operands: Mapping[str, Piece], operator: Operator) -> Piece:
        """The text of an operator's row with its operands put in."""

        def render(part: ast.expr) -> Piece:
            return self.row(part, operands, operator)

        if not any(isinstance(part, ast.Name) and part.id in operands for part in ast.walk(tree)):
            return self.language.number(float(numpy_value(tree, {})))
        match tree:
            case ast.Name(id=name):
                return operands[name]
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return self._negation(render(inner))
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return self.language.power(render(left), render(right))
            case ast.BinOp(left=left, op=op, right=right):
                return self._infix(INFIX_SYMBOLS[type(op)], render(left), render(right))
            case ast.Call(func=ast.Name(id=function), args=arguments):
                return self._call(function, self._arguments(map(render, arguments)), operator)
            case ast.Compare(left=left, ops=[comparison], comparators=[right]):
                return Piece(f"{render(left).text} {COMPARISONS[type(comparison)]} {render(right).text}", 0)
            case ast.IfExp(test=test, body=body, orelse=other):
                return Piece(self.language.choice.format(*self._arguments(map(render, (test, body, other)))))
        raise ValueError(f"no source for {ast.dump(tree)}")

    def _arguments(self, pieces: Iterable[Piece]) -> list[str]:
        pattern = self.language.number_argument
        return [piece.text if piece.number is None else pattern.format(piece.text) for piece in pieces]

    def _call(self, function: str, arguments: Sequence[str], operator: Operator) -> Piece:
        spelled = self.language.functions.get(function)
        if spelled is None:
            raise InvalidFormula(
                f"the operator {operator.label} cannot be written in {self.language.name}, which has no function "
                f"{function}; export the law in another language, such as python"
            )
        return Piece(spelled.format(*arguments) if "{" in spelled else f"{spelled}({', '.join(arguments)})")

    def _negation(self, operand: Piece) -> Piece:
        text = operand.within(self.language.sign_operand)
        # Two signs in a row are another operator in C and JavaScript.
        return Piece(f"-({text})" if text.startswith("-") else f"-{text}", SIGN_PRECEDENCE)

    def _infix(self, symbol: str, left: Piece, right: Piece) -> Piece:
        precedence = PRECEDENCE[symbol]
        second = right.within(precedence + 1)
        if symbol in "+-" and second.startswith("-"):
            # a + -b is a - b, and a - -b is a + b, to the last bit.
            symbol, second = ("-" if symbol == "+" else "+"), second[1:]
        shown = self.language.symbols.get(symbol, f" {symbol} ")
        return Piece(f"{left.within(precedence)}{shown}{second}", precedence)


def infix_power(symbol: str, left: Piece, right: str) -> Piece:
    """A power by a symbol; the base is one word or call, or stands in parentheses."""
    return Piece(f"{left.within(ATOM_PRECEDENCE)}{symbol}{right}", PRECEDENCE["^"])


def _value(operator: Operator, operands: Sequence[float]) -> float:
    """What an operator makes of numbers; numbers alone are written as one, by IEEE arithmetic."""
    if operator.name not in TREES:
        return body_of(operator.name).fold(_value, operands.__getitem__, float)
    with np.errstate(all="ignore"):
        return float(numpy_value(TREES[operator.name], dict(zip("ab", map(np.float64, operands), strict=False))))
